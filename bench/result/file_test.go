package result

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"blskernel"
	"blskernel/bench"
	"blskernel/bench/speed"
	"blskernel/internal/testutil"
)

// put writes a line for each value.
func put[T any](t testing.TB, b *bytes.Buffer, kind string, values ...T) {
	t.Helper()
	for _, v := range values {
		testutil.NoError(t, Write(b, kind, v))
	}
}

// putOn writes a line for each measurement.
func putOn[T any](t testing.TB, b *bytes.Buffer, kind string, all []On[T]) {
	t.Helper()
	for _, on := range all {
		put(t, b, kind, on.Value)
	}
}

// lines returns a file with a line of every kind, and what Read is to make of it.
func lines(t testing.TB) (*bytes.Buffer, *File) {
	t.Helper()
	a := 97.5
	machine := Machine{Command: "blskernel paper", Date: time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC), CPU: "a CPU", Backends: []string{"pure"}, Threads: []int{2}}
	head := bench.TableHead{PaperTable: bench.PaperTable{Table: 2}, Title: "a table", Methods: []string{"original", "gram"}, Planner: "gram", Seeds: []uint64{1, 1 << 63}}
	rows := []bench.TableRow{
		{Table: 2, Seed: 1, Samples: 10, Cells: []bench.TableCell{{Method: "original", Accuracy: &a, Seconds: 1e-9}, {Method: "gram"}}},
		{Table: 2, Seed: 1 << 63, Samples: 20, Cells: []bench.TableCell{{Method: "gram"}}, Retraining: &bench.Retraining{WeightsSeconds: 3}},
	}
	want := &File{
		Name: "file", Machines: []Machine{machine}, Tables: []Table{{TableHead: head, Machine: machine, Rows: rows}},
		Flops: []On[bench.FlopsCase]{{&machine, bench.FlopsCase{L: 5, K: 4, Q: 3}}},
		Cells: []On[speed.Result]{{&machine, speed.Result{Op: "dgemm", N: 7}}},
		Costs: []On[bench.Cost]{{&machine, bench.Cost{Method: "qr", L: 9}}},
	}
	var b bytes.Buffer
	put(t, &b, "machine", machine)
	put(t, &b, "table", head)
	put(t, &b, "row", rows...)
	putOn(t, &b, "flops", want.Flops)
	putOn(t, &b, "cell", want.Cells)
	putOn(t, &b, "cost", want.Costs)
	put(t, &b, "agreement", bench.FlopsCase{Q: 11}) // of earlier files, as the next one
	put(t, &b, "crossover", bench.FlopsCase{Q: 11})
	put(t, &b, "of the future", struct{}{})
	return &b, want
}

func TestReadWrite(t *testing.T) {
	b, want := lines(t)
	whole := b.String()
	got, err := Read("file", strings.NewReader(whole))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("read %+v, %v\nwant %+v", got, err, want)
	}
	// An interruption leaves whole lines and perhaps a part of one.
	all := strings.SplitAfter(whole, "\n")
	for n := range len(whole) {
		part, err := Read("file", strings.NewReader(whole[:n]))
		if err != nil {
			t.Fatalf("the first %d bytes: %v", n, err)
		}
		if n == len(all[0])+len(all[1])+len(all[2])+5 && len(part.Tables[0].Rows) != 1 {
			t.Errorf("a row and a part: %d rows", len(part.Tables[0].Rows))
		}
	}
}

// TestErrors has a line that is wrong below good ones, and values that are no lines.
func TestErrors(t *testing.T) {
	b, _ := lines(t)
	b.WriteString("no JSON\n")
	_, err := Read("file", b)
	if at := checkLine(t, err); at.Line != 11 || at.File != "file" || !strings.Contains(err.Error(), "file: line 11: ") {
		t.Errorf("%v; want line 11", err)
	}
	if err := Write(new(bytes.Buffer), "list", []int{1}); err == nil {
		t.Error("a list is written as an object")
	}
	if err := Write(new(bytes.Buffer), "function", struct{ F func() }{}); err == nil {
		t.Error("a function is written")
	}
}

func TestReadFile(t *testing.T) {
	b, want := lines(t)
	path := filepath.Join(t.TempDir(), "file")
	testutil.NoError(t, os.WriteFile(path, b.Bytes(), 0o666))
	if f, err := ReadFile(path); err != nil || !reflect.DeepEqual(f, want) {
		t.Errorf("read %+v, %v", f, err)
	}
	if _, err := ReadFile(path + "s"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func TestHere(t *testing.T) {
	b := blskernel.Default()
	m := Here("blskernel info", b)
	if m.Command != "blskernel info" || len(m.Backends) != 1 || m.Backends[0] != b.Name() || len(m.Threads) != 1 || m.Threads[0] < 1 || m.CPU == "" || m.Version == "" || time.Since(m.Date) > time.Hour {
		t.Errorf("%+v", m)
	}
}
