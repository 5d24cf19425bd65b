package qr

import (
	"fmt"
	"math"
	"testing"

	"blskernel"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/testmat"

	"gonum.org/v1/gonum/blas"
)

// TestGeqp3 checks that Q R = A P and that no remaining column is longer than the pivot, for sizes
// around whole panels. Columns that nearly repeat others make norms lose digits, so panels end early.
func TestGeqp3(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		bk, rng := factor.On(b), testutil.Rand(81)
		for _, s := range [][3]int{
			{1, 1, 0}, {1, 5, 0}, {5, 1, 0}, {31, 33, 0}, {33, 31, 0}, {64, 64, 0}, {100, 97, 0}, {40, 130, 0}, {130, 40, 0},
			{20, 20, 3}, {70, 60, 40}, {10, 30, 10}, {10, 30, 20},
		} {
			m, n, fixed := s[0], s[1], s[2]
			for _, near := range []float64{1, 1e-3, 1e-9, 0} {
				name := fmt.Sprintf("%d×%d, %d fixed, near %g", m, n, fixed, near)
				a, noise := testmat.Random(rng, m, n), testmat.Random(rng, m, n)
				for j := n / 3; j < n; j++ {
					for i := range m {
						a.Set(i, j, a.At(i, j%(n/3+1))+near*noise.At(i, j))
					}
				}
				x := layout(false).store(a)
				order, tau := factor.Indices(n), make([]float64, min(m, n))
				Geqp3(bk, fixed, m, n, x, order, tau)
				r := layout(false).load(x, m, n).Upper(0)
				q := layout(false).store(r)
				Reflections(false, m, x, tau).Ormqr(bk, blas.Left, blas.NoTrans, n, q)
				p := testmat.Func(m, n, func(i, j int) float64 { return a.At(i, order[j]) })
				if d := layout(false).load(q, m, n).Sub(p).Norm(); !(d <= 1e-14*float64(m+n)*(p.Norm()+1)) {
					t.Errorf("%s: Q R is not A P by %g", name, d)
				}
				for j := range min(fixed, n) {
					if order[j] != j {
						t.Errorf("%s: a fixed column has moved", name)
					}
				}
				for i := fixed; i < min(m, n); i++ {
					for j := i; j < n; j++ {
						left := 0.0
						for s := i; s <= min(j, m-1); s++ {
							left = math.Hypot(left, r.At(s, j))
						}
						if !(left <= math.Abs(r.At(i, i))*(1+1e-6)+1e-13*p.Norm()) {
							t.Errorf("%s: pivot %d is %g, and column %d has %g left", name, i, r.At(i, i), j, left)
						}
					}
				}
			}
		}
	})
}
