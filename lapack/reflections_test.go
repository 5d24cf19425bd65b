package lapack

import (
	"fmt"
	"math"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/testmat"

	"gonum.org/v1/gonum/blas"
	gonumlapack "gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
)

// orthogonal has the routines for a QR factorization, or for an LQ factorization by the names of the
// QR factorization of the transpose. Matrices have gaps between their rows, which stay as they are,
// and the workspace is the shortest and holds NaN.
type orthogonal struct {
	gonumlapack.Float64
	t  *testing.T
	lq bool
}

// on calls do with a matrix in storage, in which an LQ factorization has the transpose.
func (o orthogonal) on(a *full, do func(rows, cols int, x []float64, ld int)) *full {
	turn := func(a *full) *full {
		if o.lq {
			return a.T()
		}
		return a
	}
	h := hold(turn(a), turn(a).C+3, whole)
	do(h.r, h.c, h.x, h.ld)
	return turn(h.after(o.t, "reflections"))
}

// factor returns what Dgeqrf, or Dgelqf, makes of A.
func (o orthogonal) factor(a *full) (v *full, tau []float64) {
	k := min(a.R, a.C)
	tau = nans(k)[:k]
	return o.on(a, func(m, n int, x []float64, ld int) {
		if o.lq {
			o.Dgelqf(m, n, x, ld, tau, nans(m), max(1, m))
		} else {
			o.Dgeqrf(m, n, x, ld, tau, nans(n), max(1, n))
		}
	}), tau
}

// form returns the first n columns of the product of the first reflections in v.
func (o orthogonal) form(v *full, tau []float64, n int) *full {
	k := len(tau)
	q := testmat.New(v.R, n)
	for i := range q.R {
		copy(q.Row(i)[:k], v.Row(i))
	}
	return o.on(q, func(m, n int, x []float64, ld int) {
		if o.lq {
			o.Dorglq(m, n, k, x, ld, tau, nans(m), max(1, m))
		} else {
			o.Dorgqr(m, n, k, x, ld, tau, nans(n), max(1, n))
		}
	})
}

// multiply returns op(Q) C, or C op(Q) on the right.
func (o orthogonal) multiply(side blas.Side, t blas.Transpose, v *full, tau []float64, c *full) *full {
	k := len(tau)
	part, x := v.Part(0, 0, v.R, k), hold(c, c.C+2, whole)
	lwork := c.C
	if side == blas.Right {
		lwork = c.R
	}
	after := o.on(part, func(_, _ int, v []float64, ld int) {
		if o.lq { // which has Qᵀ
			t := map[blas.Transpose]blas.Transpose{blas.Trans: blas.NoTrans, blas.NoTrans: blas.Trans}[t]
			o.Dormlq(side, t, c.R, c.C, k, v, ld, tau, x.x, x.ld, nans(lwork), lwork)
		} else {
			o.Dormqr(side, t, c.R, c.C, k, v, ld, tau, x.x, x.ld, nans(lwork), lwork)
		}
	})
	if !testmat.SameBits(after.X, part.X) {
		o.t.Errorf("%d×%d: the reflections were changed", v.R, k)
	}
	return x.after(o.t, "C")
}

