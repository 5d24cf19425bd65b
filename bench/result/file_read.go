package result

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"blskernel/bench"
	"blskernel/internal/io/vfs"
)

const maxLine = 1 << 20

var errLong = fmt.Errorf("the line is longer than %d bytes", maxLine)

// Read reads a file of results. It skips a last line without a newline, which an interruption leaves
// behind. name is used for File.Name and in errors.
//
//	memory: for n bytes of r at most 512n bytes plus 256 KiB; lines with only a kind take the most.
//	errors: *LineError for a line that is malformed or longer than 1 MiB; an error of r, wrapped.
func Read(name string, r io.Reader) (*File, error) {
	f := &reader{File: &File{Name: name}, machine: new(Machine), open: map[int]*openTable{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine+1)
	lines.Split(wholeLines)
	n := 1
	for ; lines.Scan(); n++ {
		if err := f.parse(lines.Bytes()); err != nil {
			return nil, &LineError{File: name, Line: n, Err: err}
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, &LineError{File: name, Line: n, Err: errLong}
	case err != nil:
		return nil, fmt.Errorf("result: %s: reading line %d: %w", name, n, err)
	}
	return f.File, nil
}

// wholeLines is a bufio.SplitFunc for lines that drops a last line without a newline.
func wholeLines(data []byte, atEOF bool) (advance int, line []byte, err error) {
	if end := bytes.IndexByte(data, '\n'); end >= 0 {
		return end + 1, data[:end], nil
	}
	if atEOF {
		return len(data), nil, nil
	}
	return 0, nil, nil
}

// ReadFile reads a file of results from fsys, nil for vfs.OS. Errors are the file system's or Read's.
func ReadFile(fsys vfs.FS, path string) (*File, error) {
	in, err := vfs.Open(fsys, path)
	if err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	defer in.Close()
	return Read(filepath.Base(path), in)
}

type reader struct {
	*File
	machine *Machine           // of the lines that follow
	open    map[int]*openTable // the latest table of each number, to add rows without a search
}

// An openTable is a table to which rows are added.
type openTable struct {
	at    int            // index in Tables
	steps map[uint64]int // the next step, by seed
}

func (f *reader) parse(line []byte) error {
	var head struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return err
	}
	switch head.Kind {
	case "machine":
		f.machine = new(Machine)
		if err := json.Unmarshal(line, f.machine); err != nil {
			return err
		}
		f.Machines = append(f.Machines, *f.machine)
	case "table":
		return f.table(line)
	case "row":
		return f.row(line)
	case "flops":
		return add(f, line, &f.Flops)
	case "cell":
		return add(f, line, &f.Cells)
	case "cost":
		return add(f, line, &f.Costs)
	}
	return nil
}

func (f *reader) table(line []byte) error {
	t := Table{Machine: *f.machine}
	if err := json.Unmarshal(line, &t.TableHead); err != nil {
		return err
	}
	f.open[t.Table] = &openTable{at: len(f.Tables), steps: map[uint64]int{}}
	f.Tables = append(f.Tables, t)
	return nil
}

// row appends a row to the latest table with its number. It returns an error unless the row is the next
// step of its seed.
func (f *reader) row(line []byte) error {
	var r bench.TableRow
	if err := json.Unmarshal(line, &r); err != nil {
		return err
	}
	open := f.open[r.Table]
	if open == nil {
		return fmt.Errorf("a row of table %d comes before the table", r.Table)
	}
	if next := open.steps[r.Seed]; r.Step != next {
		return fmt.Errorf("step %d of seed %d; want step %d", r.Step, r.Seed, next)
	}
	open.steps[r.Seed]++
	t := &f.Tables[open.at]
	t.Rows = append(t.Rows, r)
	return nil
}

func add[T any](f *reader, line []byte, to *[]On[T]) error {
	on := On[T]{Machine: f.machine}
	if err := json.Unmarshal(line, &on.Value); err != nil {
		return err
	}
	*to = append(*to, on)
	return nil
}
