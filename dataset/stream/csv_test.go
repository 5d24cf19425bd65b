package stream

import (
	"slices"
	"strings"
	"testing"
)

func TestCSVHeader(t *testing.T) {
	ignore := func(*Error) error { return nil }
	for _, test := range []struct {
		name, text string
		opt        Options
		names      []string
		rows       int
	}{
		{"names", "a,b\n1,2\n", Options{}, []string{"a", "b"}, 1},
		{"none", "1,2\n3,4\n", Options{}, nil, 2},
		{"one name", "1,b\n3,4\n", Options{}, []string{"1", "b"}, 1},
		{"numbers, told", "1,2\n3,4\n", Options{Header: HeaderPresent}, []string{"1", "2"}, 1},
		{"a name that is no input", "1,b\n3,4\n", Options{Inputs: []string{"1"}}, nil, 2},
		{"text label without header", "1,x\n3,y\n", Options{Targets: []string{"2"}, Classes: true}, nil, 2},
		{"spaces and quotes", " a ,  b \n1,2\n", Options{}, []string{"a", "b"}, 1},
		{"quoted with a line end", "\"a\n1\",b\n1,2\n", Options{}, []string{"a\n1", "b"}, 1},
		{"mark of UTF-8", "\ufeffa,b\n1,2\n", Options{}, []string{"a", "b"}, 1},
		{"semicolons, and a name like the head of a Parquet file", "PAR1;b\n1;2\n", Options{}, []string{"PAR1", "b"}, 1},
		{"tabs", "a\tb,c\n1\t2\n", Options{}, []string{"a", "b,c"}, 1},
		{"quoted semicolon", "\"a;\",b\n1,2\n", Options{}, []string{"a;", "b"}, 1},
		{"header only", "a,b\n", Options{}, []string{"a", "b"}, 0},
		{"a level and a word, of a model", "Bonn,err\nGraz,x\n", Options{Fixed: true, Columns: Columns{{Levels: []string{"Bonn", "Graz"}}, {}}, Bad: ignore}, nil, 0},
		{"a word among numbers", "1.5,oops,3\n2.5,oops,4\n", Options{Columns: make(Columns, 3), Bad: ignore}, nil, 0},
		{"a bad second line", "1.5,red\n2,blue,extra\n3,green\n", Options{Bad: ignore}, nil, 0},
		{"many empty lines first", strings.Repeat("\n", 3<<16) + "a,b\n1,2\n", Options{}, []string{"a", "b"}, 1},
	} {
		path := write(t, "x.csv", []byte(test.text))
		if r := mustOpen(t, []string{path}, test.opt); !slices.Equal(r.Inputs(), test.names) {
			t.Errorf("%s: names %q", test.name, r.Inputs())
		}
		if got := mustLoad(t, []string{path}, test.opt); got.rows != test.rows {
			t.Errorf("%s: %d samples, want %d", test.name, got.rows, test.rows)
		}
	}
}

func TestCSVSeveralFiles(t *testing.T) {
	a := write(t, "a.csv", []byte("x,y\n1,2\n3,4\n"))
	same := write(t, "b.csv", []byte("x,y\n5,6"))
	bare := write(t, "c.csv", []byte("7,8\n"))
	packed := write(t, "d.csv.gz", zipped([]byte("x,y\n9,10\n")))
	for _, opt := range []Options{{}, {Targets: []string{"x"}}, {Inputs: []string{"y", "x"}}} {
		got := mustLoad(t, []string{a, same, bare, packed}, opt)
		all := append(slices.Clone(got.x), got.y...)
		slices.Sort(all)
		if got.rows != 5 || !slices.Equal(all, count(1, 10)) {
			t.Errorf("%v: %v", opt, got)
		}
	}
	for _, test := range []struct {
		text, says string
		opt        Options
	}{
		{"y,x\n1,2\n", `has the column "y" where`, Options{}},
		{"y,x\n1,2\n", `has the column "y" where`, Options{Inputs: []string{"x"}, Keep: []string{"1"}}},
		{"x,z\n1,2\n", `has the column "z" where`, Options{Inputs: []string{"x"}, Weight: "2"}},
		{"x,y,z\n1,2,3\n", "has 3 columns to keep, but", Options{Inputs: []string{"x"}, Keep: []string{"1-"}}},
		{"x,y,z\n1,2,3\n", "has 3 inputs, but", Options{}},
		{"1,2,3\n", "no header and 3 columns", Options{}},
	} {
		_, err := Open(t.Context(), []string{a, write(t, "e.csv", []byte(test.text))}, test.opt)
		wantFault(t, test.text, err, test.says)
	}
	words := Options{Inputs: []string{"x"}, Columns: Columns{{Levels: []string{"x", "1"}}}} // the name is also a word
	wantTable(t, []string{write(t, "f.csv", []byte("x,y\n1,2\n")), write(t, "g.csv", []byte("x,y\nx,2\n"))}, words, table{x: []float64{0, 1, 1, 0}})
	// Cells of a later file are checked when they are reached, and named with their file.
	bad := write(t, "bad.csv", []byte("x,y\n1,NA\n"))
	_, err := load(t, []string{a, bad}, Options{})
	if fault := wantFault(t, "later file", err, "missing"); fault.Path != bad || fault.Line != 2 {
		t.Errorf("%v", err)
	}
}