// check factors A and tests it by LAPACK's ratios: of A - Q R, of QᵀQ - I, and of products with Q
// from both sides. The reflections are LAPACK's: gonum's routines make the same Q of them.
func (o orthogonal) check(name string, a *full) {
	t := o.t
	t.Helper()
	v, tau := o.factor(a)
	k, size := len(tau), float64(max(1, a.R, a.C))*eps
	if k == 0 {
		return
	}
	small := func(what string, ratio float64) {
		t.Helper()
		checkRatio(t, name+": "+what, ratio)
	}
	r := testmat.New(k, a.C)
	for i := range a.R {
		for j, x := range v.Row(i) {
			if i <= j {
				r.Set(i, j, x)
			} else if !(math.Abs(x) <= 1+4*eps) {
				t.Fatalf("%s: element (%d, %d) of V is %v", name, i, j, x)
			}
		}
	}
	for i, f := range tau {
		if !(f == 0 || 1-4*eps <= f && f <= 2+4*eps) {
			t.Fatalf("%s: factor %d is %v", name, i, f)
		}
	}
	q := o.form(v, tau, k)
	small("A - QR", testmat.ProductRatio(a, q, r))
	small("QᵀQ - I", testmat.OrthogonalRatio(q))
	other := orthogonal{gonum.Implementation{}, t, o.lq}
	small("Q of gonum's routine", testmat.Over(q.Sub(other.form(v, tau, k)).Norm(), size))
	if a.R > 300 {
		return // what follows has all of Q
	}
	all := o.form(v, tau, a.R)
	small("all of Q", testmat.OrthogonalRatio(all))
	rng := testutil.Rand(uint64(a.R))
	c := testmat.Random(rng, a.R, 1+rng.IntN(40))
	product := func(what string, got, want *full) {
		t.Helper()
		small(what, testmat.Over(got.Sub(want).Norm(), size, want.Norm(), math.Sqrt(float64(a.R))))
	}
	product("Q C", o.multiply(blas.Left, blas.NoTrans, v, tau, c), all.Mul(c))
	product("QᵀC", o.multiply(blas.Left, blas.Trans, v, tau, c), all.T().Mul(c))
	c = c.T()
	product("C Q", o.multiply(blas.Right, blas.NoTrans, v, tau, c), c.Mul(all))
	product("C Qᵀ", o.multiply(blas.Right, blas.Trans, v, tau, c), c.Mul(all.T()))
	product("QᵀC by gonum's routine", o.multiply(blas.Right, blas.NoTrans, v, tau, c), other.multiply(blas.Right, blas.NoTrans, v, tau, c))
}

// reflectionShapes are around the orders from which on the routines are ours, and around blocks of 32
// and 64 reflections.
func reflectionShapes() (all [][2]int) {
	for n := range 12 {
		all = append(all, [2]int{n, n}, [2]int{n + 1, n}, [2]int{200, n})
	}
	for _, n := range []int{16, 31, 32, 33, 64, 65, 89, 90, 91, 96, 97, 129} {
		all = append(all, [2]int{n, n}, [2]int{n + 1, n}, [2]int{300 - n, n})
	}
	return append(all, [2]int{1100, 63}, [2]int{1030, 130})
}

// Reflections of all spectra, and least squares where the condition number is known.
func TestReflections(t *testing.T) {
	testutil.NotUnderRace(t, "computing in one goroutine, or in those of products")
	conditions := map[string]float64{"identity": 1, "geometric": 1e3, "graded": 1e12}
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		useBLAS(t, bk)
		rng := testutil.Rand(261)
		for k, shape := range reflectionShapes() {
			for i, s := range testmat.Spectra() {
				cond := conditions[s.Name]
				chosen := (i+k)%12 == 0 || cond > 0 && (i+k)%9 == 0
				if !chosen && !testutil.Long() && (shape[0] > 12 || shape[0] > 6 && (i+k)%4 != 0) {
					continue
				}
				a := s.General(rng, shape[0], shape[1])
				for _, a := range []*full{a, a.T()} {
					for _, lq := range []bool{false, true} {
						o, name := orthogonal{Implementation{Backend: bk}, t, lq}, fmt.Sprintf("%s %d×%d, LQ %v", s.Name, a.R, a.C, lq)
						o.check(name, a)
						if cond > 0 && shape[1] > 0 {
							o.checkGels(name, a, testmat.Random(rng, a.R, 1+rng.IntN(20)), cond)
						}
					}
				}
			}
		}
	})
}

// NaN and infinities reach R from their column on, and no column before it, and nothing hangs.
func TestReflectionsNotFinite(t *testing.T) {
	rng := testutil.Rand(267)
	for _, n := range []int{100, 150} {
		testmat.NotFinite(rng, n, false, func(a *full) {
			at := 0
			for i, v := range a.X {
				if v-v != 0 {
					at = i % n
				}
			}
			for _, lq := range []bool{false, true} {
				v, tau := orthogonal{Implementation{Backend: fastBLAS(t)}, t, lq}.factor(a)
				for j, f := range tau {
					for i, x := range v.T().Row(j)[:j+1] {
						if j < at && (x-x != 0 || f-f != 0) {
							t.Errorf("n=%d: element (%d, %d) of R is %v, where column %d is not finite", n, i, j, x, at)
						}
					}
				}
				if r := v.At(n-1, n-1); r-r == 0 {
					t.Errorf("n=%d: the last element of R is %v", n, r)
				}
			}
		})
	}
}
