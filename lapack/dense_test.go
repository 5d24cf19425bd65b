package lapack

import (
	"fmt"
	"math"
	"testing"

	"blskernel"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/factor/cholesky"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/testmat"

	"gonum.org/v1/gonum/blas"
)

// potrf tests that the Cholesky factorization of triangle ul in g fails at pivot p, or succeeds for -1.
func potrf(t *testing.T, name string, bk blskernel.Backend, ul blas.Uplo, g *held, p int) {
	t.Helper()
	if got := cholesky.Potrf(factor.On(bk), ul, factor.Base, g.R, block.Dense(g.X, g.Ld)); got != p {
		t.Fatalf("%s: found pivot %d, want %d", name, got, p)
	}
	g.Check(t, name)
}

// The first pivot that fails is found wherever it is, and left on the diagonal as it was found. A NaN
// off the diagonal spoils the pivot of its column, or row, and no pivot before it.
func TestDensePotrfPivot(t *testing.T) {
	testutil.NotUnderRace(t, "computing in one goroutine")
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		orders := []int{1, 2, 8, 9, 17, 65, 127, 128, 129, 200}
		for _, n := range orders {
			for p := 0; p < n; p += 1 + n/7 {
				for k, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
					lda := n + 3*((k+p)%2)
					name := fmt.Sprintf("n=%d %c lda=%d pivot %d", n, ul, lda, p)
					of := func(at func(i, j int) float64) *held {
						return newGuarded(ul, n, lda, false, func(i, j int) float64 {
							switch v := at(min(i, j), max(i, j)); {
							case v != 0 || i == p && j == p:
								return v
							case i == j:
								return 4
							}
							return 1 / float64(n+i+j)
						})
					}
					for _, bad := range []float64{-1, 0, math.NaN(), math.Inf(1), math.Inf(-1)} {
						// Row and column p are nearly zero off the diagonal, so
						// the pivot is what is given.
						g := of(func(i, j int) float64 {
							switch {
							case i == p && j == p:
								return bad
							case i == p || j == p:
								return 0x1p-1000
							}
							return 0
						})
						potrf(t, name, bk, ul, g, p)
						if v := g.X[p*lda+p]; v != bad && !(v != v && bad != bad) {
							t.Errorf("%s = %v: left %v on the diagonal", name, bad, v)
						}
					}
					for _, q := range []int{0, p / 2, p - 1} {
						if q >= 0 && q < p {
							g := of(func(i, j int) float64 {
								if i == q && j == p {
									return math.NaN()
								}
								return 4 * testmat.Unless(i != p || j != p)
							})
							potrf(t, fmt.Sprintf("%s: NaN at (%d, %d)", name, q, p), bk, ul, g, p)
						}
					}
				}
			}
		}
	})
}
