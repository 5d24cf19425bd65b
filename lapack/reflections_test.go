package lapack

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"

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

// orthogonalCalls returns calls of the routines.
func orthogonalCalls(side blas.Side, trans blas.Transpose, m, n, k int, a []float64, lda int, tau, c []float64, ldc int, work []float64, lwork int) map[string]func(impl gonumlapack.Float64) any {
	calls := map[string]func(impl gonumlapack.Float64) any{
		"Dgels": func(impl gonumlapack.Float64) any { return impl.Dgels(trans, m, n, k, a, lda, c, ldc, work, lwork) },
	}
	add := func(name string, f func(impl gonumlapack.Float64)) {
		calls[name] = func(impl gonumlapack.Float64) any { f(impl); return nil }
	}
	add("Dgeqrf", func(impl gonumlapack.Float64) { impl.Dgeqrf(m, n, a, lda, tau, work, lwork) })
	add("Dgelqf", func(impl gonumlapack.Float64) { impl.Dgelqf(m, n, a, lda, tau, work, lwork) })
	add("Dorgqr", func(impl gonumlapack.Float64) { impl.Dorgqr(m, n, k, a, lda, tau, work, lwork) })
	add("Dorglq", func(impl gonumlapack.Float64) { impl.Dorglq(m, n, k, a, lda, tau, work, lwork) })
	add("Dormqr", func(impl gonumlapack.Float64) { impl.Dormqr(side, trans, m, n, k, a, lda, tau, c, ldc, work, lwork) })
	add("Dormlq", func(impl gonumlapack.Float64) { impl.Dormlq(side, trans, m, n, k, a, lda, tau, c, ldc, work, lwork) })
	return calls
}

func nans(n int) []float64 {
	x := make([]float64, max(1, n))
	for i := range x {
		x[i] = math.NaN()
	}
	return x
}

// on calls do with a matrix in storage, in which an LQ factorization has the transpose.
func (o orthogonal) on(a *full, do func(rows, cols int, x []float64, ld int)) *full {
	if o.lq {
		a = a.transpose()
	}
	ld := a.c + 3
	x := []float64{0}
	if a.r > 0 {
		x = padded(a, ld)
	}
	do(a.r, a.c, x, ld)
	if a.r > 0 {
		a = unpadded(o.t, x, a.r, a.c, ld)
	}
	if o.lq {
		a = a.transpose()
	}
	return a
}

