package qr

import (
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// The rotations themselves: [N; P] becomes [I; 0], and what is beside it is multiplied by an
// orthogonal matrix.
func TestRotations(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		for _, s := range []struct{ q, k, c int }{{1, 1, 1}, {1, 40, 3}, {5, 33, 2}, {minMultiplied, 70, omegaWidth + 3}, {lowRows + 9, 2*highRows + 5, 4}} {
			r := rand.New(rand.NewPCG(uint64(s.q), uint64(s.k)))
			x := testutil.Orthonormal(r, s.q+s.k, s.q)
			// The N of a QR factorization by its own orthogonal complement: N'N = I - P'P.
			p := dense.RowRange(x, s.q, s.q+s.k)
			var rest mat.Dense
			rest.Mul(p.T(), p)
			rest.Scale(-1, &rest)
			for i := range s.q {
				rest.Set(i, i, rest.At(i, i)+1)
			}
			var chol gonummat.Cholesky
			if !chol.Factorize(gonummat.NewSymDense(s.q, dense.Compact(&rest))) {
				t.Fatal("no Cholesky factor")
			}
			var u gonummat.TriDense
			chol.UTo(&u)
			n := gonummat.DenseCopyOf(&u)

			beside := testutil.Random(r, s.q+s.k, s.c)
			low, high := dense.Compact(dense.RowRange(beside, 0, s.q)), dense.Compact(dense.RowRange(beside, s.q, s.q+s.k))
			var np mat.Dense
			np.Stack(n, p)
			var before, after mat.Dense
			before.Mul(np.T(), beside)
			length := beside.Norm(2)
			d := rotations{b: b, q: s.q, k: s.k, n: dense.Compact(n), p: dense.Compact(p), others: []carried{{low: low, high: high, ldl: s.c, ldh: s.c, width: s.c}}}
			d.run()
			// [N; P] is the first q columns of the transposed matrix, so the low part of
			// the result is [N; P]ᵀ times what was there.
			after.Sub(mat.NewDense(s.q, s.c, low), &before)
			tol := 10 * math.Sqrt(float64(s.q+s.k)) * dense.Eps * length * 10
			if got := after.Norm(2); !(got <= tol) {
				t.Errorf("%+v: the rows at the bottom are off by %.2g, bound %.2g", s, got, tol)
			}
			if got := math.Abs(math.Hypot(dense.Norm(low), dense.Norm(high)) - length); !(got <= tol) {
				t.Errorf("%+v: the norm has changed by %.2g, bound %.2g", s, got, tol)
			}
			for i := range s.q {
				for j := range s.q {
					want := 0.0
					if i == j {
						want = 1
					}
					if got := d.n[i*s.q+j]; !(math.Abs(got-want) <= 1e-12) {
						t.Errorf("%+v: element (%d,%d) of N ends as %g", s, i, j, got)
					}
				}
			}
			if got := dense.Norm(d.p); !(got <= 1e-12) {
				t.Errorf("%+v: P ends with norm %g", s, got)
			}
		}
	})
}
