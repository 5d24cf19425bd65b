package cholesky

import (
	"math"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"

	"gonum.org/v1/gonum/floats"
)

// TestStep compares the vector operations of a step with the loop for short columns.
func TestStep(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		r := testutil.Rand(73)
		const n = 100
		for _, size := range []float64{1e-3, 1, 1e6} {
			for _, sign := range []float64{1, -1} {
				if sign < 0 && size > 0.1 {
					continue // more than there is
				}
				f, rows, bs := testutil.Random(r, 1, n).RawRowView(0), testutil.Random(r, 1, n).RawRowView(0), testutil.Random(r, 1, n).RawRowView(0)
				floats.Scale(size/dense.Norm(rows), rows)
				floats.Scale(1/dense.Norm(f), f)
				f2, b2 := append([]float64(nil), f...), append([]float64(nil), bs...)
				row := sweptRow{a: rows, b: bs, alpha: 1.5}
				row.step(b, sign, 2, f)
				s := 0.0
				for i := range f2 {
					s += 2 * f2[i] * rows[i]
				}
				after := 1.5 + sign*s*s
				root := math.Sqrt(1.5 * after)
				combine(f2, b2, 1.5/root, sign*s/root, s)
				// s is a sum of n terms, of size at most size, which is divided by its
				// own size in the column.
				const tolerance = 20 * n * dense.Eps
				for i := range f {
					if !(math.Abs(f[i]-f2[i]) <= tolerance && math.Abs(bs[i]-b2[i]) <= tolerance*(1+size)) {
						t.Fatalf("size=%g sign=%g: element %d is %v, %v, want %v, %v", size, sign, i, f[i], bs[i], f2[i], b2[i])
					}
				}
			}
		}
	})
}
