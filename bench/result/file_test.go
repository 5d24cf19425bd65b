package result

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"blskernel"
	"blskernel/bench"
	"blskernel/bench/speed"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faults"
)

func put[T any](t testing.TB, b *bytes.Buffer, kind string, values ...T) {
	t.Helper()
	for _, v := range values {
		testutil.NoError(t, Write(b, kind, v))
	}
}

func putOn[T any](t testing.TB, b *bytes.Buffer, kind string, all []On[T]) {
	t.Helper()
	for _, on := range all {
		put(t, b, kind, on.Value)
	}
}

// written returns f as lines, grouped by kind.
func written(t testing.TB, f *File) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	put(t, &b, "machine", f.Machines...)
	for _, table := range f.Tables {
		put(t, &b, "table", table.TableHead)
		put(t, &b, "row", table.Rows...)
	}
	putOn(t, &b, "flops", f.Flops)
	putOn(t, &b, "cell", f.Cells)
	putOn(t, &b, "cost", f.Costs)
	return &b
}

// lines returns a file with a line of every kind, and the File that Read should return for it.
func lines(t testing.TB) (*bytes.Buffer, *File) {
	t.Helper()
	a := 97.5
	machine := Machine{Command: "blskernel paper", Date: time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC), CPU: "a CPU", Backends: []string{"pure"}, Threads: []int{2}}
	head := bench.TableHead{PaperTable: bench.PaperTable{Table: 2}, Methods: []string{"original", "gram"}, Planner: "gram", Seeds: []uint64{1, 1 << 63}}
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
	b := written(t, want)
	put(t, b, "of the future", struct{}{})
	return b, want
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

// TestWriteErrors writes values that cannot be lines.
func TestWriteErrors(t *testing.T) {
	for _, v := range []any{[]int{1}, struct{ F func() }{}} {
		if err := Write(new(bytes.Buffer), "kind", v); err == nil {
			t.Errorf("a %T is written", v)
		}
	}
	if err := Write(&faults.Writer{}, "kind", struct{}{}); !errors.Is(err, faults.ErrFull) {
		t.Errorf("a full disk: %v", err)
	}
}

// TestReadFile reads a file, and a folder or nothing in its place.
func TestReadFile(t *testing.T) {
	b, want := lines(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	testutil.NoError(t, os.WriteFile(path, b.Bytes(), 0o666))
	if f, err := ReadFile(nil, path); err != nil || !reflect.DeepEqual(f, want) {
		t.Errorf("read %+v, %v", f, err)
	}
	if _, err := ReadFile(nil, path+"s"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := ReadFile(nil, dir); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("a folder: %v", err)
	}
	if err := os.Symlink("loop", filepath.Join(dir, "loop")); err != nil {
		t.Skip(err) // links need a permission
	}
	var at *fs.PathError
	if _, err := ReadFile(nil, filepath.Join(dir, "loop")); !errors.As(err, &at) {
		t.Errorf("a link to itself: %v", err)
	}
}

func TestHere(t *testing.T) {
	b := blskernel.Default()
	m := Here("blskernel info", b)
	if m.Command != "blskernel info" || len(m.Backends) != 1 || m.Backends[0] != b.Name() || len(m.Threads) != 1 || m.Threads[0] < 1 || m.CPU == "" || m.Version == "" || time.Since(m.Date) > time.Hour {
		t.Errorf("%+v", m)
	}
}

// TestJoined joins the output of three commands, of which the last resumed the table of the second.
// Every line has its own machine again.
func TestJoined(t *testing.T) {
	var b bytes.Buffer
	row := func(step int) bench.TableRow { return bench.TableRow{Table: 2, Seed: 1, Step: step} }
	put(t, &b, "cost", bench.Cost{Method: "of nobody"})
	put(t, &b, "machine", Machine{CPU: "a"})
	put(t, &b, "cell", speed.Result{Op: "dgemm", N: 1})
	put(t, &b, "machine", Machine{CPU: "b"})
	put(t, &b, "table", bench.TableHead{PaperTable: bench.PaperTable{Table: 2}, Seeds: []uint64{1}})
	put(t, &b, "row", row(0))
	put(t, &b, "cost", bench.Cost{Method: "qr"})
	put(t, &b, "machine", Machine{CPU: "c"})
	put(t, &b, "row", row(1), row(2))
	put(t, &b, "cell", speed.Result{Op: "dgemm", N: 2})
	put(t, &b, "flops", bench.FlopsCase{Q: 3})

	f, err := Read("x", &b)
	testutil.NoError(t, err)
	var got []string
	for _, m := range f.Machines {
		got = append(got, m.CPU)
	}
	for _, c := range f.Costs {
		got = append(got, c.Value.Method+" on "+c.Machine.CPU)
	}
	for _, c := range f.Cells {
		got = append(got, fmt.Sprint(c.Value.N, " on ", c.Machine.CPU))
	}
	got = append(got, f.Flops[0].Machine.CPU, f.Tables[0].Machine.CPU)
	want := []string{"a", "b", "c", "of nobody on ", "qr on b", "1 on a", "2 on c", "c", "b"}
	if !slices.Equal(got, want) || len(f.Tables[0].Rows) != 3 {
		t.Errorf("%q; want %q", got, want)
	}
}
