package stream

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"blskernel/internal/testutil"
)

// sources returns the ways in which data can be given: as a file, plain or packed, and likewise on
// standard input, which can be read only once.
func sources(t *testing.T, name string, data []byte) map[string]func() (string, io.Reader) {
	path, packed := write(t, name, data), write(t, name+".gz", zipped(data))
	return map[string]func() (string, io.Reader){
		"file":          func() (string, io.Reader) { return path, nil },
		"packed":        func() (string, io.Reader) { return packed, nil },
		"stdin":         func() (string, io.Reader) { return "-", bytes.NewReader(data) },
		"stdin, packed": func() (string, io.Reader) { return "-", bytes.NewReader(zipped(data)) },
		"stdin, slow":   func() (string, io.Reader) { return "-", &memoryFile{r: bytes.NewReader(data)} },
	}
}

// TestSelect peeks at data and then selects, in every format: no sample is lost, even of data that can
// be read only once.
func TestSelect(t *testing.T) {
	const rows = 3000 // 40 kB of text, more than one read of a pipe and less than the first read of a file
	var text strings.Builder
	var x []float64
	var kinds []byte
	for i := range rows {
		fmt.Fprintf(&text, "%d,%d,%d,%c\n", i, -i, i%3, 'a'+i%3)
		x = append(x, float64(i), float64(-i), float64(i%3))
		kinds = append(kinds, byte('a'+i%3), 0, 0, 0)
	}
	array, names := append(npyHeader(1, "<f8", false, rows, 3), float64s(x...)...), append(npyHeader(1, "<U1", false, rows), kinds...)
	first, header := []string{"0", "0", "0", "a"}, []string{"u", "v", "w", "kind"}
	two := []string{"1-2"}
	for _, test := range []struct {
		name    string
		data    []byte
		opt     Options
		heading Heading
		fault   string // of the first Peek, empty for none
		choice  Selection
		labels  string // of three samples
	}{
		{"csv", []byte(text.String()), Options{}, Heading{Format: CSV, Columns: 4, First: first}, ":1: column 4 is", Selection{Inputs: two, Targets: []string{"4"}, Classes: true}, "abc"},
		{"csv, header", []byte("u,v,w,kind\n" + text.String()), Options{}, Heading{Format: CSV, HasHeader: true, Columns: 4, Names: header, First: header},
			`:2: column "kind" is`, Selection{Inputs: []string{"u", "2"}, Targets: []string{"kind"}, Classes: true}, "abc"},
		{"npy", array, Options{}, Heading{Format: NPY, Columns: 3, Shape: []int64{rows, 3}}, "", Selection{Inputs: two, Targets: []string{"3"}, Classes: true}, "012"},
		{"npy, targets beside", array, Options{TargetPath: write(t, "y.npy", names), Classes: true}, Heading{Format: NPY, Columns: 3, Shape: []int64{rows, 3}}, "", Selection{Inputs: two, Classes: true}, "abc"},
		{"npz", npz(t, member{"X.npy", array, 8}, member{"kind.npy", names, 0}), Options{}, Heading{Format: NPZ, Columns: 3, Shape: []int64{rows, 3}, Arrays: []string{"X", "kind"}}, "",
			Selection{Inputs: two, Targets: []string{"kind"}, Classes: true}, "abc"},
	} {
		for name, source := range sources(t, "x", test.data) {
			if test.name == "npz" && name != "file" {
				continue // which Open refuses
			}
			name = test.name + ", " + name
			opt := test.opt
			var path string
			path, opt.Stdin = source()
			r := mustOpen(t, []string{path}, opt)
			if h := r.Heading(); !reflect.DeepEqual(h, test.heading) || r.Dim() != h.Columns {
				t.Errorf("%s: %+v, want %+v", name, h, test.heading)
			}
			if _, err := r.Peek(2000); test.fault != "" {
				wantFault(t, name, err, test.fault)
			} else if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			wantFault(t, name, r.Select(Selection{Inputs: []string{"5"}, Classes: opt.Classes}), "5 is out of range; the last column is")
			if s := r.Selection(); s.Inputs != nil || r.Dim() != test.heading.Columns {
				t.Errorf("%s: %+v after an error", name, s)
			}
			testutil.NoError(t, r.Select(test.choice))
			if h := r.Heading(); !reflect.DeepEqual(h, test.heading) || r.Dim() != 2 || r.Outputs() != 1 {
				t.Errorf("%s: %+v, %d inputs, %d outputs", name, h, r.Dim(), r.Outputs())
			}
			if named := test.heading.HasHeader || test.heading.Arrays != nil; named && !slices.Equal(r.Targets(), test.choice.Targets) || !named && r.Targets() != nil {
				t.Errorf("%s: targets %q", name, r.Targets())
			}
			const last = rows/2 - 1
			place := Place{Path: display(path), Row: rows / 2}
			if test.heading.Format == CSV {
				place = Place{Path: display(path), Line: int64(rows/2 + len(test.heading.Names)/4)}
			}
			for range 2 {
				b, err := r.Peek(rows / 2)
				testutil.NoError(t, err)
				if b.X.RawMatrix().Rows != rows/2 || b.Labels[1] != test.labels[1:2] || b.X.At(last, 1) != -last || b.Where(last) != place {
					t.Errorf("%s: Peek gives %d rows, %v, %v", name, b.X.RawMatrix().Rows, b.Labels[:2], b.Where(last))
				}
				if done, _ := r.Bytes(); done != 0 {
					t.Errorf("%s: Peek took %d bytes", name, done)
				}
			}
			all, err := readAll(t, r, 999)
			if err != io.EOF || all.rows != rows || !slices.Equal(all.x[2*rows-2:], []float64{rows - 1, 1 - rows}) || strings.Join(all.labels[rows-3:], "") != test.labels {
				t.Errorf("%s: %d rows, %d labels, %v", name, all.rows, len(all.labels), err)
			}
			if done, total := r.Bytes(); path != "-" && (done != total || total <= 0) || path == "-" && (done <= 0 || total != -1) {
				t.Errorf("%s: %d bytes of %d", name, done, total)
			}
		}
	}
}

