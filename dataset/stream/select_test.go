package stream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blskernel/internal/testutil"
)

// sources returns the ways in which data can be given: as a file, packed, and as both on standard
// input, which can be read once.
func sources(t *testing.T, name string, data []byte) map[string]func() (string, io.Reader) {
	path, packed := write(t, name, data), write(t, name+".gz", zipped(data))
	return map[string]func() (string, io.Reader){
		"file":          func() (string, io.Reader) { return path, nil },
		"packed":        func() (string, io.Reader) { return packed, nil },
		"stdin":         func() (string, io.Reader) { return "-", bytes.NewReader(data) },
		"stdin, packed": func() (string, io.Reader) { return "-", bytes.NewReader(zipped(data)) },
		"stdin, slow":   func() (string, io.Reader) { return "-", &dribble{data} },
	}
}

// A dribble gives 101 bytes at a time.
type dribble struct{ data []byte }

func (d *dribble) Read(p []byte) (int, error) {
	if len(d.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), 101)], d.data)
	d.data = d.data[n:]
	return n, nil
}

// TestSelectCSV peeks at texts and then selects: no sample is lost, even of data that can be read once.
func TestSelectCSV(t *testing.T) {
	const rows = 3000 // 48 kB, more than a pipe's piece and less than the first of a file
	for _, header := range []bool{true, false} {
		var text strings.Builder
		if header {
			text.WriteString("a,b,c,kind\n")
		}
		for i := range rows {
			text.WriteString([]string{"1,2.5,-3,setosa\n", "4,5.5,-6,virginica\n"}[i%2])
		}
		for name, source := range sources(t, "x.csv", []byte(text.String())) {
			path, stdin := source()
			r := mustOpen(t, []string{path}, Options{Stdin: stdin})
			h := r.Heading()
			first, names, line := []string{"1", "2.5", "-3", "setosa"}, []string(nil), int64(1)
			if header {
				first, line = []string{"a", "b", "c", "kind"}, 2
				names = first
			}
			if h.Format != CSV || h.HasHeader != header || h.Columns != 4 || !slices.Equal(h.First, first) || !slices.Equal(h.Names, names) || h.Arrays != nil {
				t.Errorf("%s, header %v: %+v", name, header, h)
			}
			var fault *Error
			if _, err := r.Peek(2000); !errors.As(err, &fault) || fault.Line != line || fault.Column != 4 {
				t.Errorf("%s: %v for a word among the numbers", name, err)
			}
			if err := r.Select(Selection{Targets: []string{"5"}}); !errors.As(err, &fault) {
				t.Errorf("%s: column 5: %v", name, err)
			}
			if s := r.Selection(); s.Targets != nil || r.Dim() != 4 {
				t.Errorf("%s: %+v after an error", name, s)
			}
			want := Selection{Inputs: []string{"3", "1"}, Targets: []string{"4"}, Classes: true}
			testutil.NoError(t, r.Select(want))
			if h := r.Heading(); h.HasHeader != header || header != (h.Names != nil) || !slices.Equal(h.First, first) || r.Dim() != 2 || r.Outputs() != 1 {
				t.Errorf("%s: %+v", name, h)
			}
			for range 2 {
				b, err := r.Peek(rows / 2)
				testutil.NoError(t, err)
				line := int64(1501)
				if !header {
					line--
				}
				if b.X.RawMatrix().Rows != rows/2 || b.Labels[1] != "virginica" || b.X.At(1, 0) != -6 || b.Where(rows/2-1) != (Place{Path: display(path), Line: line}) {
					t.Errorf("%s: Peek gives %d rows, %v, %v", name, b.X.RawMatrix().Rows, b.Labels[:2], b.Where(rows/2-1))
				}
				if done, _ := r.Bytes(); done != 0 {
					t.Errorf("%s: Peek took %d bytes", name, done)
				}
			}
			all, err := readAll(t, r, 999)
			if err != io.EOF || all.rows != rows || !slices.Equal(all.x[:4], []float64{-3, 1, -6, 4}) || all.labels[rows-1] != "virginica" {
				t.Errorf("%s, header %v: %d rows, %v", name, header, all.rows, err)
			}
		}
	}
}

