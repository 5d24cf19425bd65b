package experiment

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
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/vfs"

	"github.com/spf13/cobra"
)

// lineFlags say where the measured lines go.
type lineFlags struct {
	out          string
	resume, json bool
}

func (f *lineFlags) register(cmd *cobra.Command, kinds string) {
	cmd.Flags().StringVar(&f.out, "out", "", "new file for the results as JSON lines")
	cmd.Flags().BoolVar(&f.resume, "resume", false, "go on after the lines in --out")
	ui.JSONFlag(cmd, &f.json, "JSON lines with a key \"kind\", "+kinds+",")
}

// lines are the lines that a command measures: in a file, where each is on disk before the next one
// begins, and on standard output with --json. One goroutine writes, by line and close, and another may
// use what was read.
type lines struct {
	machine result.Machine // for the line before the first one

	path  string
	fs    vfs.FS
	file  vfs.File     // nil for none
	made  bool         // by this command, which removes it if it has no line
	read  *result.File // what a resumed run has
	print io.Writer    // nil for none
	begun bool         // whether the line of the machine is written
}

// open creates the file, or opens it to resume. An empty path is for no file.
func (f *lineFlags) open(s ui.Streams) (*lines, error) {
	if f.resume && f.out == "" {
		return nil, ui.Usagef("--resume needs --out, the file of the lines that are done")
	}
	r := &lines{path: f.out, fs: vfs.Or(s.FS)}
	if f.json {
		r.print = s.Out
	}
	if f.out == "" {
		return r, nil
	}
	flags := os.O_RDWR | os.O_CREATE
	file, err := r.fs.OpenFile(r.path, flags|os.O_EXCL, 0o666)
	r.made = err == nil
	if errors.Is(err, fs.ErrExist) {
		if !f.resume {
			return nil, ui.Usagef("--out %s exists: --resume goes on with it, or remove it", r.path)
		}
		file, err = r.fs.OpenFile(r.path, flags, 0o666)
	}
	if err != nil {
		return nil, fmt.Errorf("--out: %w: %s", err, vfs.Remedy(err))
	}
	r.file = file
	if !f.resume {
		return r, nil
	}
	if r.read, err = result.Read(r.path, r.file); err == nil {
		err = r.cut()
	}
	if err != nil {
		var path *fs.PathError
		if errors.As(err, &path) { // and not an error in the content
			err = fmt.Errorf("--out: %w: %s", err, vfs.Remedy(err))
		}
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

// cut removes a last line without an end, which an interruption has left.
func (r *lines) cut() error {
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

// line adds a line, after that of the machine if it is the first one: a complete file stays unchanged.
func (r *lines) line(kind string, v any) error {
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

// write adds a line to the file, before it is printed. On error the lines before stay; --resume cuts an
// incomplete one.
func (r *lines) write(kind string, v any) error {
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
		return fmt.Errorf("--out: %w: %s; %s keeps its lines, and --resume goes on from there", err, vfs.Remedy(err), r.path)
	}
}

// mayResume returns an error if something in the file was measured under other conditions than here:
// such times are not compared. Another version of this program is a warning.
func (r *lines) mayResume(what string, others ...result.Machine) (warning string, err error) {
	here := r.machine.Conditions()
	for _, m := range others {
		if differences := m.Conditions().Differences(here); len(differences) > 0 {
			return "", ui.Usagef("--resume: %s of %s was measured under other conditions, there and here %s: give another --out",
				what, r.path, strings.Join(differences, ", "))
		}
		if m.Version != r.machine.Version && warning == "" {
			warning = fmt.Sprintf("%s of %s was measured by version %s, and this is %s: times may differ for that\n",
				what, r.path, m.Version, r.machine.Version)
		}
	}
	return warning, nil
}

// earlier returns the last table in the file with the settings, lambda and shrink of head, by any
// methods.
func (r *lines) earlier(head bench.TableHead) (t bench.TableHead, ok bool) {
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

// rows returns the rows of a table in the file. It is an error if the table has other settings there,
// unless beside allows those, or was measured elsewhere.
func (r *lines) rows(head bench.TableHead, beside func(bench.TableHead) bool) (rows []bench.TableRow, warning string, err error) {
	if r.read == nil {
		return nil, "", nil
	}
	for _, t := range r.read.Tables {
		switch {
		case t.Table != head.Table:
		case t.SameExperiment(head):
			machines := append([]result.Machine{t.Machine}, t.Continued...)
			if warning, err = r.mayResume(fmt.Sprintf("table %d", t.Table), machines...); err != nil {
				return nil, "", err
			}
			rows = append(rows, t.Rows...)
		case !beside(t.TableHead):
			return nil, "", ui.Usagef("--resume: %s has table %d with other settings: give those, or another --out", r.path, head.Table)
		}
	}
	return rows, warning, nil
}

// begins reports whether the line of a table must come before its rows, which belong to the last line
// of their number, and records it.
func (r *lines) begins(head bench.TableHead) bool {
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

// close closes the file, once, and removes it if it is new and has no line.
func (r *lines) close() error {
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
