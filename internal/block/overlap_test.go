package block

import (
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// Views of one storage against its elements one by one. The answer may be too careful only where the
// strides differ.
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
			if len(a.Data) > 0 && len(b.Data) > 0 && Same(a, b) != (i == j) {
				t.Fatalf("%+v and %+v are the same: %v", a, b, i != j)
			}
			if got := Overlap(a, b); got != want && (want || a.Stride == b.Stride) {
				t.Fatalf("%dx%d, stride %d, and %dx%d, stride %d, %d elements apart: %v", a.Rows, a.Cols, a.Stride, b.Rows, b.Cols, b.Stride, cap(a.Data)-cap(b.Data), got)
			}
		}
	}
}
