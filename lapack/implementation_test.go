package lapack

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"

	"gonum.org/v1/gonum/blas"
	gonumlapack "gonum.org/v1/gonum/lapack"
)

// dgetrfOf factorizes a copy of a and checks P L U against a, ‖A - P L U‖ <= 30 max(m, n) eps ‖A‖,
// and that ok says whether U has a zero on its diagonal.
func checkDgetrf(t *testing.T, name string, impl gonumlapack.Float64, a *full) {
	t.Helper()
	m, n, lda := a.r, a.c, a.c+3
	x := make([]float64, (m-1)*lda+n)
	for i := range x {
		x[i] = math.NaN()
	}
	for i := range m {
		copy(x[i*lda:i*lda+n], a.row(i))
	}
	ipiv := make([]int, min(m, n))
	for i := range ipiv {
		ipiv[i] = -1
	}
	ok := impl.Dgetrf(m, n, x, lda, ipiv)
	l, u := newFull(m, min(m, n)), newFull(min(m, n), n)
	zero := false
	for i := range m {
		for j := range n {
			v := x[i*lda+j]
			switch {
			case i > j:
				l.set(i, j, v)
				if !(math.Abs(v) <= 1) {
					t.Fatalf("%s: l(%d, %d) = %v", name, i, j, v)
				}
			default:
				u.set(i, j, v)
				zero = zero || i == j && v == 0
			}
			if i == j {
				l.set(i, i, 1)
			}
		}
		for j := n; j < lda && i+1 < m; j++ {
			if x[i*lda+j] == x[i*lda+j] {
				t.Fatalf("%s: element (%d, %d) outside of A was written", name, i, j)
			}
		}
	}
	if ok == zero {
		t.Errorf("%s: ok = %v, a zero on the diagonal: %v", name, ok, zero)
	}
	p := l.mul(u)
	for i := len(ipiv) - 1; i >= 0; i-- {
		if ipiv[i] < i || ipiv[i] >= m {
			t.Fatalf("%s: ipiv[%d] = %d", name, i, ipiv[i])
		}
		ri, rp := p.row(i), p.row(ipiv[i])
		for j := range ri {
			ri[j], rp[j] = rp[j], ri[j]
		}
	}
	if r := over(a.sub(p).norm(), float64(max(m, n))*eps, a.norm()); !(r <= ratioBound) {
		t.Errorf("%s: ‖A - P L U‖/(n ‖A‖ eps) = %.3g", name, r)
	}
}

// Wide, square and tall matrices of full rank, and singular ones: the factors are complete all the
// same, as gonum's are.
func TestImplementationDgetrf(t *testing.T) {
	backends.OnKernels(t, func(t *testing.T, bk blskernel.Backend) {
		impl := Implementation{Backend: bk}
		rng := testutil.Rand(211)
		for _, s := range [][2]int{{1, 1}, {5, 9}, {96, 96}, {97, 130}, {130, 97}, {150, 150}, {128, 260}, {200, 130}} {
			m, n := s[0], s[1]
			a := randomFull(rng, m, n)
			name := fmt.Sprintf("%d×%d", m, n)
			checkDgetrf(t, name, impl, a)
			// Column j is zero, so is all of A, and columns j and j+1 are the same, to the
			// bit in the elimination too.
			for _, j := range []int{0, min(m, n) / 2, min(m, n) - 1} {
				b := newFull(m, n)
				copy(b.x, a.x)
				for i := range m {
					b.set(i, j, 0)
				}
				checkDgetrf(t, fmt.Sprintf("%s column %d = 0", name, j), impl, b)
				if j+1 < n {
					for i := range m {
						b.set(i, j, b.at(i, j+1))
					}
					checkDgetrf(t, fmt.Sprintf("%s columns %d = %d", name, j, j+1), impl, b)
				}
			}
			checkDgetrf(t, name+" zero", impl, newFull(m, n))
		}
	})
}

// A zero on the diagonal of a triangle, or of U, is found, and nothing is written.
func TestImplementationSingular(t *testing.T) {
	impl := Implementation{Backend: fastBLAS(t)}
	rng := testutil.Rand(223)
	for _, n := range []int{3, 20, 150} {
		for _, at := range []int{0, n / 2, n - 1} {
			a := randomFull(rng, n, n)
			a.set(at, at, 0)
			b := randomFull(rng, n, 2)
			ipiv := make([]int, n)
			for i := range ipiv {
				ipiv[i] = i
			}
			got, rhs := append([]float64(nil), a.x...), append([]float64(nil), b.x...)
			for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
				if impl.Dpotri(ul, n, got, n) || impl.Dtrtri(ul, blas.NonUnit, n, got, n) ||
					impl.Dtrtrs(ul, blas.Trans, blas.NonUnit, n, 2, got, n, rhs, 2) {
					t.Errorf("n = %d: zero %d on the diagonal not found", n, at)
				}
			}
			if impl.Dgetri(n, got, n, ipiv, make([]float64, n), n) {
				t.Errorf("n = %d: zero %d on the diagonal of U not found", n, at)
			}
			if !sameBits(got, a.x) || !sameBits(rhs, b.x) {
				t.Errorf("n = %d: an operand was changed", n)
			}
		}
	}
}

