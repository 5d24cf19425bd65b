package block

import (
	"testing"

	"blskernel/internal/testutil"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// TestOverlap compares Overlap and Same with a check of all elements, for views of one slice. Overlap
// may wrongly report an overlap only if the strides differ.
func TestOverlap(t *testing.T) {
	const length = 24
	data := make([]float64, length)
	var views []blas64.General
	var held [][length]bool
	for _, stride := range []int{1, 4, 5} {
		for rows := 0; rows <= 3; rows++ {
			for cols := 0; cols <= stride; cols++ {
				for at := 0; at+max(0, rows-1)*stride+cols <= length; at++ {
					views = append(views, blas64.General{Rows: rows, Cols: cols, Stride: stride, Data: data[at:]})
					var has [length]bool
					for i := range rows {
						for j := range cols {
							has[at+i*stride+j] = true
						}
					}
					held = append(held, has)
				}
			}
		}
	}
	for i, a := range views {
		for j, b := range views {
			want := false
			for k := range length {
				want = want || held[i][k] && held[j][k]
			}
			same := i == j || a.Rows == 1 && b.Rows == 1 && a.Cols == b.Cols && cap(a.Data) == cap(b.Data)
			if len(a.Data) > 0 && len(b.Data) > 0 && Same(a, b) != same {
				t.Fatalf("%+v and %+v are the same: %v", a, b, !same)
			}
			if got := Overlap(a, b); got != want && (want || a.Stride == b.Stride) {
				t.Fatalf("%dx%d, stride %d, and %dx%d, stride %d, %d elements apart: %v", a.Rows, a.Cols, a.Stride, b.Rows, b.Cols, b.Stride, cap(a.Data)-cap(b.Data), got)
			}
		}
	}
}

// TestReuse checks that Reuse resizes an empty matrix, unless the storage that it keeps overlaps an
// operand, and refuses a matrix of another size.
func TestReuse(t *testing.T) {
	data := make([]float64, 12)
	operand := blas64.General{Rows: 2, Cols: 2, Stride: 2, Data: data[4:8]}
	kept := func(from, to int) *mat.Dense {
		d := mat.NewDense(1, to-from, data[from:to:to])
		d.Reset()
		return d
	}
	for _, tc := range []struct {
		name  string
		dst   *mat.Dense
		r, c  int
		panic any
	}{
		{"new", &mat.Dense{}, 2, 3, nil},
		{"no rows", &mat.Dense{}, 0, 3, nil},
		{"no columns", &mat.Dense{}, 2, 0, nil},
		{"the same size", mat.NewDense(2, 3, nil), 2, 3, nil},
		{"other rows", mat.NewDense(2, 3, nil), 3, 3, mat.ErrShape},
		{"other columns", mat.NewDense(2, 3, nil), 2, 2, mat.ErrShape},
		{"storage before the operand", kept(0, 4), 2, 2, nil},
		{"storage after the operand", kept(8, 12), 2, 2, nil},
		{"the operand's first element", kept(0, 5), 1, 5, "overlap"},
		{"the operand's last element", kept(7, 12), 1, 5, "overlap"},
		{"only what is used overlaps", kept(0, 5), 2, 2, nil},
		{"too little to be used", kept(3, 6), 2, 2, nil},
	} {
		if got := testutil.PanicValue(func() { Reuse(tc.dst, tc.r, tc.c, "overlap", operand) }); got != tc.panic {
			t.Errorf("%s: panics with %v; want %v", tc.name, got, tc.panic)
		}
		if r, c := tc.dst.Dims(); tc.panic == nil && tc.r*tc.c > 0 && (r != tc.r || c != tc.c) {
			t.Errorf("%s: %d×%d", tc.name, r, c)
		}
	}
}
