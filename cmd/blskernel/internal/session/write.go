package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/io/atomicfile"
	"blskernel/internal/io/names"
	"blskernel/internal/io/vfs"

	"github.com/gofrs/flock"
)

// CheckOut returns an error if a result must not replace the file at path. If model is true, the
// result is a model and may replace only a model or an empty file. Otherwise it may replace any
// regular file but a model. No result may replace one of the files at the paths in read, where
// StandardInput is not a file.
func (s *Session) CheckOut(path string, model bool, read ...string) error {
	info, err := vfs.Stat(s.FS, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, name := range read {
		if name == StandardInput {
			continue
		}
		if other, err := vfs.Stat(s.FS, name); err == nil && os.SameFile(info, other) {
			return ui.Usagef("--out is %q, which is an input: give another name", path)
		}
	}
	if !info.Mode().IsRegular() {
		return ui.Usagef("--out is %q, which is not a regular file: give another name", path)
	}
	if info.Size() == 0 {
		return nil
	}
	file, err := vfs.Open(s.FS, path)
	if errors.Is(err, fs.ErrPermission) && !model {
		return nil // writing reports whether it can be replaced
	}
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = modelfile.Inspect(file)
	switch is := !errors.Is(err, modelfile.ErrNotAModel); {
	case model && !is:
		return ui.Usagef("--out is %q, which exists and is not a model: remove it, or give another name", path)
	case !model && is:
		return ui.Usagef("--out is %q, which is a model: give another name, or remove it", path)
	}
	return nil
}

// Lock locks the file *out, to which a model will be written; an empty *out becomes path. If path is
// not empty, a file must exist there.
func (s *Session) Lock(out *string, path string) (release func(), err error) {
	if _, err := Now(); err != nil { // finds a wrong SOURCE_DATE_EPOCH before the work
		return nil, err
	}
	switch *out {
	case StandardInput:
		return nil, ui.Usagef("--out is -, but a model cannot be written to standard output: name a file")
	case "":
		*out = path
	default:
		if err := s.CheckOut(*out, true); err != nil {
			return nil, err
		}
	}
	if path != "" { // before a lock is made in its folder
		if err := s.checkModelPath(path); err != nil {
			return nil, err
		}
	}
	return lockModel(s.FS, *out)
}

// lockModel keeps other processes from changing the model at path, which may not exist yet, until
// release is called. Thus no update is lost if two run at the same time. It locks the file
// .NAME.lock in the same folder, since every update replaces the model with another file. The system
// releases the lock of a process that ends. lockModel also removes the temporary files of killed
// processes, and returns an error if the model cannot be written.
func lockModel(fsys vfs.FS, path string) (release func(), err error) {
	fsys = vfs.Or(fsys)
	target, err := atomicfile.Target(path)
	if err != nil {
		return nil, err
	}
	if _, err := fsys.Stat(filepath.Dir(target)); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s cannot be written, since the folder %q does not exist: create it first", path, filepath.Dir(target))
	}
	name := atomicfile.Beside(target, ".lock")
	lock := flock.New(name, flock.SetFlag(os.O_CREATE|os.O_RDWR|vfs.NoFollow), flock.SetPermissions(0o666))
	for {
		// In a folder that others may write to, a link could lead to any file.
		if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s cannot be locked, since %s is a link or not a regular file: remove it, or name a model file in another folder", path, name)
		}
		locked, err := lock.TryLock()
		if err != nil {
			return nil, fmt.Errorf("%s cannot be locked: %w: %s", path, err, vfs.Remedy(err))
		}
		if !locked {
			return nil, fmt.Errorf("%s is being changed by another process: try again once that process has ended", path)
		}
		// If the previous owner of the lock has meanwhile removed the file, this lock is void.
		mine, err := lock.Stat()
		there, gone := os.Lstat(name)
		if err == nil && gone == nil && os.SameFile(mine, there) {
			break
		}
		_ = lock.Unlock()
	}
	release = func() {
		if runtime.GOOS == "windows" { // where an open file cannot be removed, not even by another process
			_ = lock.Unlock()
			_ = fsys.Remove(name)
			return
		}
		_ = fsys.Remove(name) // while locked, so that it is not another process's file
		_ = lock.Unlock()
	}
	if err := atomicfile.Check(fsys, path); err != nil {
		release()
		var told *atomicfile.WriteError
		if !errors.As(err, &told) {
			err = fmt.Errorf("%s cannot be written: %w: %s", path, err, vfs.Remedy(err))
		}
		return nil, err
	}
	_ = atomicfile.RemoveLeftovers(fsys, target) // a leftover that stays does no harm
	return release, nil
}

// Put writes m to path, with the name of this program. It cuts a log that does not fit, but keeps at
// least the entry that records the cut. The file is in place even if OnlyFolder(err).
func (s *Session) Put(path string, m *model.Model) error {
	m.Metadata.Software = "blskernel " + names.Version()
	cut := func() bool { return len(m.Metadata.Log) == 1 && m.Metadata.Log[0].Kind == modelfile.OpCut }
	for len(m.Metadata.Log) > 0 && !cut() && m.Metadata.Check() != nil { // the log does not fit
		m.CutLog()
	}
	err := modelfile.SaveFS(s.FS, path, m.File)
	var file *atomicfile.WriteError // which names the file
	if err == nil || OnlyFolder(err) || errors.As(err, &file) {
		return err
	}
	return fmt.Errorf("writing %s: %w", path, err)
}

// OnlyFolder reports whether err says that a file was written but its folder could not be synced.
func OnlyFolder(err error) bool {
	var folder *atomicfile.FolderError
	return errors.As(err, &folder)
}
