package lapack

import (
	"fmt"
	"math"
	"testing"

	"blskernel"
	"blskernel/internal/backend"
	"blskernel/internal/block"
	"blskernel/internal/lapack"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"

	"gonum.org/v1/gonum/blas"
)

// withLibrary adds an order for which bk's own LAPACK is used, if bk has one.
func withLibrary(bk blskernel.Backend, orders ...int) []int {
	if _, ok := backend.ColumnMajor(bk); ok {
		return append(orders, 400)
	}
	return orders
}

// The routines for dense triangles with BLAS arguments.
func dpotrf(bk blskernel.Backend, ul blas.Uplo, n int, a []float64, lda int) int {
	return lapack.Potrf(lapack.On(bk), ul, lapack.Base, n, block.Dense(a, lda))
}

func dpotri(bk blskernel.Backend, ul blas.Uplo, n int, a []float64, lda int) {
	lapack.Potri(lapack.On(bk), ul, lapack.Base, n, block.Dense(a, lda))
}

func dtrtri(bk blskernel.Backend, ul blas.Uplo, diag blas.Diag, n int, a []float64, lda int) {
	lapack.Trtri(lapack.On(bk), ul, diag, n, block.Dense(a, lda))
}

func dtrsm(bk blskernel.Backend, side blas.Side, ul blas.Uplo, t blas.Transpose, diag blas.Diag,
	n, nrhs int, alpha float64, a []float64, lda int, b []float64, ldb int,
) {
	lapack.Trsm(lapack.On(bk), side, ul, t, diag, n, nrhs, alpha, block.Dense(a, lda), block.Dense(b, ldb))
}

// eachTriangle runs f for both triangles and, for the smaller orders, for two leading dimensions.
func eachTriangle(n int, f func(name string, ul blas.Uplo, lda int)) {
	for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
		f(fmt.Sprintf("n=%d %c", n, ul), ul, n+3)
		if n <= 40 {
			f(fmt.Sprintf("n=%d %c lda=n", n, ul), ul, max(n, 1))
		}
	}
}

// A guarded is a triangle in row-major storage that is NaN everywhere else: in the other triangle,
// between the rows, before and after. A unit diagonal is NaN too.
type guarded struct {
	ul     blas.Uplo
	n, lda int
	unit   bool
	all    []float64
	a      []float64
}

const guardLength = 5

func newGuarded(ul blas.Uplo, n, lda int, unit bool, at func(i, j int) float64) *guarded {
	g := &guarded{ul: ul, n: n, lda: lda, unit: unit}
	length := 0
	if n > 0 {
		length = (n-1)*lda + n
	}
	g.all = make([]float64, length+2*guardLength)
	for i := range g.all {
		g.all[i] = math.NaN()
	}
	g.a = g.all[guardLength : guardLength+length : guardLength+length]
	for i := range n {
		for j := range n {
			if g.stored(i, j) {
				g.a[i*lda+j] = at(i, j)
			}
		}
	}
	return g
}

func (g *guarded) stored(i, j int) bool {
	switch {
	case i == j:
		return !g.unit
	case g.ul == blas.Upper:
		return i < j
	default:
		return i > j
	}
}

// check tests that every element outside is as it was, to the bit.
func (g *guarded) check(t *testing.T, name string) {
	t.Helper()
	nan := math.Float64bits(math.NaN())
	for k, v := range g.all {
		at := k - guardLength
		if at >= 0 && at < len(g.a) && at%g.lda < g.n && g.stored(at/g.lda, at%g.lda) {
			continue
		}
		if math.Float64bits(v) != nan {
			t.Fatalf("%s: element %d, outside of the triangle, was written: %v", name, at, v)
		}
	}
}

// triangular returns the triangular matrix, symmetric the symmetric one.
func (g *guarded) triangular() *full {
	f := newFull(g.n, g.n)
	for i := range g.n {
		for j := range g.n {
			switch {
			case g.stored(i, j):
				f.set(i, j, g.a[i*g.lda+j])
			case i == j:
				f.set(i, j, 1)
			}
		}
	}
	return f
}

func (g *guarded) symmetric() *full {
	f := g.triangular()
	for i := range g.n {
		for j := range g.n {
			if !g.stored(i, j) {
				f.set(i, j, f.at(j, i))
			}
		}
	}
	return f
}

// upper returns the upper triangular factor.
func (g *guarded) upper() *full {
	if g.ul == blas.Lower {
		return g.triangular().transpose()
	}
	return g.triangular()
}

// pivot tests that the Cholesky factorization ends at pivot p.
func (g *guarded) pivot(t *testing.T, name string, bk blskernel.Backend, p int) {
	t.Helper()
	if got := dpotrf(bk, g.ul, g.n, g.a, g.lda); got != p {
		t.Fatalf("%s: found pivot %d, want %d", name, got, p)
	}
	g.check(t, name)
}

