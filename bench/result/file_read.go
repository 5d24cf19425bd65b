package result

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"blskernel/bench"
)

// mostLine bounds the bytes of a line.
const mostLine = 1 << 20

var (
	errLong   = fmt.Errorf("is longer than %d bytes", mostLine)
	errFolder = errors.New("it is a folder: name the file of results in it")
)

// Read reads a file of results. A last line without an end, which an interruption leaves, is passed
// over. name is for File.Name and errors.
//
//	memory: for n bytes of r at most 512 n bytes and 256 KiB; lines with only a kind take most.
//	errors: *LineError for a malformed line, and for one of more than 1 MiB; those of r, wrapped.
func Read(name string, r io.Reader) (*File, error) {
	f := &reader{File: &File{Name: name}, open: map[int]*openTable{}}
	lines := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := readLine(lines)
		switch {
		case errors.Is(err, io.EOF):
			return f.File, nil
		case err == nil:
			err = f.parse(line)
		case !errors.Is(err, errLong):
			return nil, fmt.Errorf("result: %s: reading line %d: %w", name, n, err)
		}
		if err != nil {
			return nil, &LineError{File: name, Line: n, Err: err}
		}
	}
}

// ReadFile reads a file of results. The error is the operating system's, or one of Read.
func ReadFile(path string) (*File, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	defer in.Close()
	if info, err := in.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("result: %w", &fs.PathError{Op: "read", Path: path, Err: errFolder})
	}
	return Read(filepath.Base(path), in)
}

// readLine returns the next line that has an end.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > mostLine:
			return nil, errLong
		case err == nil:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// A reader adds lines to a File.
type reader struct {
	*File
	open map[int]*openTable // the last of each number: a row then costs no search
}

// An openTable is a table to which rows are added.
type openTable struct {
	at      int             // in Tables
	methods map[string]bool // nil before the first row
}

// parse adds a line.
func (f *reader) parse(line []byte) error {
	var head struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return err
	}
	switch head.Kind {
	case "machine":
		err := add(line, &f.Machines)
		if err == nil {
			f.parts = append(f.parts, &File{Name: f.Name, Machines: f.Machines[len(f.Machines)-1:]})
		}
		return err
	case "table":
		return f.table(line)
	case "row":
		return f.row(line)
	case "flops":
		return add(line, &f.Flops, &f.part().Flops)
	case "cell":
		return add(line, &f.Cells, &f.part().Cells)
	case "cost":
		return add(line, &f.Costs, &f.part().Costs)
	}
	return nil
}

// table begins a table.
func (f *reader) table(line []byte) error {
	var t bench.TableHead
	if err := json.Unmarshal(line, &t); err != nil {
		return err
	}
	table := Table{TableHead: t}
	if n := len(f.Machines); n > 0 {
		table.Machine = f.Machines[n-1]
	}
	f.open[t.Table] = &openTable{at: len(f.Tables)}
	f.Tables = append(f.Tables, table)
	return nil
}

// row adds a row to the last table of its number.
func (f *reader) row(line []byte) error {
	var r bench.TableRow
	if err := json.Unmarshal(line, &r); err != nil {
		return err
	}
	open := f.open[r.Table]
	if open == nil {
		return fmt.Errorf("a row of table %d before the table", r.Table)
	}
	t := &f.Tables[open.at]
	if open.methods == nil {
		open.methods = make(map[string]bool, len(t.Methods))
		for _, m := range t.Methods {
			open.methods[m] = true
		}
	}
	for _, c := range r.Cells {
		if !open.methods[c.Method] {
			return fmt.Errorf("a cell of %q in a table without that method", c.Method)
		}
	}
	t.Rows = append(t.Rows, r)
	return nil
}

// add adds a line to each of some slices.
func add[T any](line []byte, to ...*[]T) error {
	var v T
	if err := json.Unmarshal(line, &v); err != nil {
		return err
	}
	for _, all := range to {
		*all = append(*all, v)
	}
	return nil
}