// TestSelectSeveral checks that Select looks at all files again, and keeps no slices of the caller,
// which changes them after the calls.
func TestSelectSeveral(t *testing.T) {
	b := write(t, "b.csv", []byte("x,z,kind\n3,4,v\n"))
	paths, inputs := []string{write(t, "a.csv", []byte("x,y,kind\n1,2,u\n")), b}, []string{"1"}
	r := mustOpen(t, paths, Options{Inputs: inputs})
	paths[1], inputs[0] = "nowhere", "2"
	if got, err := r.Peek(10); err != nil || got.X.RawMatrix().Rows != 1 || got.X.At(0, 0) != 1 {
		t.Errorf("Peek goes beyond the first source: %v, %v", got, err)
	}
	if err := r.Select(Selection{Inputs: []string{"1", "2"}}); err == nil || !strings.Contains(err.Error(), `has the column "z" where`) {
		t.Errorf("columns that differ: %v", err)
	}
	second := []string{"x"}
	testutil.NoError(t, r.Select(Selection{Inputs: second, Targets: []string{"kind"}, Classes: true}))
	second[0] = "y"
	r.Selection().Inputs[0] = "y"
	got, err := r.Next(10)
	if err != nil || !slices.Equal(got.X.RawMatrix().Data, []float64{1, 3}) || !slices.Equal(got.Labels, []string{"u", "v"}) {
		t.Errorf("%v, %v", got, err)
	}
	if p := got.Where(1); p.String() != b+":2" {
		t.Errorf("the second sample is at %v", p)
	}
}

// TestPeekDropped peeks past more samples with missing cells than the rows it asks for.
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

// TestKeep keeps columns as text, whatever else they are, with their own rows: with and without
// quotation marks, after bad rows and left-out rows, and from an array.
func TestKeep(t *testing.T) {
	const text = "id,a,b,y\n 7 ,1,2,u\nx,oops,2,u\ny,3,4,n/a\n,4,5,None\n"
	array := string(append(npyHeader(1, "<f8", false, 2, 3), float64s(1, 2.5, 3, 4, 5, 6)...))
	classes := Options{Inputs: []string{"a", "b"}, Targets: []string{"y"}, Classes: true, Missing: MissingDrop}
	for _, test := range []struct {
		data              string
		opt               Options
		keep, names, kept []string
	}{
		{text, classes, []string{"y", "id", "2"}, []string{"y", "id", "a"}, []string{"u", "7", "1", "None", "", "4"}},
		{strings.Replace(text, " 7 ", `"7, ""x"""`, 1), classes, []string{"id"}, []string{"id"}, []string{`7, "x"`, ""}},
		{text, classes, []string{"1-2"}, []string{"id", "a"}, []string{"7", "1", "", "4"}},
		{array, Options{}, []string{"2", "1"}, []string{"2", "1"}, []string{"2.5", "1", "5", "4"}},
	} {
		for _, size := range []int{10, 1} {
			test.opt.Keep, test.opt.Stdin = test.keep, strings.NewReader(test.data)
			test.opt.Bad = func(*Error) error { return nil }
			r := mustOpen(t, []string{"-"}, test.opt)
			if all, err := drain(r, size); err != io.EOF || all.rows != 2 || !slices.Equal(all.kept, test.kept) || !slices.Equal(r.Kept(), test.names) {
				t.Errorf("%.30q by %d: %q, %q of %d rows, %v", test.data, size, r.Kept(), all.kept, all.rows, err)
			}
		}
	}
	if _, err := Open(t.Context(), []string{"-"}, Options{Keep: []string{"4"}, Stdin: strings.NewReader(array)}); err == nil {
		t.Error("a column that is not there was kept")
	}
}
