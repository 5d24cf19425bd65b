package rates

import (
	"math"
	"time"

	"blskernel"
	"blskernel/blsupdate/internal/cholesky"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/qr"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack/gonum"
	gonummat "gonum.org/v1/gonum/mat"
)

func prepareCarlson(w *workspace, m, n, _ int) func() time.Duration {
	l, ax := w.regular(n), w.operand(m, n)
	if l == nil || ax == nil {
		return nil
	}
	s := &cholesky.State{Base: *w.state(n), L: l, Gain: 1 / math.Sqrt(float64(n))}
	return w.warm(func() { s.Sweep(1, ax) }) // each time F becomes smaller, but not small in so few calls
}

func prepareChud(w *workspace, m, n, k int) func() time.Duration {
	r, z, a, y := w.triangle(n), w.operand(n, k), w.operand(m, n), w.operand(m, k)
	if r == nil || z == nil || a == nil || y == nil {
		return nil
	}
	z = gonummat.DenseCopyOf(z)
	ax, ya := gonummat.DenseCopyOf(a), gonummat.DenseCopyOf(y)
	return w.after(func() {
		ax.Copy(a)
		ya.Copy(y)
	}, func() { qr.RotateIn(r, z, ax, ya) })
}

func prepareChdd(w *workspace, m, n, k int) func() time.Duration {
	r, z, factor, p := w.triangle(n), w.operand(n, k), w.triangle(m), w.operand(n, m)
	if r == nil || z == nil || factor == nil || p == nil || !w.fits(m*n+m*k, m*n+m*k) {
		return nil
	}
	d := qr.Rotations{Bk: w.backend, Q: m, K: n, N: make([]float64, m*m), P: make([]float64, n*m), Others: []qr.Carried{
		{Low: make([]float64, m*n), Ldl: n, High: r.RawMatrix().Data, Ldh: n, Width: n, Triangle: true},
		{Low: make([]float64, m*k), Ldl: k, High: gonummat.DenseCopyOf(z).RawMatrix().Data, Ldh: k, Width: k},
	}}
	return w.after(func() {
		copy(d.N, factor.RawMatrix().Data)
		copy(d.P, p.RawMatrix().Data)
	}, d.Run)
}

// A packedFactor is a factorization of a symmetric matrix in packed storage.
type packedFactor interface {
	Factorize(a *mat.SymPacked) error
	FactorizeInPlace(a *mat.SymPacked) error
	InverseInPlace() (*mat.SymPacked, error)
}

func newCholesky(b blskernel.Backend) packedFactor { return &lapack.Cholesky{Backend: b} }

func newLDLT(b blskernel.Backend) packedFactor { return &lapack.LDLT{Backend: b} }

// prepareFactor returns the preparation of a factorization.
func prepareFactor(factor func(blskernel.Backend) packedFactor) func(w *workspace, m, n, k int) func() time.Duration {
	return func(w *workspace, _, n, _ int) func() time.Duration {
		a := w.positive(n)
		if a == nil {
			return nil
		}
		c := dense.CloneSym(a)
		return w.after(func() { c.CopySym(a) }, func() { must(factor(w.backend).FactorizeInPlace(c)) })
	}
}

// prepareInverse returns the preparation of an inversion by a factorization.
func prepareInverse(factor func(blskernel.Backend) packedFactor) func(w *workspace, m, n, k int) func() time.Duration {
	return func(w *workspace, _, n, _ int) func() time.Duration {
		a := w.positive(n)
		if a == nil {
			return nil
		}
		f := factor(w.backend)
		return w.after(func() { must(f.Factorize(a)) }, func() {
			_, err := f.InverseInPlace()
			must(err)
		})
	}
}

func preparePptrs(w *workspace, _, n, k int) func() time.Duration {
	a, b := w.positive(n), w.operand(n, k)
	if a == nil || b == nil {
		return nil
	}
	f := lapack.Cholesky{Backend: w.backend}
	must(f.FactorizeInPlace(a))
	x := w.result(n, k)
	return w.cold(func() { must(f.SolveTo(x, b)) })
}

func prepareGetrf(w *workspace, _, n, _ int) func() time.Duration {
	a := w.regular(n)
	if a == nil {
		return nil
	}
	c := gonummat.DenseCopyOf(a)
	return w.after(func() { c.Copy(a) }, func() {
		f := lapack.LU{Backend: w.backend}
		must(f.FactorizeInPlace(c))
	})
}

func prepareGetri(w *workspace, _, n, _ int) func() time.Duration {
	a := w.regular(n)
	if a == nil {
		return nil
	}
	f := lapack.LU{Backend: w.backend}
	return w.after(func() { must(f.Factorize(a)) }, func() {
		_, err := f.InverseInPlace()
		must(err)
	})
}

func prepareGetrs(w *workspace, _, n, k int) func() time.Duration {
	a, b := w.regular(n), w.operand(n, k)
	if a == nil || b == nil {
		return nil
	}
	f := lapack.LU{Backend: w.backend}
	must(f.FactorizeInPlace(a))
	x := w.result(n, k)
	return w.cold(func() { must(f.SolveTo(x, b)) })
}

