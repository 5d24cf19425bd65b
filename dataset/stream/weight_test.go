package stream

import (
	"io"
	"slices"
	"strings"
	"testing"

	"blskernel/internal/testutil"
)

// TestExcludeAndWeight reads the same samples with a weight and without some columns from a text and
// from an array.
func TestExcludeAndWeight(t *testing.T) {
	values := []float64{1, 2, 0.5, 4, 5, 6, 7, 0, 9, 10}
	text := write(t, "x.csv", []byte("a,b,w,c,y\n1,2,0.5,4,5\n6,7,0,9,10\n"))
	array := write(t, "x.npy", append(npyHeader(1, "<f8", false, 2, 5), float64s(values...)...))
	for _, test := range []struct {
		path string
		opt  Options
		x    []float64
	}{
		{text, Options{Exclude: []string{"b"}, Weight: "w", Targets: []string{"y"}}, []float64{1, 4, 6, 9}},
		{text, Options{Exclude: []string{"2-3"}, Inputs: []string{"c", "1-2"}, Targets: []string{"y"}}, []float64{4, 1, 9, 6}},
		{text, Options{Exclude: []string{"4-"}, Weight: "3"}, []float64{1, 2, 6, 7}},
		{array, Options{Exclude: []string{"2"}, Weight: "3", Targets: []string{"5"}}, []float64{1, 4, 6, 9}},
		{array, Options{Exclude: []string{"2-"}}, []float64{1, 6}},
		{array, Options{Weight: "3"}, []float64{1, 2, 4, 5, 6, 7, 9, 10}},
	} {
		r, err := Open(t.Context(), []string{test.path}, test.opt)
		testutil.NoError(t, err)
		b, err := r.Next(2)
		testutil.NoError(t, err)
		if !slices.Equal(b.X.RawMatrix().Data, test.x) {
			t.Errorf("%+v: X is %v, want %v", test.opt, b.X.RawMatrix().Data, test.x)
		}
		if want := []float64{0.5, 0}; (test.opt.Weight != "") != slices.Equal(b.Weights, want) {
			t.Errorf("%+v: the weights are %v", test.opt, b.Weights)
		}
		testutil.NoError(t, r.Close())
	}
}

// TestBadWeights leaves out the samples whose weights are none, from a text without quotation marks,
// from one with, and from an array.
func TestBadWeights(t *testing.T) {
	text := "1,2\n2,-1\n3,\n4,x\n5,0\n"
	array := append(npyHeader(1, "<f8", false, 3, 2), float64s(1, 2, 2, -1, 5, 0)...)
	for _, data := range []string{text, strings.Replace(text, "5,0", `5,"0"`, 1), string(array)} {
		bad := 0
		r, err := Open(t.Context(), []string{"-"}, Options{Weight: "2", Stdin: strings.NewReader(data), Header: HeaderAbsent,
			Bad: func(e *Error) error {
				if bad++; e.Column != 2 {
					t.Errorf("%v", e)
				}
				return nil
			}})
		testutil.NoError(t, err)
		b, err := r.Next(9)
		testutil.NoError(t, err)
		if !slices.Equal(b.X.RawMatrix().Data, []float64{1, 5}) || !slices.Equal(b.Weights, []float64{2, 0}) || bad == 0 {
			t.Errorf("%.20q: X %v, weights %v, %d bad samples", data, b.X.RawMatrix().Data, b.Weights, bad)
		}
		if _, err := r.Next(9); err != io.EOF {
			t.Error(err)
		}
		testutil.NoError(t, r.Close())
	}
}
