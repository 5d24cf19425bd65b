// Package beamfile lists, reads and writes files on any file system of Beam. It writes a file as a
// whole or not at all.
package beamfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blskernel/internal/io/atomicfile"
	"blskernel/internal/io/vfs"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local" // paths without a scheme
)

// Local reports whether a path is on this machine. Paths on Beam's other file systems have a scheme
// before "://".
func Local(path string) bool { return strings.Index(path, "://") <= 0 }

// Resolve resolves symbolic links and dots in a local path, as far as they can be read. The file may be
// missing. Other paths are returned unchanged.
func Resolve(path string) string {
	if !Local(path) {
		return path
	}
	if target, err := atomicfile.Target(path); err == nil { // before Abs, which would drop linked/..
		path = target
	}
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	folder, name := filepath.Split(path)
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		return filepath.Join(real, name)
	}
	return path
}

// List returns the files that a glob matches, sorted by name.
//
//	errors: a fault of the file system, or a match that is a local folder.
func List(ctx context.Context, pattern string) ([]string, error) {
	system, err := filesystem.New(ctx, pattern)
	if err != nil {
		return nil, err
	}
	defer system.Close()
	files, err := system.List(ctx, pattern)
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	for _, file := range files {
		if info, err := vfs.Stat(nil, file); Local(file) && err == nil && info.IsDir() {
			return nil, fmt.Errorf("%s is a folder: name the files in it, such as %s", file, filepath.Join(file, "*.csv"))
		}
	}
	return files, nil
}

// Open opens a file on any file system of Beam for reading.
func Open(ctx context.Context, path string) (io.ReadCloser, error) {
	system, err := filesystem.New(ctx, path)
	if err != nil {
		return nil, err
	}
	r, err := system.OpenRead(ctx, path)
	if err != nil {
		return nil, errors.Join(err, system.Close())
	}
	return &file{r, system}, nil
}

// A file is an open file. Closing it also closes its file system.
type file struct {
	io.ReadCloser
	system filesystem.Interface
}

func (f *file) Close() error { return errors.Join(f.ReadCloser.Close(), f.system.Close()) }

// Write calls content with a writer to the file at path, and replaces an existing file as a whole. On
// this machine Write writes a temporary file, and renames it when it is complete; elsewhere it writes
// one object. It creates missing local folders. A process that is killed may leave the temporary file,
// whose name ends in .tmp.
//
//	errors: a fault of the file system, or the error of content. An existing file is then unchanged,
//	except after an *atomicfile.FolderError.
func Write(ctx context.Context, path string, content func(io.Writer) error) error {
	if Local(path) {
		return writeLocal(ctx, path, content)
	}
	system, err := filesystem.New(ctx, path)
	if err != nil {
		return err
	}
	defer system.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := system.OpenWrite(ctx, path)
	if err != nil {
		return err
	}
	if err := content(w); err != nil {
		cancel() // before the object is closed, which would complete it
		return errors.Join(err, w.Close())
	}
	return w.Close()
}

func writeLocal(ctx context.Context, path string, content func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomicfile.Write(nil, path, func(w io.Writer) error {
		if err := content(w); err != nil || ctx.Err() == nil {
			return err
		}
		return context.Cause(ctx)
	})
}