// factor returns what Dgeqrf, or Dgelqf, makes of A.
func (o orthogonal) factor(a *full) (v *full, tau []float64) {
	k := min(a.r, a.c)
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
	q := newFull(v.r, n)
	for i := range q.r {
		copy(q.row(i)[:k], v.row(i))
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
	part := newFull(v.r, k)
	for i := range v.r {
		copy(part.row(i), v.row(i))
	}
	order, lwork, ldc := c.r, c.c, c.c+2
	if side == blas.Right {
		order, lwork = c.c, c.r
	}
	x := padded(c, ldc)
	after := o.on(part, func(_, _ int, v []float64, ld int) {
		if o.lq { // which has Qᵀ
			t := map[blas.Transpose]blas.Transpose{blas.Trans: blas.NoTrans, blas.NoTrans: blas.Trans}[t]
			o.Dormlq(side, t, c.r, c.c, k, v, ld, tau, x, ldc, nans(lwork), lwork)
		} else {
			o.Dormqr(side, t, c.r, c.c, k, v, ld, tau, x, ldc, nans(lwork), lwork)
		}
	})
	if order != v.r || !sameBits(after.x, part.x) {
		o.t.Errorf("%d×%d: the reflections were changed", v.r, k)
	}
	return unpadded(o.t, x, c.r, c.c, ldc)
}

// check factors A and tests it by LAPACK's ratios: of A - Q R, of QᵀQ - I, and of products with Q
// from both sides. The reflections are LAPACK's: gonum's routines make the same Q of them.
func (o orthogonal) check(name string, a *full) {
	t := o.t
	t.Helper()
	v, tau := o.factor(a)
	k, size := len(tau), float64(max(1, a.r, a.c))*eps
	if k == 0 {
		return
	}
	small := func(what string, ratio float64) {
		t.Helper()
		if !(ratio <= ratioBound) {
			t.Errorf("%s: %s: ratio %.3g", name, what, ratio)
		}
	}
	r := newFull(k, a.c)
	for i := range a.r {
		for j, x := range v.row(i) {
			if i <= j {
				r.set(i, j, x)
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
	small("A - QR", over(a.sub(q.mul(r)).norm(), size, a.norm()))
	small("QᵀQ - I", orthogonalRatio(q))
	other := orthogonal{gonum.Implementation{}, t, o.lq}
	small("Q of gonum's routine", over(q.sub(other.form(v, tau, k)).norm(), size))
	if a.r > 300 {
		return // what follows has all of Q
	}
	all := o.form(v, tau, a.r)
	small("all of Q", orthogonalRatio(all))
	rng := testutil.Rand(uint64(a.r))
	c := randomFull(rng, a.r, 1+rng.IntN(40))
	product := func(what string, got, want *full) {
		t.Helper()
		small(what, over(got.sub(want).norm(), size, want.norm(), math.Sqrt(float64(a.r))))
	}
	product("Q C", o.multiply(blas.Left, blas.NoTrans, v, tau, c), all.mul(c))
	product("QᵀC", o.multiply(blas.Left, blas.Trans, v, tau, c), all.transpose().mul(c))
	c = c.transpose()
	product("C Q", o.multiply(blas.Right, blas.NoTrans, v, tau, c), c.mul(all))
	product("C Qᵀ", o.multiply(blas.Right, blas.Trans, v, tau, c), c.mul(all.transpose()))
	product("QᵀC by gonum's routine", o.multiply(blas.Right, blas.NoTrans, v, tau, c), other.multiply(blas.Right, blas.NoTrans, v, tau, c))
}

// reflectionShapes are around the orders from which on the routines are ours, and around blocks of 32
// and 64 reflections.
func reflectionShapes() (all [][2]int) {
	for n := range 12 {
		all = append(all, [2]int{n, n}, [2]int{n + 1, n}, [2]int{200, n})
	}
	for _, n := range []int{16, 31, 32, 33, 63, 64, 65, 89, 90, 91, 95, 96, 97, 128, 129, 130} {
		all = append(all, [2]int{n, n}, [2]int{n + 1, n}, [2]int{300 - n, n})
	}
	return append(all, [2]int{1100, 63}, [2]int{1100, 65}, [2]int{1030, 130})
}

func TestReflections(t *testing.T) {
	backends.OnKernels(t, func(t *testing.T, bk blskernel.Backend) {
		useBLAS(t, bk)
		rng := testutil.Rand(261)
		for k, shape := range reflectionShapes() {
			for i, s := range spectra() {
				if shape[0] > 12 && (i+k)%12 != 0 {
					continue
				}
				a := s.general(rng, shape[0], shape[1])
				for _, a := range []*full{a, a.transpose()} {
					for _, lq := range []bool{false, true} {
						o := orthogonal{Implementation{Backend: bk}, t, lq}
						o.check(fmt.Sprintf("%s %d×%d, LQ %v", s.name, a.r, a.c, lq), a)
					}
				}
			}
		}
	})
}

// Families with rows and columns of different sizes, zeros and equal columns.
func TestReflectionsOfFamilies(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		useBLAS(t, bk)
		rng := testutil.Rand(262)
		for _, f := range generalFamilies() {
			for _, n := range []int{5, 40, 100} {
				if f.most > 0 && n > f.most {
					continue
				}
				for _, lq := range []bool{false, true} {
					orthogonal{Implementation{Backend: bk}, t, lq}.check(fmt.Sprintf("%s %d, LQ %v", f.name, n, lq), f.of(rng, n))
				}
			}
		}
	})
}

// NaN and infinities reach R from their column on, and no column before it, and nothing hangs.
func TestReflectionsNotFinite(t *testing.T) {
	rng := testutil.Rand(267)
	for _, n := range []int{100, 150} {
		notFinite(rng, n, false, func(a *full) {
			at := 0
			for i, v := range a.x {
				if v-v != 0 {
					at = i % n
				}
			}
			for _, lq := range []bool{false, true} {
				v, tau := orthogonal{Implementation{Backend: fastBLAS(t)}, t, lq}.factor(a)
				for j, f := range tau {
					for i, x := range v.transpose().row(j)[:j+1] {
						if j < at && (x-x != 0 || f-f != 0) {
							t.Errorf("n=%d: element (%d, %d) of R is %v, where column %d is not finite", n, i, j, x, at)
						}
					}
				}
				if r := v.at(n-1, n-1); r-r == 0 {
					t.Errorf("n=%d: the last element of R is %v", n, r)
				}
			}
		})
	}
}

// No bit depends on the number of threads.
func TestReflectionsThreads(t *testing.T) {
	defer blskernel.SetThreads(0)
	rng := testutil.Rand(268)
	for _, shape := range [][2]int{{300, 290}, {1100, 200}, {950, 480}, {150, 400}} {
		a := randomFull(rng, shape[0], shape[1])
		c := randomFull(rng, shape[0], 300)
		for _, lq := range []bool{false, true} {
			var want [][]float64
			for _, threads := range []int{1, 2, 3} {
				blskernel.SetThreads(threads)
				o := orthogonal{Implementation{Backend: fastBLAS(t)}, t, lq}
				v, tau := o.factor(a)
				got := [][]float64{
					v.x, tau, o.form(v, tau, len(tau)).x, o.multiply(blas.Left, blas.Trans, v, tau, c).x,
					o.multiply(blas.Right, blas.NoTrans, v, tau, c.transpose()).x, o.solve(a, randomFull(testutil.Rand(1), shape[0], 9)).x,
				}
				if threads == 1 {
					want = got
				}
				for i := range got {
					if !sameBits(got[i], want[i]) {
						t.Errorf("%v, LQ %v: threads=%d: result %d is not that of one thread", shape, lq, threads, i)
					}
				}
			}
		}
	}
}

// compareReflections compares R, Q, and least squares solutions, as compareQR does.
func compareReflections(t *testing.T, bk blskernel.Backend, rng *rand.Rand, most int) (all []result) {
	useBLAS(t, bk)
	k := 1 + order(rng, most/2)
	l, c := 2*k+3+rng.IntN(20), 1+order(rng, 20)
	a, b := randomFull(rng, l, k), randomFull(rng, l, c)
	for _, lq := range []bool{false, true} {
		o := orthogonal{Implementation{Backend: bk}, t, lq}
		v, tau := o.factor(a)
		r := symFunc(k, func(i, j int) float64 { return v.at(i, j) * unless(i > j) })
		q := o.form(v, tau, k)
		cond := condOf(q.transpose().mul(a))
		factor := func(of *full) float64 { return 2 * float64(k) * float64(l) * between(l, cond, of) }
		all = append(all, result{"R", r, factor(r)}, result{"Q", q, factor(q)},
			result{"QᵀC", o.multiply(blas.Left, blas.Trans, v, tau, b).first(k), factor(b) * float64(l)},
			result{"Dgels", o.solve(a, b), 4 * factor(numbers(b.norm())) * cond})
	}
	return all
}
