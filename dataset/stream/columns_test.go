package stream

import (
	"archive/zip"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestColumns selects inputs, targets and weights from data in every format, plain and packed.
func TestColumns(t *testing.T) {
	people := []byte("id,age,name,height,class\n1,30,ann,1.5,a\n2,40,bob,1.75,b\n3,50,cy,2,a\n")
	weighted := []byte("a,b,w,c,y\n1,2,0.5,4,5\n6,7,0,9,10\n")
	array := append(npyHeader(1, "<f8", false, 3, 4), float64s(count(0, 12)...)...)
	weightedArray := append(npyHeader(1, "<f8", false, 2, 5), float64s(1, 2, 0.5, 4, 5, 6, 7, 0, 9, 10)...)
	x := append(npyHeader(1, "<f8", false, 3, 2), float64s(count(1, 6)...)...)
	y := append(npyHeader(1, "|u1", false, 3), 5, 6, 7)
	names := append(npyHeader(1, "<U2", false, 3), "a\x00\x00\x00b\x00\x00\x00c\x00\x00\x00\x00\x00\x00\x00d\x00\x00\x00e\x00\x00\x00"...)
	stored, deflated := []byte(nil), []byte(nil)
	for method, archive := range map[uint16]*[]byte{zip.Store: &stored, zip.Deflate: &deflated} {
		*archive = npz(t, member{"o.npy", append(npyHeader(1, "|O", false, 1), 0x80), method}, member{"y.npy", y, method}, member{"X.npy", x, method},
			member{"names.npy", names, method}, member{"readme.txt", []byte("hi"), method})
	}
	only := npz(t, member{"b.npy", []byte("text"), zip.Store}, member{"c.npy", y, zip.Deflate},
		member{"data.npy", x, zip.Deflate}, member{"y.npy", y, zip.Deflate})
	beside := func(name string, data []byte, classes bool) Options {
		return Options{TargetPath: write(t, name, data), Classes: classes}
	}
	list := func(columns ...string) []string { return columns }
	for _, test := range []struct {
		file string
		data []byte
		opt  Options
		want table
	}{
		{"x.csv", people, Options{Inputs: list("age", "height"), Targets: list("id")}, table{x: []float64{30, 1.5, 40, 1.75, 50, 2}, y: count(1, 3)}},
		{"x.csv", people, Options{Inputs: list("1-2", "4"), Targets: list("class"), Classes: true}, table{x: []float64{1, 30, 1.5, 2, 40, 1.75, 3, 50, 2}, labels: list("a", "b", "a")}},
		{"x.csv", people, Options{Inputs: list("4", "1"), Targets: list("name"), Classes: true}, table{x: []float64{1.5, 1, 1.75, 2, 2, 3}, labels: list("ann", "bob", "cy")}},
		{"x.csv", people, Options{Inputs: list("1-2"), Targets: list("4-4")}, table{x: []float64{1, 30, 2, 40, 3, 50}, y: []float64{1.5, 1.75, 2}}},
		{"x.csv", people, Options{Inputs: list("id"), Targets: list("age"), Classes: true}, table{x: count(1, 3), labels: list("30", "40", "50")}},

		{"x.csv", weighted, Options{Exclude: list("b"), Weight: "w", Targets: list("y")}, table{x: []float64{1, 4, 6, 9}, y: []float64{5, 10}, w: []float64{0.5, 0}}},
		{"x.csv", weighted, Options{Exclude: list("2-3"), Inputs: list("c", "1-2"), Targets: list("y")}, table{x: []float64{4, 1, 9, 6}, y: []float64{5, 10}}},
		{"x.npy", weightedArray, Options{Exclude: list("2"), Weight: "3", Targets: list("5")}, table{x: []float64{1, 4, 6, 9}, y: []float64{5, 10}, w: []float64{0.5, 0}}},
		{"x.npy", weightedArray, Options{Weight: "3"}, table{x: []float64{1, 2, 4, 5, 6, 7, 9, 10}, w: []float64{0.5, 0}}},

		{"x.npy", array, Options{Targets: list("4")}, table{x: []float64{0, 1, 2, 4, 5, 6, 8, 9, 10}, y: []float64{3, 7, 11}}},
		{"x.npy", array, Options{Targets: list("1"), Classes: true}, table{x: []float64{1, 2, 3, 5, 6, 7, 9, 10, 11}, labels: list("0", "4", "8")}},
		{"x.npy", array, Options{Inputs: list("3", "1"), Targets: list("2", "4")}, table{x: []float64{2, 0, 6, 4, 10, 8}, y: []float64{1, 3, 5, 7, 9, 11}}},
		{"x.npy", x, beside("y.npy", names, true), table{x: count(1, 6), labels: list("ab", "c", "de")}},
		{"x.npy", x, beside("y.npy", append(npyHeader(1, "|b1", false, 3, 1), 1, 0, 1), true), table{x: count(1, 6), labels: list("True", "False", "True")}},
		{"x.npy", x, beside("y.npy", append(npyHeader(1, "|i1", false, 3), 1, 0xff, 2), true), table{x: count(1, 6), labels: list("1", "-1", "2")}},
		{"x.npy", x, beside("y.npy", x, false), table{x: count(1, 6), y: count(1, 6)}},
		{"x.npy", x, beside("y.csv", []byte("t\n7\n8\n9\n"), false), table{x: count(1, 6), y: count(7, 3)}},
		{"x.npy", x, beside("y.csv", []byte("a\nb\nc"), true), table{x: count(1, 6), labels: list("a", "b", "c")}},
		{"x.npy", x, beside("labels.idx", idxFile(8, []byte{7, 0, 200}, 3), true), table{x: count(1, 6), labels: list("7", "0", "200")}},

		{"x.npz", stored, Options{}, table{x: count(1, 6)}}, {"x.npz", deflated, Options{}, table{x: count(1, 6)}},
		{"x.npz", deflated, Options{Targets: list("names"), Classes: true, InputArray: "X"}, table{x: count(1, 6), labels: list("ab", "c", "de")}},
		{"x.npz", deflated, Options{Targets: list("y"), Classes: true}, table{x: count(1, 6), labels: list("5", "6", "7")}},
		{"x.npz", deflated, beside("y.npz", deflated, false), table{x: count(1, 6), y: count(5, 3)}},
		{"x.npz", stored, Options{Targets: list("2")}, table{x: []float64{1, 3, 5}, y: []float64{2, 4, 6}}},
		{"x.npz", only, Options{Targets: list("y")}, table{x: count(1, 6), y: count(5, 3)}},
	} {
		wantTable(t, []string{write(t, test.file, test.data)}, test.opt, test.want)
		if test.file != "x.npz" {
			wantTable(t, []string{write(t, test.file+".gz", zipped(test.data))}, test.opt, test.want)
		}
	}
	// To search a list for each name would take minutes.
	many, back := make([]string, 1<<18), make([]string, 1<<18)
	for i := range many {
		many[i], back[i] = fmt.Sprint("c", i), fmt.Sprint("c", len(many)-1-i)
	}
	if c, err := (&Options{Inputs: back}).choose(many, len(many)); err != nil || c.inputs[0] != len(many)-1 {
		t.Errorf("%d names in reverse: %v", len(many), err)
	}
}

// TestColumnFaults selects columns that do not exist or contradict each other.
func TestColumnFaults(t *testing.T) {
	path := write(t, "people.csv", []byte("id,age,name,height,class\n1,30,ann,1.5,a\n"))
	for _, test := range []struct {
		opt  Options
		says string
	}{
		{Options{Inputs: []string{"weight"}}, `no column named "weight"; it has "id", "age"`},
		{Options{Inputs: []string{"6"}}, "the selection 6 is out of range; the last column is 5"},
		{Options{Inputs: []string{"0"}}, "columns are numbered from 1"},
		{Options{Inputs: []string{"4-2"}}, "put the lower column first"},
		{Options{Inputs: []string{"99999999999999999999"}}, "the last column is 5"},
		{Options{Inputs: []string{"1", "id"}}, "named twice"},
		{Options{Targets: []string{"1-5"}}, "no input column is left"},
		{Options{Inputs: []string{}}, "the list of input columns is empty"},
		{Options{Inputs: []string{"1"}, Targets: []string{"2", "5"}, Classes: true}, "2 target columns, but a sample has one label"},
		{Options{Exclude: []string{"id"}, Targets: []string{"id"}}, "is excluded, but"},
		{Options{Weight: "1-2"}, "name only one"},
		{Options{Exclude: []string{"id"}, Inputs: []string{"id"}}, "no input column is left"},
	} {
		_, err := Open(t.Context(), []string{path}, test.opt)
		wantFault(t, fmt.Sprintf("%+v", test.opt), err, test.says)
	}
}

// TestBadWeights leaves out the samples with invalid weights, from a text without quotation marks, from
// one with, and from an array.
func TestBadWeights(t *testing.T) {
	text := "1,2\n2,-1\n3,\n4,x\n5,0\n"
	array := append(npyHeader(1, "<f8", false, 3, 2), float64s(1, 2, 2, -1, 5, 0)...)
	for _, data := range []string{text, strings.Replace(text, "5,0", `5,"0"`, 1), string(array)} {
		bad := 0
		all, err := loadEach(t, "-", Options{Weight: "2", Stdin: strings.NewReader(data), Header: HeaderAbsent,
			Bad: func(e *Error) error {
				if bad++; e.Column != 2 {
					t.Errorf("%v", e)
				}
				return nil
			}})
		if err != nil || !slices.Equal(all.x, []float64{1, 5}) || !slices.Equal(all.w, []float64{2, 0}) || bad == 0 {
			t.Errorf("%.20q: %+v, %v, %d bad samples", data, all, err, bad)
		}
	}
}

// FuzzColumns looks up any columns among any names: the result is an *Error of bounded length, or
// existing columns, each once.
func FuzzColumns(f *testing.F) {
	f.Add("a\nb\nc", "a:b", "c")
	f.Add("a\na\nb:c", "b:c", "3-")
	f.Add("1\n2", "2-1", "-")
	f.Add(strings.Repeat("column\n", 20), "Colum", "0")
	f.Add(strings.Repeat("é", 100)+strings.Repeat("\nx", 9), strings.Repeat("é", 99), ":")
	f.Add("", "9223372036854775808", "1-9223372036854775807")
	f.Fuzz(func(t *testing.T, header, inputs, targets string) {
		names := strings.Split(header, "\n")
		for _, known := range [][]string{names, nil} {
			q := Options{Inputs: []string{inputs}, Targets: []string{targets}}
			c, err := q.choose(known, len(names))
			if err != nil {
				if _, ok := err.(*Error); !ok || len(err.Error()) > 8000+4*len(inputs)+4*len(targets) {
					t.Errorf("error %.300v", err)
				}
				continue
			}
			seen := map[int]bool{}
			for _, col := range append(c.inputs, c.targets...) {
				if col < 0 || col >= len(names) || seen[col] {
					t.Fatalf("%q of %q: columns %v and %v", []string{inputs, targets}, names, c.inputs, c.targets)
				}
				seen[col] = true
			}
		}
	})
}
