package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"blskernel/bench"
	"blskernel/bench/result"
)

// results is a file of results that grows line by line, each of which is on disk before the next one is begun. The
// zero value, for no file, forgets them.
type results struct {
	file *os.File
	read *result.File // what was there, where the run goes on
}

// openResults creates the file at path, or where the run is to go on opens the one that is there. An empty path is for no file.
func openResults(path string, resume bool) (*results, error) {
	if path == "" {
		return new(results), nil
	}
	if !resume {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			return nil, usageError{fmt.Errorf("--out %s exists: --resume goes on with it, or remove it", path)}
		}
		return &results{file: f}, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	r := &results{file: f}
	if r.read, err = result.Read(path, f); err == nil {
		err = r.cut()
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return r, nil
}

// cut takes a last line without an end, which an interruption has left, off the file.
func (r *results) cut() error {
	data, err := os.ReadFile(r.file.Name())
	if err != nil {
		return err
	}
	end := int64(bytes.LastIndexByte(data, '\n') + 1)
	if err := r.file.Truncate(end); err != nil {
		return err
	}
	_, err = r.file.Seek(end, 0)
	return err
}

// done returns the rows of a table that the file has, and whether it has the table, where there may be none yet. A
// table of other settings, or that was begun on another machine or backend, is an error: times of two are not compared.
func (r *results) done(head bench.TableHead, here result.Machine) (rows []bench.TableRow, begun bool, err error) {
	if r.read == nil {
		return nil, false, nil
	}
	for _, t := range r.read.Tables {
		if t.Table != head.Table {
			continue
		}
		if !t.SameExperiment(head) {
			return nil, false, usageError{fmt.Errorf("--resume: %s has table %d with other settings: give those, or another --out", r.file.Name(), head.Table)}
		}
		if m := t.Machine; m.CPU != here.CPU || m.Kernel != here.Kernel || !slices.Equal(m.Backends, here.Backends) || !slices.Equal(m.Threads, here.Threads) {
			return nil, false, usageError{fmt.Errorf("--resume: table %d of %s was begun on %s with %s and threads %v, and this is %s with %s and threads %v: give another --out",
				head.Table, r.file.Name(), m.CPU, strings.Join(m.Backends, ", "), m.Threads, here.CPU, strings.Join(here.Backends, ", "), here.Threads)}
		}
		return t.Rows, true, nil
	}
	return nil, false, nil
}

// hasFlops tells whether the file has Table 1 for these sizes.
func (r *results) hasFlops(l, k, q int, backend string) bool {
	return r.read != nil && slices.ContainsFunc(r.read.Flops, func(c bench.FlopsCase) bool {
		return c.L == l && c.K == k && c.Q == q && c.Backend == backend
	})
}

// write adds a line.
func (r *results) write(kind string, v any) error {
	if r.file == nil {
		return nil
	}
	if err := result.Write(r.file, kind, v); err != nil {
		return err
	}
	return r.file.Sync()
}

// close closes the file, once.
func (r *results) close() error {
	if r.file == nil {
		return nil
	}
	f := r.file
	r.file = nil
	return f.Close()
}
