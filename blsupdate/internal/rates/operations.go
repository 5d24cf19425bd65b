package rates

import (
	"math"
	"time"

	"blskernel"
	"blskernel/blsupdate/internal/cholesky"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/qr"
	"blskernel/blsupdate/internal/ridge"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/isfinite"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack/gonum"
)

// A preparation returns a function that does one operation of the given sizes and returns its time. It
// panics with errTooLarge where the operands do not fit into the workspace, and returns nil where there
// is no such operation.
type preparation func(w *workspace, m, n, k int) func() time.Duration

func prepareGemm(tA, tB blas.Transpose, beta float64) preparation {
	return func(w *workspace, m, n, k int) func() time.Duration {
		w.need(m*k+k*n, m*n)
		a, b, lda, ldb := w.in, w.in[m*k:], k, n
		if tA == blas.Trans {
			lda = m
		}
		if tB == blas.Trans {
			ldb = k
		}
		return w.cold(func() { w.backend.Dgemm(tA, tB, m, n, k, 1, a, lda, b, ldb, beta, w.out, n) })
	}
}

func prepareSprk(w *workspace, _, n, k int) func() time.Duration {
	w.need(n*k, packedLen(n))
	return w.cold(func() { w.packed.Dsprk(blas.Trans, n, k, 1, w.in, n, 1, w.out) })
}

func prepareGemmtp(w *workspace, _, n, k int) func() time.Duration {
	w.need(2*n*k, packedLen(n))
	return w.cold(func() { w.packed.Dgemmtp(blas.NoTrans, blas.Trans, n, k, 1, w.in, k, w.in[n*k:], k, 0, w.out) })
}

func prepareSpmm(s blas.Side) preparation {
	return func(w *workspace, m, n, _ int) func() time.Duration {
		symmetric := packedLen(cost.Order(s, m, n))
		w.need(symmetric+m*n, m*n)
		return w.cold(func() { w.packed.Dspmm(s, m, n, 1, w.in, w.in[symmetric:], n, 0, w.out, n) })
	}
}

func prepareTrmm(s blas.Side) preparation {
	return func(w *workspace, m, n, _ int) func() time.Duration {
		order := cost.Order(s, m, n)
		w.need(order*order+m*n, m*n)
		b := w.out[:m*n]
		return w.after(func() { copy(b, w.in[order*order:]) }, func() {
			w.backend.Dtrmm(s, blas.Upper, blas.NoTrans, blas.NonUnit, m, n, 1, w.in, order, b, n)
		})
	}
}

func prepareTimesPacked(w *workspace, m, n, _ int) func() time.Duration {
	w.need(packedLen(n)+m*n, m*n)
	base, s := w.base(n), mat.NewSymPacked(n, w.in[:packedLen(n)])
	x, p := mat.NewDense(m, n, w.in[packedLen(n):][:m*n]), w.result(m, n)
	return w.warm(func() { ridge.TimesPacked(base, 1, s, x, p) })
}

func prepareAddOuter(w *workspace, m, n, _ int) func() time.Duration {
	w.need(m*n, packedLen(n))
	base, t, s := w.base(n), w.operand(m, n), mat.NewSymPacked(n, w.out[:packedLen(n)])
	return w.warm(func() { ridge.AddOuter(base, 1, t, s) })
}

// prepareCarlson adds the rows of one matrix again and again. F becomes smaller each time, but not
// small in so few calls.
func prepareCarlson(w *workspace, m, n, _ int) func() time.Duration {
	l, ax := w.regular(n), w.operand(m, n)
	s := &cholesky.State{L: l, Inverse: state.Inverse{Base: *w.base(n), Gain: 1 / math.Sqrt(float64(n))}}
	return w.warm(func() { s.Sweep(1, ax) })
}

func prepareChud(w *workspace, m, n, k int) func() time.Duration {
	r, z, a, y := w.triangle(n), dense.Copy(w.operand(n, k)), w.operand(m, n), w.operand(m, k)
	ax, ya := dense.Copy(a), dense.Copy(y)
	return w.after(func() {
		ax.Copy(a)
		ya.Copy(y)
	}, func() { qr.RotateIn(r, z, ax, ya) })
}

