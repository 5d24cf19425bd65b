package experiment

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"blskernel/bench/result"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/vfs"
)

// lines are what paper measures, each on disk before the next begins, and printed with --json.
type lines struct {
	*ui.Reporter
	machine result.Machine // for the line before the first one

	path  string
	fs    vfs.FS
	file  vfs.File // nil for none
	begun bool     // whether the line of the machine is written
	empty bool     // whether the file has no line, and is removed
}

// openLines creates the file. An empty path is for no file.
func openLines(path string, reporter *ui.Reporter, machine result.Machine) (*lines, error) {
	r := &lines{Reporter: reporter, fs: vfs.Or(reporter.FS), machine: machine, path: path, empty: true}
	if path == "" {
		return r, nil
	}
	file, err := r.fs.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, ui.Usagef("--out %s exists: name a new file, or remove it", path)
	case err != nil:
		return nil, failedOut(err)
	}
	r.file = file
	return r, nil
}

// failedOut adds what helps to an error of the file.
func failedOut(err error) error { return fmt.Errorf("--out: %w: %s", err, vfs.Remedy(err)) }

// line adds a line, after that of the machine if it is the first one.
func (r *lines) line(kind string, v any) error {
	if !r.begun {
		r.begun = true
		if err := r.line("machine", r.machine); err != nil {
			return err
		}
	}
	return r.Do(func() error {
		if err := r.write(kind, v); err != nil || !r.JSON {
			return err
		}
		return result.Write(r.Out, kind, v)
	})
}

// write adds a line to the file. On error the lines before stay; readers pass over an incomplete one.
func (r *lines) write(kind string, v any) error {
	if r.file == nil {
		return nil
	}
	err := result.Write(r.file, kind, v)
	if err == nil {
		r.empty = false
		err = r.file.Sync()
	}
	switch {
	case err == nil:
		return nil
	case r.empty: // and will be removed
		return failedOut(err)
	default:
		return fmt.Errorf("%w; %s keeps its lines: run the missing tables again into another file",
			failedOut(err), r.path)
	}
}

// close closes the file, and removes it if it has no line.
func (r *lines) close() error {
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	if r.empty {
		err = errors.Join(err, r.fs.Remove(r.path))
	}
	if err != nil {
		return failedOut(err)
	}
	return nil
}