// TestSelectArrays does the same with arrays, and with targets in a file of their own.
func TestSelectArrays(t *testing.T) {
	const rows = 500
	x := make([]float64, 3*rows)
	labels := make([]byte, 0, 4*rows)
	for i := range rows {
		x[3*i], x[3*i+1], x[3*i+2] = float64(i), float64(-i), float64(i%3)
		labels = append(labels, byte('a'+i%3), 0, 0, 0)
	}
	array := append(npyHeader(1, "<f8", false, rows, 3), float64s(x...)...)
	names := append(npyHeader(1, "<U1", false, rows), labels...)
	archive := npz(t, member{"X.npy", array, 8}, member{"kind.npy", names, 0})
	targets := write(t, "y.npy", names)
	for _, test := range []struct {
		name   string
		data   []byte
		opt    Options
		choice Selection
		arrays []string
	}{
		{"npy", array, Options{}, Selection{Inputs: []string{"1-2"}, Targets: []string{"3"}, Classes: true}, nil},
		{"npy, targets beside", array, Options{TargetPath: targets, Classes: true}, Selection{Inputs: []string{"1-2"}, Classes: true}, nil},
		{"npz", archive, Options{}, Selection{Inputs: []string{"1-2"}, Targets: []string{"kind"}, Classes: true}, []string{"X", "kind"}},
	} {
		for name, source := range sources(t, "x", test.data) {
			if test.name == "npz" && name != "file" {
				continue // which is refused
			}
			name = test.name + ", " + name
			opt := test.opt
			var path string
			path, opt.Stdin = source()
			r := mustOpen(t, []string{path}, opt)
			h := r.Heading()
			if h.Format != formatOfContent(test.data) || h.HasHeader || h.Columns != 3 || h.First != nil || !slices.Equal(h.Arrays, test.arrays) || r.Dim() != 3 {
				t.Errorf("%s: %+v", name, h)
			}
			if b, err := r.Peek(1 << 20); err != nil || b.X.RawMatrix().Rows != rows || b.X.At(rows-1, 1) != 1-rows {
				t.Errorf("%s: Peek %v, %v", name, b, err)
			}
			if err := r.Select(Selection{Inputs: []string{"4"}}); err == nil {
				t.Errorf("%s: a column that is not there", name)
			}
			if err := r.Select(test.choice); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			all, err := readAll(t, r, 77)
			if err != io.EOF || all.rows != rows || r.Dim() != 2 || len(all.labels) != rows || !slices.Equal(all.x[2*rows-2:], []float64{rows - 1, 1 - rows}) {
				t.Errorf("%s: %d rows, %d labels, %v", name, all.rows, len(all.labels), err)
			}
			if done, total := r.Bytes(); path != "-" && (done != total || total <= 0) || path == "-" && (done <= 0 || total != -1) {
				t.Errorf("%s: %d bytes of %d", name, done, total)
			}
		}
	}
}

// TestSelectSeveral checks that Select looks at all files again.
func TestSelectSeveral(t *testing.T) {
	a := write(t, "a.csv", []byte("x,y,kind\n1,2,u\n"))
	b := write(t, "b.csv", []byte("x,z,kind\n3,4,v\n"))
	r := mustOpen(t, []string{a, b}, Options{Inputs: []string{"1"}})
	if got, err := r.Peek(10); err != nil || got.X.RawMatrix().Rows != 1 {
		t.Errorf("Peek goes beyond the first source: %v, %v", got, err)
	}
	if err := r.Select(Selection{Inputs: []string{"1", "2"}}); err == nil || !strings.Contains(err.Error(), `has the column "z" where`) {
		t.Errorf("columns that differ: %v", err)
	}
	testutil.NoError(t, r.Select(Selection{Inputs: []string{"x"}, Targets: []string{"kind"}, Classes: true}))
	got, err := r.Next(10)
	if err != nil || !slices.Equal(got.X.RawMatrix().Data, []float64{1, 3}) || !slices.Equal(got.Labels, []string{"u", "v"}) {
		t.Errorf("%v, %v", got, err)
	}
	if p := got.Where(1); p.String() != b+":2" {
		t.Errorf("the second sample is at %v", p)
	}
}

// TestSelectCopies changes the caller's slices after the calls.
func TestSelectCopies(t *testing.T) {
	paths, inputs := []string{write(t, "a.csv", []byte("1,2\n")), write(t, "b.csv", []byte("3,4\n"))}, []string{"1"}
	r := mustOpen(t, paths, Options{Inputs: inputs})
	paths[1], inputs[0] = "nowhere", "2"
	second := []string{"2"}
	if got, err := r.Peek(1); err != nil || got.X.At(0, 0) != 1 {
		t.Errorf("%v, %v", got, err)
	}
	testutil.NoError(t, r.Select(Selection{Inputs: second}))
	second[0] = "1"
	r.Selection().Inputs[0] = "1"
	if got, err := r.Next(2); err != nil || !slices.Equal(got.X.RawMatrix().Data, []float64{2, 4}) {
		t.Errorf("%v, %v", got, err)
	}
}