func prepareChdd(w *workspace, m, n, k int) func() time.Duration {
	r, z, factor, columns := w.triangle(n), dense.Copy(w.operand(n, k)), w.triangle(m), w.operand(n, m)
	w.need(m*n+m*k, m*n+m*k)
	f, p, zeta := dense.Copy(factor), dense.Copy(columns), mat.NewDense(m, k, nil)
	return w.after(func() {
		f.Copy(factor)
		p.Copy(columns)
	}, func() { qr.Downdate(w.backend, f, p, zeta, r, z) })
}

// A packedFactor is a factorization of a symmetric matrix in packed storage.
type packedFactor interface {
	Factorize(a *mat.SymPacked) error
	FactorizeInPlace(a *mat.SymPacked) error
	InverseInPlace() (*mat.SymPacked, error)
}

func newCholesky(b blskernel.Backend) packedFactor { return &lapack.Cholesky{Backend: b} }
func newLDLT(b blskernel.Backend) packedFactor     { return &lapack.LDLT{Backend: b} }

func prepareFactor(factor func(blskernel.Backend) packedFactor) preparation {
	return func(w *workspace, _, n, _ int) func() time.Duration {
		a := w.positive(n)
		c := dense.CopySym(a)
		return w.after(func() { c.CopySym(a) }, func() { must(factor(w.backend).FactorizeInPlace(c)) })
	}
}

func prepareInverse(factor func(blskernel.Backend) packedFactor) preparation {
	return func(w *workspace, _, n, _ int) func() time.Duration {
		a, f := w.positive(n), factor(w.backend)
		return w.after(func() { must(f.Factorize(a)) }, func() {
			_, err := f.InverseInPlace()
			must(err)
		})
	}
}

// prepareSolve returns the preparation of a solution with the Cholesky factor of a matrix of order n
// for k right-hand sides.
func prepareSolve(solve func(f *lapack.Cholesky, x, b *mat.Dense) error) preparation {
	return func(w *workspace, _, n, k int) func() time.Duration {
		f, b, x := w.cholesky(n), w.operand(n, k), w.result(n, k)
		return w.cold(func() { must(solve(f, x, b)) })
	}
}

// prepareTriangles returns the preparation of a solution or a product of a factor with another
// triangle.
func prepareTriangles(do func(f *lapack.Cholesky, x *mat.Dense) error, lower bool) preparation {
	return func(w *workspace, _, n, _ int) func() time.Duration {
		f, t := w.cholesky(n), w.triangle(n)
		if lower {
			t = dense.Transposed(t)
		}
		x := dense.Copy(t)
		return w.after(func() { x.Copy(t) }, func() { must(do(f, x)) })
	}
}

func prepareGetrf(w *workspace, _, n, _ int) func() time.Duration {
	a := w.regular(n)
	c := dense.Copy(a)
	return w.after(func() { c.Copy(a) }, func() {
		f := lapack.LU{Backend: w.backend}
		must(f.FactorizeInPlace(c))
	})
}

func prepareGetri(w *workspace, _, n, _ int) func() time.Duration {
	a, f := w.regular(n), lapack.LU{Backend: w.backend}
	return w.after(func() { must(f.Factorize(a)) }, func() {
		_, err := f.InverseInPlace()
		must(err)
	})
}

func prepareGetrs(w *workspace, _, n, k int) func() time.Duration {
	a, b, x, f := w.regular(n), w.operand(n, k), w.result(n, k), lapack.LU{Backend: w.backend}
	must(f.FactorizeInPlace(a))
	return w.cold(func() { must(f.SolveTo(x, b)) })
}

func prepareGecon(w *workspace, _, n, _ int) func() time.Duration {
	a, f := w.regular(n), lapack.LU{Backend: w.backend}
	must(f.FactorizeInPlace(a))
	return w.cold(func() { f.RCond() })
}

func prepareGeqrf(w *workspace, m, n, _ int) func() time.Duration {
	if m < n {
		return nil
	}
	a, c := w.operand(m, n), w.result(m, n)
	return w.after(func() { c.Copy(a) }, func() {
		f := lapack.QR{Backend: w.backend}
		must(f.FactorizeInPlace(c))
	})
}

