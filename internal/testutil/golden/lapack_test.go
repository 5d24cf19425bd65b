package golden_test

import (
	"fmt"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/linalg/block"
	"blskernel/internal/selftest"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonum "gonum.org/v1/gonum/mat"
)

// orders lie around tiles, panels of 16 to 64, ends of recursions near 100, and blocks of 128 and 256.
var orders = []int{1, 2, 3, 7, 8, 9, 16, 17, 25, 33, 48, 65, 97, 129, 150, 193, 257, 390}

// symmetric draws a packed matrix and adds diagonal to its diagonal.
func symmetric(s *selftest.Source, n int, diagonal float64) *mat.SymPacked {
	ap := s.Vector(block.PackedLen(n))
	for i := range n {
		ap[block.PackedIndex(n, i, i)] += diagonal
	}
	return mat.NewSymPacked(n, ap)
}

// A factorization has the methods that all factorizations of matrices of type M share.
type factorization[M any] interface {
	Factorize(M) error
	SolveTo(dst, b *mat.Dense) error
	SolveRowsTo(dst, b *mat.Dense) error
	InverseTo(M) error
	Refine(x *mat.Dense, a M, b *mat.Dense) (lapack.ErrorBounds, error)
	RCond() float64
	LogDet() (log, sign float64)
}

// addMethods adds the results of all methods of a factorization of a, and leaves the inverse of a in
// inverse. name is a format with a verb for the kind of result.
func addMethods[M gonum.Matrix](r recorder, s *selftest.Source, name string, f factorization[M], a, inverse M) {
	n, _ := a.Dims()
	add := func(what, rule string, results ...[]float64) { r.add(fmt.Sprintf(name, what), rule, results...) }
	var x, rows, full mat.Dense
	b := dense(s, n, 5)
	r.must(f.Factorize(a), f.SolveTo(&x, b), f.SolveRowsTo(&rows, dense(s, 9, n)), f.InverseTo(inverse))
	full.CloneFrom(inverse)
	log, sign := f.LogDet()
	add("solutions", ruleLapack, numbers(&x, &rows))
	add("inverse", ruleLapack, numbers(&full))
	add("condition", ruleLapack, []float64{f.RCond()})
	add("determinant", ruleFeatures, []float64{log, sign})
	bounds, err := f.Refine(&x, a, b)
	r.must(err)
	add("refined", ruleLapack, numbers(&x), bounds.Backward, bounds.Forward)
}

func (r recorder) must(all ...error) {
	r.Helper()
	for _, err := range all {
		if err != nil {
			r.Fatal(err)
		}
	}
}

func TestGoldenSymmetric(t *testing.T) {
	each(t, "symmetric", func(r recorder, b blskernel.Backend) {
		for _, n := range orders {
			s := selftest.Source(n)
			inverse := mat.NewSymPacked(n, nil)
			addMethods(r, &s, fmt.Sprintf("LDLT n=%d %%s", n), &lapack.LDLT{Backend: b}, symmetric(&s, n, 0), inverse)
			zeros := symmetric(&s, n, 0) // only pivots of order 2
			for i := range n - n%2 {
				zeros.SetSym(i, i, 0)
			}
			addMethods(r, &s, fmt.Sprintf("LDLT with a diagonal of zeros n=%d %%s", n), &lapack.LDLT{Backend: b}, zeros, inverse)
			c := &lapack.Cholesky{Backend: b}
			addMethods(r, &s, fmt.Sprintf("Cholesky n=%d %%s", n), c, symmetric(&s, n, float64(n)), inverse)
			x, rows := dense(&s, n, 7), dense(&s, 7, n)
			lower, upper := dense(&s, n, n), dense(&s, n, n)
			r.must(c.SolveUTo(x, x, true), c.SolveURowsTo(rows, rows, false), c.SolveUTriangle(lower), c.MulUTriangle(upper))
			r.add(fmt.Sprintf("Cholesky factor n=%d", n), ruleLapack, numbers(x, rows, lower, upper))
		}
	})
}

func TestGoldenGeneral(t *testing.T) {
	each(t, "general", func(r recorder, b blskernel.Backend) {
		for _, n := range orders {
			s := selftest.Source(n)
			addMethods(r, &s, fmt.Sprintf("LU %%s n=%d", n), &lapack.LU{Backend: b}, dense(&s, n, n), new(mat.Dense))
			for _, l := range []int{n, n + 3, 2*n + 40} {
				if l > 400 {
					continue // this takes long in an emulator
				}
				qr := lapack.QR{Backend: b}
				var x, q, triangle mat.Dense
				r.must(qr.Factorize(dense(&s, l, n)), qr.SolveTo(&x, dense(&s, l, 3)))
				qr.RTo(&triangle)
				qr.QTo(&q)
				r.add(fmt.Sprintf("QR %dx%d", l, n), ruleLapack, numbers(&x, &q, &triangle), []float64{qr.RCond()})
			}
		}
	})
}

// triangle draws an upper triangle that is far from singular.
func triangle(s *selftest.Source, n int) *mat.Dense {
	r := dense(s, n, n)
	r.Scale(1./16, r)
	for i := range n {
		r.Set(i, i, 1+r.At(i, i))
		for j := range i {
			r.Set(i, j, 0)
		}
	}
	return r
}

