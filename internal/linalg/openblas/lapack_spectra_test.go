package openblas_test

import (
	"math"
	"slices"
	"testing"

	"blskernel/internal/testutil"

	"gonum.org/v1/gonum/blas"
	gonumlapack "gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/mat"
)

// checkOrthonormal requires that the columns of q are orthonormal.
func checkOrthonormal(t *testing.T, routine string, q mat.Matrix) {
	t.Helper()
	_, n := q.Dims()
	checkResidual(t, routine, q.T(), q, identity(n))
}

// times returns the product of two matrices.
func times(a, b mat.Matrix) *mat.Dense {
	var p mat.Dense
	p.Mul(a, b)
	return &p
}

func TestLAPACKQR(t *testing.T) {
	l := needLAPACK(t)
	for _, n := range lapackSizes {
		for _, m := range []int{n, max(1, n-3), n + 4} {
			a, k := testutil.Random(testutil.Rand(uint64(n)), m, n), min(m, n)
			for _, work := range []int{n, 64 * n} {
				qr, tau := newColumns(a), make([]float64, k)
				succeed(t, "Dgeqrf", l.Dgeqrf(m, n, qr.data, qr.ld, tau, make([]float64, work)))
				if !qr.intact() {
					t.Errorf("Dgeqrf %d×%d writes between the columns", m, n)
				}
				q := identity(m)
				for j := k - 1; j >= 0; j-- { // Q = H(0)·H(1)·..., H(j) = I - tau·v·vᵀ
					v := mat.NewVecDense(m, nil)
					v.SetVec(j, 1)
					for i := j + 1; i < m; i++ {
						v.SetVec(i, qr.At(i, j))
					}
					var w mat.VecDense
					w.MulVec(q.T(), v)
					q.RankOne(q, -tau[j], v, &w)
				}
				checkResidual(t, "Dgeqrf", q, part(qr, 0, inTriangle(blas.Upper)), a)
				checkOrthonormal(t, "Dgeqrf", q)
			}
		}
	}
}

// TestLAPACKEigenSym has values with vectors, and values alone, which agree.
func TestLAPACKEigenSym(t *testing.T) {
	l := needLAPACK(t)
	for _, n := range lapackSizes {
		a := symmetric(n, 0)
		work, iwork := make([]float64, 1+70*n+2*n*n), make([]int32, 3+5*n)
		for _, ul := range bothTriangles {
			v, w := half(ul, a), make([]float64, n)
			succeed(t, "Dsyevd", l.Dsyevd('V', ul, n, v.data, v.ld, w, work, iwork))
			if !v.intact() || !slices.IsSorted(w) {
				t.Errorf("Dsyevd %c %d writes between the columns, or the values are not sorted: %v", ul, n, w)
			}
			checkResidual(t, "Dsyevd", a, v, times(v, mat.NewDiagDense(n, w)))
			checkOrthonormal(t, "Dsyevd", v)
			alone, c := make([]float64, n), half(ul, a)
			succeed(t, "Dsyevd", l.Dsyevd('N', ul, n, c.data, c.ld, alone, work, iwork))
			closeTo(t, "Dsyevd", alone, w)
		}
	}
}

// closeTo requires that values agree to 30n·eps of the largest.
func closeTo(t *testing.T, routine string, got, want []float64) {
	t.Helper()
	largest := 0.0
	for _, v := range want {
		largest = max(largest, math.Abs(v))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= 30*0x1p-52*float64(len(want))*largest) {
			t.Errorf("%s: value %d of %d is %v; want %v", routine, i, len(want), got[i], want[i])
		}
	}
}

