package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"blskernel/bench"
	"blskernel/bench/result"
	"blskernel/internal/vfs"
)

// results are the lines that a command measures: in a file that grows line by line, each of which is on
// disk before the next one is begun, and on standard output where they are wanted there. One
// goroutine writes, by line and close, and may be another than the one that looks at what was read.
type results struct {
	machine result.Machine // that is at work, for the line before the first one

	path  string
	fs    vfs.FS
	file  vfs.File     // nil for none
	made  bool         // by this command, which removes it again if there is no line for it
	read  *result.File // what was there, where the run goes on
	print io.Writer    // nil for none
	begun bool         // the line of the machine is out
}

// openResults creates the file at path, or where the run is to go on opens the one that is there. An
// empty path is for no file. print gets the lines too, unless it is nil.
func openResults(fsys vfs.FS, path string, resume bool, print io.Writer) (*results, error) {
	r := &results{fs: vfs.Or(fsys), path: path, print: print}
	if path == "" {
		return r, nil
	}
	flags := os.O_RDWR | os.O_CREATE
	f, err := r.fs.OpenFile(path, flags|os.O_EXCL, 0o666)
	r.made = err == nil
	if errors.Is(err, fs.ErrExist) {
		if !resume {
			return nil, usageError{fmt.Errorf("--out %s exists: --resume goes on with it, or remove it", path)}
		}
		f, err = r.fs.OpenFile(path, flags, 0o666)
	}
	if err != nil {
		return nil, fmt.Errorf("--out: %w: %s", err, vfs.Remedy(err))
	}
	r.file = f
	if !resume {
		return r, nil
	}
	if r.read, err = result.Read(path, f); err == nil {
		err = r.cut()
	}
	if err != nil {
		var file *fs.PathError
		if errors.As(err, &file) { // and not what is in it
			err = fmt.Errorf("--out: %w: %s", err, vfs.Remedy(err))
		}
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

// cut takes a last line without an end, which an interruption has left, off the file.
func (r *results) cut() error {
	data, err := os.ReadFile(r.path)
	if err != nil {
		return err
	}
	end := int64(bytes.LastIndexByte(data, '\n') + 1)
	if err := r.file.Truncate(end); err != nil {
		return err
	}
	_, err = r.file.Seek(end, io.SeekStart)
	return err
}

// line adds a line. The first one comes after that of the machine: a file of which all is done already stays as it is.
func (r *results) line(kind string, v any) error {
	if !r.begun {
		r.begun = true
		if err := r.line("machine", r.machine); err != nil {
			return err
		}
	}
	if err := r.write(kind, v); err != nil || r.print == nil {
		return err
	}
	return result.Write(r.print, kind, v)
}

// write adds a line to the file, which comes first: what cannot be printed is not lost. What was there stays; of a line
// that is not complete --resume takes off what there is.
func (r *results) write(kind string, v any) error {
	if r.file == nil {
		return nil
	}
	err := result.Write(r.file, kind, v)
	if err == nil {
		r.made = false
		err = r.file.Sync()
	}
	switch {
	case err == nil:
		return nil
	case r.made: // and will be removed
		return fmt.Errorf("--out: %w: %s", err, vfs.Remedy(err))
	default:
		return fmt.Errorf("--out: %w: %s; what %s has is kept, and --resume goes on from there", err, vfs.Remedy(err), r.path)
	}
}

// mayGoOn returns an error where something in the file was measured by others than r.machine under
// other conditions: times of two are not compared. Another version of this program is a warning.
func (r *results) mayGoOn(what string, others ...result.Machine) (warning string, err error) {
	here := r.machine.Conditions()
	for _, m := range others {
		if differences := m.Conditions().Differences(here); len(differences) > 0 {
			return "", usageError{fmt.Errorf("--resume: %s of %s was measured under other conditions, there and here %s: give another --out", what, r.path, strings.Join(differences, ", "))}
		}
	}
	if i := slices.IndexFunc(others, func(m result.Machine) bool { return m.Version != r.machine.Version }); i >= 0 {
		warning = fmt.Sprintf("%s of %s was measured by version %s, and this is %s: times may differ for that\n", what, r.path, others[i].Version, r.machine.Version)
	}
	return warning, nil
}

// earlier returns the last table in the file with the settings of head, its lambda and its shrink,
// whatever the methods.
func (r *results) earlier(head bench.TableHead) (t bench.TableHead, ok bool) {
	if r.read == nil {
		return t, false
	}
	for _, other := range r.read.Tables {
		if other.SameSettings(head) && other.Lambda == head.Lambda && other.Shrink == head.Shrink {
			t, ok = other.TableHead, true
		}
	}
	return t, ok
}

// rows returns the rows of a table that the file has. It is an error if the table is there with other
// settings, unless beside says that such a one may be there too, or was measured elsewhere.
func (r *results) rows(head bench.TableHead, beside func(bench.TableHead) bool) (rows []bench.TableRow, warning string, err error) {
	if r.read == nil {
		return nil, "", nil
	}
	for _, t := range r.read.Tables {
		switch {
		case t.Table != head.Table:
		case t.SameExperiment(head):
			if warning, err = r.mayGoOn(fmt.Sprintf("table %d", t.Table), append([]result.Machine{t.Machine}, t.Continued...)...); err != nil {
				return nil, "", err
			}
			rows = append(rows, t.Rows...)
		case !beside(t.TableHead):
			return nil, "", usageError{fmt.Errorf("--resume: %s has table %d with other settings: give those, or another --out", r.path, head.Table)}
		}
	}
	return rows, warning, nil
}

// begins tells whether the line of a table has to come before its rows, which belong to the last line
// of their number, and takes it that this is done.
func (r *results) begins(head bench.TableHead) bool {
	if r.read == nil {
		r.read = new(result.File)
	}
	for _, t := range slices.Backward(r.read.Tables) {
		if t.Table == head.Table {
			if t.SameExperiment(head) {
				return false
			}
			break
		}
	}
	r.read.Tables = append(r.read.Tables, result.Table{TableHead: head, Machine: r.machine})
	return true
}

// hasFlops tells whether the file has Table 1 for these sizes.
func (r *results) hasFlops(l, k, q int, backend string) bool {
	return r.read != nil && slices.ContainsFunc(r.read.Flops, func(c bench.FlopsCase) bool {
		return c.L == l && c.K == k && c.Q == q && c.Backend == backend
	})
}

// close closes the file, once, and removes it if it is new and has no line.
func (r *results) close() error {
	if r.file == nil {
		return nil
	}
	f := r.file
	r.file = nil
	err := f.Close()
	if r.made {
		err = errors.Join(err, r.fs.Remove(f.Name()))
	}
	if err != nil {
		return fmt.Errorf("--out: %w: %s", err, vfs.Remedy(err))
	}
	return nil
}

// errResume says that --resume has nothing to go on with.
var errResume = usageError{errors.New("--resume needs --out, the file of the lines that are done")}