func TestGoldenTriangles(t *testing.T) {
	each(t, "triangles", func(r recorder, b blskernel.Backend) {
		for _, n := range orders {
			s := selftest.Source(n)
			for _, q := range []int{1, 2, 5, 20, 60, 200} {
				tri, z, ax, ya := triangle(&s, n), dense(&s, n, 4), dense(&s, q, n), dense(&s, q, 4)
				r.must(lapack.AppendRows(b, tri, z, ax, ya))
				r.add(fmt.Sprintf("AppendRows %d to %d", q, n), ruleLapack, numbers(tri, z, ya))
			}
			r1, z1, r2, z2 := triangle(&s, n), dense(&s, n, 3), triangle(&s, n), dense(&s, n, 3)
			r.must(lapack.MergeTriangles(b, r1, z1, r2, z2))
			r.add(fmt.Sprintf("MergeTriangles n=%d", n), ruleLapack, numbers(r1, z1, z2))
			tri, x, y := triangle(&s, n), dense(&s, n, 9), dense(&s, 40, n)
			r.must(lapack.SolveTriangular(b, x, tri, true), lapack.SolveTriangularRows(b, y, tri, false))
			rcond := lapack.RCondTriangle(b, tri)
			r.must(lapack.InvertTriangle(b, tri))
			r.add(fmt.Sprintf("triangle n=%d", n), ruleLapack, numbers(x, y, tri), []float64{rcond})
		}
	})
}

// TestGoldenImplementation hashes routines of Implementation, at orders where gonum computes nothing.
func TestGoldenImplementation(t *testing.T) {
	each(t, "implementation", func(r recorder, b blskernel.Backend) {
		impl := lapack.Implementation{Backend: b}
		for _, n := range []int{128, 150, 193, 260} {
			s := selftest.Source(n)
			full := func(diagonal float64) []float64 {
				a := s.Vector(n * n)
				for i := range n {
					a[i*n+i] += diagonal
				}
				return a
			}
			for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
				a, x, tri, y := full(float64(n)), s.Vector(n*5), full(8), s.Vector(n*5)
				ok := impl.Dpotrf(ul, n, a, n)
				impl.Dpotrs(ul, n, 5, a, n, x, 5)
				ok = ok && impl.Dpotri(ul, n, a, n) && impl.Dtrtrs(ul, blas.Trans, blas.NonUnit, n, 5, tri, n, y, 5) && impl.Dtrtri(ul, blas.NonUnit, n, tri, n)
				if !ok {
					r.Fatal("not positive definite, or singular")
				}
				r.add(fmt.Sprintf("Dpotrf, Dpotrs, Dpotri, Dtrtrs, Dtrtri %c n=%d", ul, n), ruleLapack, a, x, tri, y)
			}
			a, x, pivots, work := full(0), s.Vector(n*5), make([]int, n), make([]float64, 64*n)
			ok := impl.Dgetrf(n, n, a, n, pivots)
			impl.Dgetrs(blas.NoTrans, n, 5, a, n, pivots, x, 5)
			if !ok || !impl.Dgetri(n, a, n, pivots, work, len(work)) {
				r.Fatal("singular")
			}
			r.add(fmt.Sprintf("Dgetrf, Dgetrs, Dgetri n=%d", n), ruleLapack, a, x)
			const k = 60
			q, tau := s.Vector(n*k), s.Vector(k)
			for i := range tau {
				tau[i] /= float64(n)
			}
			impl.Dorgqr(n, k, k, q, k, tau, work, len(work))
			r.add(fmt.Sprintf("Dorgqr n=%d", n), ruleLapack, q)
			r.orthogonal(impl, n, 105, full(0)[:n*105])
			r.orthogonal(impl, 105, n, full(0)[:n*105])
		}
	})
}

// orthogonal adds the results of the routines for QR, LQ and least squares of an m×n a.
func (r recorder) orthogonal(impl lapack.Implementation, m, n int, a []float64) {
	k := min(m, n)
	lq, ls, b, work := slices.Clone(a), slices.Clone(a), slices.Clone(a[:5*max(m, n)]), make([]float64, 4*max(m, n))
	tauR, tauL := make([]float64, k), make([]float64, k)
	impl.Dgeqrf(m, n, a, n, tauR, work, len(work))
	impl.Dgelqf(m, n, lq, n, tauL, work, len(work))
	c := slices.Clone(a)
	impl.Dormqr(blas.Left, blas.Trans, m, 13, k, a, n, tauR, c, 13, work, len(work))
	impl.Dormlq(blas.Right, blas.NoTrans, 13, n, k, lq, n, tauL, c, n, work, len(work))
	q := slices.Clone(lq[:k*n])
	impl.Dorglq(k, n, k, q, n, tauL, work, len(work))
	if !impl.Dgels(blas.NoTrans, m, n, 5, ls, n, b, 5, work, len(work)) {
		r.Fatal("singular")
	}
	r.add(fmt.Sprintf("Dgeqrf, Dgelqf, Dormqr, Dormlq, Dorglq, Dgels %dx%d", m, n), ruleLapack, a, lq, c, q, b)
}

// TestGoldenProducts hashes the products of package mat.
func TestGoldenProducts(t *testing.T) {
	each(t, "mat", func(r recorder, b blskernel.Backend) {
		for _, n := range []int{1, 3, 8, 25, 130, 200} {
			s := selftest.Source(n)
			sym, x, y := symmetric(&s, n, 0), dense(&s, n, n+3), dense(&s, n+3, n)
			var product, trans, left, right mat.Dense
			mat.Mul(b, &product, x, y)
			mat.MulTrans(b, &trans, x, true, x, false)
			mat.SymMul(b, &left, sym, x)
			mat.MulSym(b, &right, y, sym)
			outer := mat.NewSymPacked(n, nil)
			mat.SymOuterK(b, outer, 1.3, y, true)
			var full mat.Dense
			full.CloneFrom(outer)
			r.add(fmt.Sprintf("products n=%d", n), ruleProduct, numbers(&product, &trans, &left, &right, &full))
		}
	})
}