func prepareGeqrf(w *workspace, m, n, _ int) func() time.Duration {
	if m < n {
		return nil
	}
	a := w.operand(m, n)
	if a == nil {
		return nil
	}
	c := w.result(m, n)
	return w.after(func() { c.Copy(a) }, func() {
		f := lapack.QR{Backend: w.backend}
		must(f.FactorizeInPlace(c))
	})
}

func prepareOrgqr(w *workspace, m, n, _ int) func() time.Duration {
	if m < n {
		return nil
	}
	a := w.operand(m, n)
	if a == nil {
		return nil
	}
	q := w.result(m, n)
	f := lapack.QR{Backend: w.backend}
	return w.after(func() {
		q.Copy(a)
		must(f.FactorizeInPlace(q))
	}, func() { f.QInPlace() })
}

func prepareTpqrt(w *workspace, m, n, k int) func() time.Duration {
	r, z, ax := w.triangle(n), w.operand(n, k), w.operand(m, n)
	if r == nil || z == nil || ax == nil || !w.fits(m*k, m*k) {
		return nil
	}
	// The call changes R, z and Ya by an orthogonal matrix, and adds AxᵀAx to RᵀR each time: nothing becomes
	// too large.
	z = gonummat.DenseCopyOf(z)
	ya := w.result(m, k)
	return w.cold(func() { must(lapack.AppendRows(w.backend, r, z, ax, ya)) })
}

func prepareTtqrt(w *workspace, _, n, k int) func() time.Duration {
	r, r2, z := w.triangle(n), w.triangle(n), w.operand(n, k)
	if r == nil || z == nil {
		return nil
	}
	z = gonummat.DenseCopyOf(z)
	z2 := w.result(n, k)
	return w.cold(func() { must(lapack.MergeTriangles(w.backend, r, z, r2, z2)) })
}

func prepareTrtri(w *workspace, _, n, _ int) func() time.Duration {
	a := w.triangle(n)
	if a == nil {
		return nil
	}
	c := gonummat.DenseCopyOf(a)
	f := lapack.Implementation{Backend: w.backend}
	return w.after(func() { c.Copy(a) }, func() { f.Dtrtri(blas.Upper, blas.NonUnit, n, c.RawMatrix().Data, n) })
}

func prepareTrtrs(w *workspace, _, n, k int) func() time.Duration {
	r, b := w.triangle(n), w.operand(k, n)
	if r == nil || b == nil {
		return nil
	}
	x := w.result(k, n)
	return w.after(func() { x.Copy(b) }, func() { must(lapack.SolveTriangularRows(w.backend, x, r, true)) })
}

func prepareTptrs(w *workspace, _, n, k int) func() time.Duration {
	a, b := w.positive(n), w.operand(n, k)
	if a == nil || b == nil {
		return nil
	}
	f := lapack.Cholesky{Backend: w.backend}
	must(f.FactorizeInPlace(a))
	x := w.result(n, k)
	return w.cold(func() { must(f.SolveUTo(x, b, true)) })
}

func prepareTtrsm(w *workspace, _, n, _ int) func() time.Duration {
	return prepareTriangles(w, n, true, (*lapack.Cholesky).SolveUTriangle)
}

func prepareTtrmm(w *workspace, _, n, _ int) func() time.Duration {
	return prepareTriangles(w, n, false, (*lapack.Cholesky).MulUTriangle)
}

func prepareTriangles(w *workspace, n int, lower bool, do func(*lapack.Cholesky, *mat.Dense) error) func() time.Duration {
	a, t := w.positive(n), w.triangle(n)
	if a == nil || t == nil {
		return nil
	}
	if lower {
		upper := t
		t = mat.NewDense(n, n, nil)
		t.Copy(upper.T())
	}
	f := lapack.Cholesky{Backend: w.backend}
	must(f.FactorizeInPlace(a))
	x := gonummat.DenseCopyOf(t)
	return w.after(func() { x.Copy(t) }, func() { must(do(&f, x)) })
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
		_, _, _, err := dense.SvdThin(w.backend, a)
		must(err)
	})
}

func prepareGecon(w *workspace, _, n, _ int) func() time.Duration {
	a := w.regular(n)
	if a == nil {
		return nil
	}
	f := lapack.LU{Backend: w.backend}
	must(f.FactorizeInPlace(a))
	return w.cold(func() { f.RCond() })
}

func prepareTrcon(w *workspace, _, n, _ int) func() time.Duration {
	a := w.regular(n)
	if a == nil {
		return nil
	}
	f := lapack.QR{Backend: w.backend}
	must(f.FactorizeInPlace(a))
	return w.cold(func() { f.RCond() })
}

// must panics on an error of an operation on operands that are made for it.
func must(err error) {
	if err != nil {
		panic("blsupdate: an operation on a regular matrix failed: " + err.Error())
	}
}