func prepareOrgqr(w *workspace, m, n, _ int) func() time.Duration {
	if m < n {
		return nil
	}
	a, q, f := w.operand(m, n), w.result(m, n), lapack.QR{Backend: w.backend}
	return w.after(func() {
		q.Copy(a)
		must(f.FactorizeInPlace(q))
	}, func() { f.QInPlace() })
}

func prepareTrcon(w *workspace, _, n, _ int) func() time.Duration {
	a, f := w.regular(n), lapack.QR{Backend: w.backend}
	must(f.FactorizeInPlace(a))
	return w.cold(func() { f.RCond() })
}

// prepareTpqrt adds the rows of one matrix again and again: AxᵀAx to RᵀR, and nothing becomes too
// large.
func prepareTpqrt(w *workspace, m, n, k int) func() time.Duration {
	r, z, ax, ya := w.triangle(n), dense.Copy(w.operand(n, k)), w.operand(m, n), w.result(m, k)
	return w.cold(func() { must(lapack.AppendRows(w.backend, r, z, ax, ya)) })
}

func prepareTtqrt(w *workspace, _, n, k int) func() time.Duration {
	r, r2, z, z2 := w.triangle(n), w.triangle(n), dense.Copy(w.operand(n, k)), w.result(n, k)
	return w.cold(func() { must(lapack.MergeTriangles(w.backend, r, z, r2, z2)) })
}

func prepareTrtri(w *workspace, _, n, _ int) func() time.Duration {
	a, f := w.triangle(n), lapack.Implementation{Backend: w.backend}
	c := dense.Copy(a)
	return w.after(func() { c.Copy(a) }, func() { f.Dtrtri(blas.Upper, blas.NonUnit, n, c.RawMatrix().Data, n) })
}

func prepareTrtrs(w *workspace, _, n, k int) func() time.Duration {
	r, b, x := w.triangle(n), w.operand(k, n), w.result(k, n)
	return w.after(func() { x.Copy(b) }, func() { must(lapack.SolveTriangularRows(w.backend, x, r, true)) })
}

func prepareGeqp3(w *workspace, m, n, _ int) func() time.Duration {
	a := w.operand(m, n)
	var f gonum.Implementation
	c, pivots, tau, work := make([]float64, m*n), make([]int, n), make([]float64, min(m, n)), make([]float64, 1)
	f.Dgeqp3(m, n, c, n, pivots, tau, work, -1)
	work = make([]float64, int(work[0]))
	return w.after(func() {
		copy(c, a.RawMatrix().Data)
		for i := range pivots {
			pivots[i] = -1
		}
	}, func() { f.Dgeqp3(m, n, c, n, pivots, tau, work, len(work)) })
}

func prepareGesvd(w *workspace, m, n, _ int) func() time.Duration {
	a := w.operand(m, n)
	return w.cold(func() {
		_, _, _, err := dense.SVD(w.backend, a)
		must(err)
	})
}

// prepareStream copies n/2 numbers, which reads and writes n.
func prepareStream(w *workspace, _, n, _ int) func() time.Duration {
	return w.cold(func() { copy(w.out[:n/2], w.in[:n/2]) })
}

func prepareFresh(w *workspace, _, n, _ int) func() time.Duration {
	const page = 512 // numbers
	return w.cold(func() {
		w.fresh = make([]float64, n)
		for i := 0; i < n; i += page { // the first write makes the operating system provide a page
			w.fresh[i] = 1
		}
	})
}

// prepareScan is the mean of a check for NaN and of the norms of columns.
func prepareScan(w *workspace, _, n, _ int) func() time.Duration {
	const width = 100 // columns
	m := w.operand(max(1, n/2/width), min(n/2, width))
	return w.cold(func() {
		isfinite.First(w.in[n/2 : n])
		dense.ColumnNorms(m)
	})
}

// must panics on an error of an operation on operands that were made for it.
func must(err error) {
	if err != nil {
		panic("blsupdate: an operation on a regular matrix failed: " + err.Error())
	}
}