// TestLAPACKSVD has all vectors, those of the values, and none.
func TestLAPACKSVD(t *testing.T) {
	l := needLAPACK(t)
	for _, n := range lapackSizes {
		for _, m := range []int{n, max(1, n-3), 2*n + 1} {
			a, k := testutil.Random(testutil.Rand(uint64(n)), m, n), min(m, n)
			work, iwork := make([]float64, 4*k*k+71*(m+n)), make([]int32, 8*k)
			left, right := map[byte]int{'A': m, 'S': k, 'N': 0}, map[byte]int{'A': n, 'S': k, 'N': 0}
			want := make([]float64, k)
			for i, job := range []byte("ASN") {
				c, s := newColumns(a), make([]float64, k)
				u, vt := newColumns(mat.NewDense(m, max(1, left[job]), nil)), newColumns(mat.NewDense(max(1, right[job]), n, nil))
				if job == 'N' {
					u, vt = columns{ld: 1}, columns{ld: 1}
				}
				succeed(t, "Dgesdd", l.Dgesdd(gonumlapack.SVDJob(job), m, n, c.data, c.ld, s, u.data, u.ld, vt.data, vt.ld, work, iwork))
				if i == 0 {
					copy(want, s)
				}
				closeTo(t, "Dgesdd", s, want)
				if job == 'N' {
					continue
				}
				if !u.intact() || !vt.intact() {
					t.Errorf("Dgesdd %c %d×%d writes between the columns", job, m, n)
				}
				sigma := mat.NewDense(left[job], right[job], nil)
				for i, v := range s {
					sigma.Set(i, i, v)
				}
				checkResidual(t, "Dgesdd", times(u, sigma), vt, a)
				checkOrthonormal(t, "Dgesdd", u)
				checkOrthonormal(t, "Dgesdd", vt.T())
			}
			for i := range want {
				if !(want[i] >= 0) || i > 0 && want[i] > want[i-1] {
					t.Errorf("Dgesdd %d×%d: values %v", m, n, want)
				}
			}
		}
	}
}

// TestLAPACKEigen has vectors of both kinds: A·V = V·Λ and UᵀA = ΛUᵀ in real terms, where Λ has a 2×2
// block [re im; -im re] for each pair.
func TestLAPACKEigen(t *testing.T) {
	l := needLAPACK(t)
	for _, n := range lapackSizes {
		a := testutil.Random(testutil.Rand(uint64(n)), n, n)
		c, zero := newColumns(a), mat.NewDense(n, n, nil)
		u, v, wr, wi := newColumns(zero), newColumns(zero), make([]float64, n), make([]float64, n)
		succeed(t, "Dgeev", l.Dgeev('V', 'V', n, c.data, c.ld, wr, wi, u.data, u.ld, v.data, v.ld, make([]float64, 260*n)))
		if !u.intact() || !v.intact() {
			t.Errorf("Dgeev %d writes between the columns", n)
		}
		lambda := mat.NewDense(n, n, nil)
		for j := range n {
			lambda.Set(j, j, wr[j])
			if wi[j] > 0 {
				lambda.Set(j, j+1, wi[j])
				lambda.Set(j+1, j, -wi[j])
			}
		}
		checkResidual(t, "Dgeev", a, v, times(v, lambda))
		checkResidual(t, "Dgeev", a.T(), u, times(u, lambda.T()))
		trace := 0.0
		for j := range n {
			length, other := squares(u, j), squares(v, j)
			if k := j + int(math.Copysign(1, wi[j])); wi[j] != 0 {
				length, other = length+squares(u, k), other+squares(v, k)
			}
			if !(max(math.Abs(length-1), math.Abs(other-1)) <= 1e-13) {
				t.Errorf("Dgeev %d: vectors %d have lengths whose squares are %v and %v", n, j, length, other)
			}
			trace += wr[j]
		}
		c = newColumns(a)
		succeed(t, "Dgeev", l.Dgeev('N', 'N', n, c.data, c.ld, wr, wi, nil, 1, nil, 1, make([]float64, 4*n)))
		for _, v := range wr {
			trace -= v
		}
		if !(math.Abs(trace) <= 30*0x1p-52*float64(n)*mat.Norm(a, 2)) {
			t.Errorf("Dgeev %d: the values without vectors have a sum that differs by %v", n, trace)
		}
	}
}

// squares returns the sum of the squares of column j.
func squares(c columns, j int) (sum float64) {
	for i := range c.m {
		sum += c.At(i, j) * c.At(i, j)
	}
	return sum
}