// The first pivot that fails is found wherever it is, and left on the diagonal as it was found.
func TestDensePotrfPivot(t *testing.T) {
	backends.OnKernels(t, func(t *testing.T, bk blskernel.Backend) {
		for _, n := range withLibrary(bk, 1, 2, 8, 9, 16, 17, 65, 127, 128, 129, 200) {
			for p := 0; p < n; p += 1 + n/7 {
				for _, bad := range []float64{-1, 0, math.NaN(), math.Inf(1), math.Inf(-1)} {
					eachTriangle(n, func(name string, ul blas.Uplo, lda int) {
						name = fmt.Sprintf("%s pivot %d = %v", name, p, bad)
						// Row and column p are zero off the diagonal, so the
						// pivot is what is given.
						g := newGuarded(ul, n, lda, false, func(i, j int) float64 {
							switch {
							case i == p && j == p:
								return bad
							case i == p || j == p:
								return 0
							case i == j:
								return 4
							}
							return 1 / float64(n+i+j)
						})
						g.pivot(t, name, bk, p)
						if v := g.a[p*lda+p]; v != bad && !(v != v && bad != bad) {
							t.Errorf("%s: left %v on the diagonal", name, v)
						}
					})
				}
			}
		}
	})
}

// A NaN beside the diagonal spoils the pivot of its column, or row, and no pivot before it.
func TestDensePotrfNaN(t *testing.T) {
	backends.OnKernels(t, func(t *testing.T, bk blskernel.Backend) {
		for _, n := range withLibrary(bk, 2, 9, 17, 65, 130) {
			for p := 1; p < n; p += 1 + n/10 {
				for _, q := range []int{0, p / 2, p - 1} {
					eachTriangle(n, func(name string, ul blas.Uplo, lda int) {
						g := newGuarded(ul, n, lda, false, func(i, j int) float64 {
							switch {
							case min(i, j) == q && max(i, j) == p:
								return math.NaN()
							case i == j:
								return 4
							}
							return 1 / float64(n+i+j)
						})
						g.pivot(t, fmt.Sprintf("%s: NaN at (%d, %d)", name, q, p), bk, p)
					})
				}
			}
		}
	})
}

// The factor, its inverse and the inverse of a triangle for orders above the base of the recursion, and
// one that goes to bk's own LAPACK: residuals as in FuzzDenseTriangles, and nothing outside of the
// triangle is written.
func TestDenseInverses(t *testing.T) {
	backends.OnKernels(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(107)
		for _, n := range withLibrary(bk, 129, 200, 257) {
			spd, triangle := symSpectrum(rng, n, func(i int) float64 { return 1 + float64(i) }), triangleOf(rng, n)
			eachTriangle(n, func(name string, ul blas.Uplo, lda int) {
				g := newGuarded(ul, n, lda, false, spd.at)
				g.pivot(t, name, bk, -1)
				u := g.upper()
				if r := over(spd.sub(u.transpose().mul(u)).norm(), float64(n)*eps, spd.norm()); !(r <= ratioBound) {
					t.Errorf("%s: ‖A - UᵀU‖/(n ‖A‖ eps) = %.3g", name, r)
				}
				dpotri(bk, ul, n, g.a, lda)
				g.check(t, name+" dpotri")
				checkInverse(t, name+" dpotri", spd, g.symmetric())
				for _, diag := range []blas.Diag{blas.NonUnit, blas.Unit} {
					g := newGuarded(ul, n, lda, diag == blas.Unit, func(i, j int) float64 {
						return triangle.at(min(i, j), max(i, j))
					})
					before := g.triangular()
					dtrtri(bk, ul, diag, n, g.a, lda)
					g.check(t, name+" dtrtri")
					checkInverse(t, name+" dtrtri", before, g.triangular())
				}
			})
		}
	})
}

// ‖alpha B - op(A) X‖ <= 30 n eps ‖A‖ ‖X‖ on either side, for orders that are halved.
func TestDenseTrsm(t *testing.T) {
	backends.OnKernels(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(109)
		for form := range 16 {
			ul, tr := [2]blas.Uplo{blas.Upper, blas.Lower}[form&1], [2]blas.Transpose{blas.NoTrans, blas.Trans}[form>>1&1]
			diag := [2]blas.Diag{blas.NonUnit, blas.Unit}[form>>2&1]
			n := [2]int{block.Size + 1, 2*block.Size + 5}[form>>3]
			const nrhs, alpha = 3, -0.5
			name := fmt.Sprintf("n=%d %c %c %c", n, ul, tr, diag)
			g := newGuarded(ul, n, n+3, diag == blas.Unit, func(i, j int) float64 {
				if i == j {
					return 1 + rng.Float64()
				}
				return rng.NormFloat64() / float64(n)
			})
			op, b := g.triangular(), randomFull(rng, n, nrhs)
			if tr == blas.Trans {
				op = op.transpose()
			}
			x, y, want := fullOf(b.dense()), b.transpose(), newFull(n, nrhs)
			for i, v := range b.x {
				want.x[i] = alpha * v
			}
			dtrsm(bk, blas.Left, ul, tr, diag, n, nrhs, alpha, g.a, g.lda, x.x, nrhs)
			checkSolution(t, name+" left", op, x, want)
			// X op(A) = alpha Bᵀ is op(A)ᵀ Xᵀ = alpha B.
			dtrsm(bk, blas.Right, ul, tr, diag, n, nrhs, alpha, g.a, g.lda, y.x, n)
			checkSolution(t, name+" right", op.transpose(), y.transpose(), want)
			g.check(t, name)
		}
	})
}
