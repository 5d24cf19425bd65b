package experiment

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"blskernel/bench"
	"blskernel/bench/result"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/vfs"

	"github.com/spf13/cobra"
)

// lineFlags say where the measured lines go.
type lineFlags struct {
	path   string
	resume bool
}

func (f *lineFlags) register(cmd *cobra.Command, json *bool, kinds string) {
	cmd.Flags().StringVar(&f.path, "out", "", "new file for the results as JSON lines")
	cmd.Flags().BoolVar(&f.resume, "resume", false, "go on after the lines in --out")
	ui.JSONFlag(cmd, json, "JSON lines with a key \"kind\", "+kinds+",")
}

// lines are what a command measures, each on disk before the next begins, and printed with --json.
type lines struct {
	*ui.Reporter
	machine result.Machine // for the line before the first one

	path  string
	fs    vfs.FS
	file  vfs.File     // nil for none
	made  bool         // by this command, which removes it if it has no line
	read  *result.File // what a resumed run has, else nil
	begun bool         // whether the line of the machine is written
}

// open creates the file, or opens it to resume. An empty path is for no file.
func (f *lineFlags) open(reporter *ui.Reporter, machine result.Machine) (*lines, error) {
	if f.resume && f.path == "" {
		return nil, ui.Usagef("--resume needs --out, the file of the lines that are done")
	}
	r := &lines{Reporter: reporter, machine: machine, path: f.path, fs: vfs.Or(reporter.FS)}
	if f.path == "" {
		return r, nil
	}
	file, err := r.fs.OpenFile(r.path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	r.made = err == nil
	if errors.Is(err, fs.ErrExist) {
		if !f.resume {
			return nil, ui.Usagef("--out %s exists: --resume goes on with it, or remove it", r.path)
		}
		file, err = r.fs.OpenFile(r.path, os.O_RDWR, 0o666)
	}
	if err != nil {
		return nil, failedOut(err)
	}
	r.file = file
	if !f.resume {
		return r, nil
	}
	if err := r.load(); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

// failedOut adds what helps to an error of the file.
func failedOut(err error) error { return fmt.Errorf("--out: %w: %s", err, vfs.Remedy(err)) }

// load reads the file, and removes a last line without an end, which an interruption has left.
func (r *lines) load() error {
	data, err := io.ReadAll(r.file)
	if err != nil {
		return failedOut(err)
	}
	data = data[:bytes.LastIndexByte(data, '\n')+1]
	if r.read, err = result.Read(r.path, bytes.NewReader(data)); err != nil {
		return err
	}
	end := int64(len(data))
	if err := r.file.Truncate(end); err != nil {
		return failedOut(err)
	}
	if _, err = r.file.Seek(end, io.SeekStart); err != nil {
		return failedOut(err)
	}
	return nil
}

// line adds a line, after that of the machine if it is the first one: a complete file stays unchanged.
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

// write adds a line to the file. On error the lines before stay; --resume cuts an incomplete one.
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
		return failedOut(err)
	default:
		return fmt.Errorf("%w; %s keeps its lines, and --resume goes on from there", failedOut(err), r.path)
	}
}

// mayResume returns an error if something in the file was measured under other conditions than here:
// such times are not compared. Another version of this program is a warning.
func (r *lines) mayResume(what string, others ...result.Machine) error {
	here, warned := r.machine.Conditions(), false
	for _, m := range others {
		if differences := m.Conditions().Differences(here); len(differences) > 0 {
			return ui.Usagef("--resume: %s of %s was measured under other conditions, there and here %s: give another --out",
				what, r.path, strings.Join(differences, ", "))
		}
		if m.Version != r.machine.Version && !warned {
			warned = true
			r.Warn("%s of %s was measured by version %s, and this is %s: times may differ for that", what, r.path, m.Version, r.machine.Version)
		}
	}
	return nil
}

// table returns the table of that number in the file.
func (r *lines) table(n int) (t result.Table, ok bool) {
	if r.read == nil {
		return t, false
	}
	for _, other := range r.read.Tables {
		if other.Table == n {
			t, ok = other, true
		}
	}
	return t, ok
}

// rows returns the rows of a table in the file, if any; other settings or conditions are an error.
func (r *lines) rows(head bench.TableHead) (rows []bench.TableRow, begun bool, err error) {
	t, ok := r.table(head.Table)
	if !ok {
		return nil, false, nil
	}
	if !t.SameExperiment(head) {
		return nil, false, ui.Usagef("--resume: %s has table %d with other settings: give those, or another --out", r.path, head.Table)
	}
	machines := append([]result.Machine{t.Machine}, t.Continued...)
	return t.Rows, true, r.mayResume(fmt.Sprintf("table %d", head.Table), machines...)
}

// close closes the file, and removes it if it is new and has no line.
func (r *lines) close() error {
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	if r.made {
		err = errors.Join(err, r.fs.Remove(r.path))
	}
	if err != nil {
		return failedOut(err)
	}
	return nil
}
