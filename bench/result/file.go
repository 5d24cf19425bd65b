package result

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"blskernel/bench"
	"blskernel/bench/speed"
)

// A File is what a file of results has, by kind, in the order of its lines. Parts says on which machine each was measured.
type File struct {
	Name       string
	Machines   []Machine // one for each command that wrote to it
	Tables     []Table
	Flops      []bench.FlopsCase
	Cells      []speed.Result
	Costs      []bench.Cost
	Agreements []Agreement
	Crossovers []bench.CrossoverPoint
	Growth     []bench.GrowthPoint

	begins []counts // of each machine, how many lines of each kind were above it
}

// A Table is one of the paper's tables with the rows that have been finished.
type Table struct {
	bench.TableHead
	Machine   Machine   // of the command that began it
	Continued []Machine // of the commands that went on with it
	Rows      []bench.TableRow

	last int // how many machines were above its last line
}

// An Agreement is how well times were predicted on a backend.
type Agreement struct {
	Backend string `json:"backend"`
	bench.Agreement
}

// A LineError says which line of a file is not what it should be.
type LineError struct {
	File string
	Line int
	Err  error
}

func (e *LineError) Error() string {
	return fmt.Sprintf("result: %s: line %d: %v", e.File, e.Line, e.Err)
}

func (e *LineError) Unwrap() error { return e.Err }

// mostLine bounds the bytes of a line.
const mostLine = 1 << 20

// Read reads a file of results. A last line without an end, which an interruption leaves, is passed over. name is for
// File.Name and errors, which are *LineError for what is malformed.
func Read(name string, r io.Reader) (*File, error) {
	f := &File{Name: name}
	lines := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := readLine(lines)
		if errors.Is(err, io.EOF) {
			return f, nil
		}
		if err == nil {
			err = f.parse(line)
		}
		if err != nil {
			return nil, &LineError{File: name, Line: n, Err: err}
		}
	}
}

// readLine returns the next line that has an end.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > mostLine:
			return nil, fmt.Errorf("is longer than %d bytes", mostLine)
		case err == nil:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// parse adds a line.
func (f *File) parse(line []byte) error {
	var head struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return err
	}
	switch head.Kind {
	case "machine":
		f.begins = append(f.begins, f.counts())
		return add(line, &f.Machines)
	case "table":
		var t bench.TableHead
		if err := json.Unmarshal(line, &t); err != nil {
			return err
		}
		table := Table{TableHead: t, last: len(f.Machines)}
		if table.last > 0 {
			table.Machine = f.Machines[table.last-1]
		}
		f.Tables = append(f.Tables, table)
		return nil
	case "row":
		var r bench.TableRow
		if err := json.Unmarshal(line, &r); err != nil {
			return err
		}
		for i := len(f.Tables) - 1; i >= 0; i-- {
			if t := &f.Tables[i]; t.Table == r.Table {
				for _, c := range r.Cells {
					if !slices.Contains(t.Methods, c.Method) {
						return fmt.Errorf("a cell of %q in a table without that method", c.Method)
					}
				}
				f.attribute(t)
				t.Rows = append(t.Rows, r)
				return nil
			}
		}
		return fmt.Errorf("a row of table %d before the table", r.Table)
	case "flops":
		return add(line, &f.Flops)
	case "cell":
		return add(line, &f.Cells)
	case "cost":
		return add(line, &f.Costs)
	case "agreement":
		return add(line, &f.Agreements)
	case "crossover":
		return add(line, &f.Crossovers)
	case "growth":
		return add(line, &f.Growth)
	}
	return nil
}

func add[T any](line []byte, to *[]T) error {
	var v T
	if err := json.Unmarshal(line, &v); err != nil {
		return err
	}
	*to = append(*to, v)
	return nil
}

// ReadFile reads a file of results. The error is the operating system's or one of Read.
func ReadFile(path string) (*File, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	defer in.Close()
	return Read(filepath.Base(path), in)
}

// Write writes v, an object, as a line of its kind.
func Write(w io.Writer, kind string, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("result: %w", err)
	}
	if len(body) < 2 || body[0] != '{' {
		return fmt.Errorf("result: a %T is no object", v)
	}
	line := append(fmt.Appendf(nil, `{"kind":%q`, kind), ',')
	if len(body) == 2 {
		line = line[:len(line)-1]
	}
	line = append(append(line, body[1:]...), '\n')
	if _, err := w.Write(line); err != nil {
		return fmt.Errorf("result: %w", err)
	}
	return nil
}
