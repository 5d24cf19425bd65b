package stream

import (
	"io"
	"slices"
	"strings"
	"testing"
)

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
		{text, classes, nil, nil, nil},
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