// TestNamedPipe opens a pipe without a writer: Open, and Next when it reaches such a pipe, end with the
// context.
func TestNamedPipe(t *testing.T) {
	before := testutil.Goroutines()
	pipe := filepath.Join(t.TempDir(), "pipe")
	makePipe(t, pipe)
	why := errors.New("enough")
	csv := write(t, "x.csv", []byte("1,2\n"))
	for name, paths := range map[string][]string{"Open": {pipe}, "Next": {csv, pipe}} {
		ctx, cancel := context.WithCancelCause(t.Context())
		result := make(chan error)
		go func() {
			r, err := Open(ctx, paths, Options{})
			if err == nil {
				_, err = r.Next(10)
				err = errors.Join(err, r.Close())
			}
			result <- err
		}()
		cancel(why)
		if err := <-result; !errors.Is(err, why) {
			t.Errorf("%s: error %v", name, err)
		}
		// A late writer ends the goroutine that still opens the pipe.
		if f, err := os.OpenFile(pipe, os.O_RDWR, 0); err != nil {
			t.Error(err)
		} else {
			testutil.WaitGoroutines(t, before)
			f.Close()
		}
	}
	// A pipe that is looked at before it is read loses nothing.
	go func() {
		if f, err := os.OpenFile(pipe, os.O_WRONLY, 0); err == nil {
			f.WriteString("1,2,u\n3,4,v\n")
			f.Close()
		}
	}()
	r := mustOpen(t, []string{pipe}, Options{})
	testutil.NoError(t, r.Select(Selection{Targets: []string{"3"}, Classes: true}))
	if b, err := r.Peek(2); err != nil || b.X.RawMatrix().Rows != 2 {
		t.Errorf("%v, %v", b, err)
	}
	if b, err := r.Next(10); err != nil || !slices.Equal(b.X.RawMatrix().Data, count(1, 4)) || strings.Join(b.Labels, "") != "uv" {
		t.Errorf("%v, %v", b, err)
	}
	testutil.NoError(t, r.Close())
	testutil.WaitGoroutines(t, before)
}

// TestPeekDropped peeks behind more samples without a value than it is asked for.
func TestPeekDropped(t *testing.T) {
	dropped := strings.Repeat("1,\n,2\n", 50)
	for name, source := range sources(t, "x.csv", []byte("a,b\nx,y\n"+dropped+"3,4\n"+dropped+"5,6\n")) {
		path, stdin := source()
		r := mustOpen(t, []string{path}, Options{Stdin: stdin, Missing: MissingDrop, Bad: func(*Error) error { return nil }})
		for range 2 {
			if b, err := r.Peek(2); err != nil || !slices.Equal(b.X.RawMatrix().Data, []float64{3, 4, 5, 6}) {
				t.Fatalf("%s: %v, %v", name, b, err)
			}
		}
	}
	r := mustOpen(t, []string{"-"}, Options{Stdin: strings.NewReader("a,b\n" + dropped), Missing: MissingDrop})
	if b, err := r.Peek(7); b != nil || err != io.EOF {
		t.Errorf("all dropped: %v, %v", b, err)
	}
}

// TestPeekCancel waits for more than a pipe has until the context ends.
func TestPeekCancel(t *testing.T) {
	before := testutil.Goroutines()
	in, out := io.Pipe()
	go io.WriteString(out, "1,2\n3,4\n") // ends with the pipe
	ctx, cancel := context.WithCancelCause(t.Context())
	r, err := Open(ctx, []string{"-"}, Options{Stdin: in})
	testutil.NoError(t, err)
	why := errors.New("enough")
	result := make(chan error)
	go func() {
		_, err := r.Peek(10)
		result <- err
	}()
	cancel(why)
	if err := <-result; !errors.Is(err, why) {
		t.Errorf("error %v", err)
	}
	if err := r.Select(Selection{}); !errors.Is(err, why) {
		t.Errorf("and then %v", err)
	}
	testutil.NoError(t, r.Close())
	if _, err := r.Peek(1); err != ErrClosed {
		t.Errorf("after Close: %v", err)
	}
	if err := r.Select(Selection{}); err != ErrClosed {
		t.Errorf("after Close: %v", err)
	}
	r.Bytes()
	out.Close()
	testutil.WaitGoroutines(t, before)
}
