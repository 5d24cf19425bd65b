package stream

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestCSVColumns(t *testing.T) {
	text := "id,age,name,height,class\n1,30,ann,1.5,a\n2,40,bob,1.75,b\n3,50,cy,2,a\n"
	path := write(t, "people.csv", []byte(text))
	for _, test := range []struct {
		name            string
		inputs, targets []string
		classes         bool
		x, y            []float64
		labels          []string
	}{
		{"names", []string{"age", "height"}, []string{"id"}, false, []float64{30, 1.5, 40, 1.75, 50, 2}, []float64{1, 2, 3}, nil},
		{"another order", []string{"height", "age"}, nil, false, []float64{1.5, 30, 1.75, 40, 2, 50}, nil, nil},
		{"labels", []string{"1-2", "4"}, []string{"class"}, true, []float64{1, 30, 1.5, 2, 40, 1.75, 3, 50, 2}, nil, []string{"a", "b", "a"}},
		{"label within", []string{"4", "1"}, []string{"name"}, true, []float64{1.5, 1, 1.75, 2, 2, 3}, nil, []string{"ann", "bob", "cy"}},
		{"a span", []string{"1-2"}, []string{"4-4"}, false, []float64{1, 30, 2, 40, 3, 50}, []float64{1.5, 1.75, 2}, nil},
		{"two targets", []string{"2"}, []string{"4", "1"}, false, []float64{30, 40, 50}, []float64{1.5, 1, 1.75, 2, 2, 3}, nil},
		{"a number as label", []string{"id"}, []string{"age"}, true, []float64{1, 2, 3}, nil, []string{"30", "40", "50"}},
	} {
		got := mustLoad(t, []string{path}, Options{Inputs: test.inputs, Targets: test.targets, Classes: test.classes})
		if !slices.Equal(got.x, test.x) || !slices.Equal(got.y, test.y) || !slices.Equal(got.labels, test.labels) {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

// TestColumnFaults selects columns that are not there, or contradict each other.
func TestColumnFaults(t *testing.T) {
	path := write(t, "people.csv", []byte("id,age,name,height,class\n1,30,ann,1.5,a\n"))
	for _, test := range []struct {
		opt  Options
		says string
	}{
		{Options{Inputs: []string{"weight"}}, `no column named "weight"; it has "id", "age"`},
		{Options{Inputs: []string{"6"}}, "columns 6 are selected, but there are 5"},
		{Options{Inputs: []string{"0"}}, "first column is number 1"},
		{Options{Inputs: []string{"4-2"}}, "the first comes after the last"},
		{Options{Inputs: []string{"id:age"}}, `no column named "id:age"`},
		{Options{Inputs: []string{"99999999999999999999"}}, "but there are 5"},
		{Options{Inputs: []string{"1", "id"}}, "named twice"},
		{Options{Inputs: []string{"1"}, Targets: []string{"id"}}, "named twice"},
		{Options{Targets: []string{"1-5"}}, "every column is a target"},
		{Options{Inputs: []string{}}, "an empty list of input columns"},
		{Options{Inputs: []string{"1"}, Targets: []string{"2", "5"}, Classes: true}, "2 target columns for one label"},
		{Options{Exclude: []string{"d"}}, `no column named "d"`},
		{Options{Exclude: []string{"id"}, Targets: []string{"id"}}, "is excluded, and"},
		{Options{Weight: "id", Targets: []string{"id"}}, "named twice"},
		{Options{Weight: "1-2"}, "name one column"},
		{Options{Exclude: []string{"1-"}}, "leave at least one"},
		{Options{Exclude: []string{"id"}, Inputs: []string{"id"}}, "leave at least one fo"},
		{Options{Exclude: []string{"6"}}, "there are 5"},
	} {
		_, err := Open(t.Context(), []string{path}, test.opt)
		wantFault(t, fmt.Sprintf("%+v", test.opt), err, test.says)
	}
}

func TestCSVHeader(t *testing.T) {
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
		{"semicolons", "a;b\n1;2\n", Options{}, []string{"a", "b"}, 1},
		{"tabs", "a\tb,c\n1\t2\n", Options{}, []string{"a", "b,c"}, 1},
		{"quoted semicolon", "\"a;\",b\n1,2\n", Options{}, []string{"a;", "b"}, 1},
		{"told", "a|b\n1|2\n", Options{Comma: '|'}, []string{"a", "b"}, 1},
		{"header only", "a,b\n", Options{}, []string{"a", "b"}, 0},
		{"many empty lines first", strings.Repeat("\n", 3<<16) + "a,b\n1,2\n", Options{}, []string{"a", "b"}, 1},
	} {
		path := write(t, "x.csv", []byte(test.text))
		r, err := Open(t.Context(), []string{path}, test.opt)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if !slices.Equal(r.Inputs(), test.names) {
			t.Errorf("%s: names %q", test.name, r.Inputs())
		}
		r.Close()
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
	for _, test := range []struct{ text, says string }{
		{"y,x\n1,2\n", `has the column "y" where`},
		{"x,y,z\n1,2,3\n", "has 3 inputs, but"},
		{"1,2,3\n", "no header and 3 columns"},
	} {
		_, err := Open(t.Context(), []string{a, write(t, "e.csv", []byte(test.text))}, Options{})
		wantFault(t, test.text, err, test.says)
	}
	// Cells of a later file are checked when they are reached, and named with their file.
	bad := write(t, "bad.csv", []byte("x,y\n1,NA\n"))
	_, err := load(t, []string{a, bad}, Options{})
	if fault := wantFault(t, "later file", err, "missing"); fault.Path != bad || fault.Line != 2 {
		t.Errorf("%v", err)
	}
}