// One right side goes another way than many; both solve, with a stride.
func TestImplementationSolve(t *testing.T) {
	backends.OnKernels(t, func(t *testing.T, bk blskernel.Backend) {
		impl := Implementation{Backend: bk}
		rng := testutil.Rand(227)
		for _, n := range []int{1, 7, 64, 130, 250} {
			for _, nrhs := range []int{1, 2, 30} {
				a, b, ldb := randomFull(rng, n, n), randomFull(rng, n, nrhs), nrhs+3
				spd := fullOf(spdOf(rng, n))
				solve := func(f func(x []float64)) *full {
					x := newFull(n, ldb)
					for i := range n {
						copy(x.row(i), b.row(i))
					}
					f(x.x)
					y := newFull(n, nrhs)
					for i := range n {
						copy(y.row(i), x.row(i)[:nrhs])
						for _, v := range x.row(i)[nrhs:] {
							if v != 0 {
								t.Fatalf("n = %d, nrhs = %d: an element between the rows was written", n, nrhs)
							}
						}
					}
					return y
				}
				lu, ipiv := append([]float64(nil), a.x...), make([]int, n)
				impl.Dgetrf(n, n, lu, n, ipiv)
				name := fmt.Sprintf("n = %d, nrhs = %d", n, nrhs)
				x := solve(func(x []float64) { impl.Dgetrs(blas.NoTrans, n, nrhs, lu, n, ipiv, x, ldb) })
				checkSolution(t, name+" Dgetrs", a, x, b)
				x = solve(func(x []float64) { impl.Dgetrs(blas.Trans, n, nrhs, lu, n, ipiv, x, ldb) })
				checkSolution(t, name+" Dgetrs Trans", a.transpose(), x, b)
				for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
					c := append([]float64(nil), spd.x...)
					if !impl.Dpotrf(ul, n, c, n) {
						t.Fatalf("%s: Dpotrf failed", name)
					}
					x = solve(func(x []float64) { impl.Dpotrs(ul, n, nrhs, c, n, x, ldb) })
					checkSolution(t, fmt.Sprintf("%s Dpotrs %c", name, ul), spd, x, b)
				}
			}
		}
	})
}

// Q has orthonormal columns, ‖I - QᵀQ‖ <= 30 m eps, and is Q of the reflections: A = Q R for the A
// they come from, ‖A - Q R‖ <= 30 m eps ‖A‖; more columns than reflections make a larger part of the
// same Q.
func TestImplementationDorgqr(t *testing.T) {
	backends.OnKernels(t, func(t *testing.T, bk blskernel.Backend) {
		impl := Implementation{Backend: bk}
		rng := testutil.Rand(241)
		for _, s := range [][3]int{{40, 40, 40}, {63, 41, 40}, {64, 64, 64}, {100, 70, 65}, {129, 129, 96}, {200, 90, 90}, {150, 150, 149}} {
			m, n, k := s[0], s[1], s[2]
			lda := n + 3
			a, x := randomFull(rng, m, k), make([]float64, (m-1)*lda+n)
			for i := range x {
				x[i] = math.NaN()
			}
			for i := range m {
				// A column of zeros is reflected by I.
				a.set(i, k/2, 0)
				copy(x[i*lda:i*lda+k], a.row(i))
			}
			tau, work := make([]float64, k), make([]float64, n)
			impl.Dgeqrf(m, k, x, lda, tau, work, k)
			r := newFull(n, k)
			for i := range k {
				copy(r.row(i)[i:], x[i*lda+i:i*lda+k])
			}
			impl.Dorgqr(m, n, k, x, lda, tau, work, n)
			q := newFull(m, n)
			for i := range m {
				copy(q.row(i), x[i*lda:i*lda+n])
				for j := n; j < lda && i+1 < m; j++ {
					if x[i*lda+j] == x[i*lda+j] {
						t.Fatalf("%v: element (%d, %d) outside of Q was written", s, i, j)
					}
				}
			}
			if r := identity(n).sub(q.transpose().mul(q)).norm() / (float64(m) * eps); !(r <= ratioBound) {
				t.Errorf("%v: ‖I - QᵀQ‖/(m eps) = %.3g", s, r)
			}
			if r := a.sub(q.mul(r)).norm() / (float64(m) * eps * a.norm()); !(r <= ratioBound) {
				t.Errorf("%v: ‖A - Q R‖/(m eps ‖A‖) = %.3g", s, r)
			}
		}
	})
}

// checkNothingWritten repeats a call that panics on numbers, which it leaves as they are.
func checkNothingWritten(t *testing.T, name string, f func(impl gonumlapack.Float64) any, x []float64, ipiv []int, work []float64) {
	t.Helper()
	for i := range x {
		x[i] = float64(i + 1)
	}
	for i := range work {
		work[i] = float64(i + 1)
	}
	before := slices.Clone(ipiv)
	if testutil.PanicValue(func() { f(Implementation{Backend: fastBLAS(t)}) }) == nil {
		t.Errorf("%s: no panic", name)
	}
	for _, s := range [][]float64{x, work} {
		for i, v := range s {
			if v != float64(i+1) {
				t.Fatalf("%s: element %d was written before the panic", name, i)
			}
		}
	}
	if !slices.Equal(ipiv, before) {
		t.Fatalf("%s: the interchanges were written before the panic", name)
	}
	clear(x)
	clear(work)
}
