package blsupdate

import (
	"math"
	"time"

	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack/gonum"
)

func prepareCarlson(w *workspace, m, n, _ int) func() time.Duration {
	l, ax := w.regular(n), w.operand(m, n)
	if l == nil || ax == nil {
		return nil
	}
	s := &inverseCholesky{common: *w.state(n), l: cloneDense(l), gain: 1 / math.Sqrt(float64(n))}
	return w.after(func() { s.l.Copy(l) }, func() { s.sweep(1, ax) })
}

func prepareChud(w *workspace, m, n, k int) func() time.Duration {
	r, z, a, y := w.triangle(n), w.operand(n, k), w.operand(m, n), w.operand(m, k)
	if r == nil || z == nil || a == nil || y == nil {
		return nil
	}
	z = cloneDense(z)
	ax, ya := cloneDense(a), cloneDense(y)
	return w.after(func() {
		ax.Copy(a)
		ya.Copy(y)
	}, func() { rotateIn(r, z, ax, ya) })
}

func prepareChdd(w *workspace, m, n, k int) func() time.Duration {
	r, z, factor, p := w.triangle(n), w.operand(n, k), w.triangle(m), w.operand(n, m)
	if r == nil || z == nil || factor == nil || p == nil || !w.fits(m*n+m*k, m*n+m*k) {
		return nil
	}
	d := rotations{bk: w.backend, q: m, k: n, n: make([]float64, m*m), p: make([]float64, n*m), others: []carried{
		{low: make([]float64, m*n), ldl: n, high: r.RawMatrix().Data, ldh: n, width: n, triangle: true},
		{low: make([]float64, m*k), ldl: k, high: cloneDense(z).RawMatrix().Data, ldh: k, width: k},
	}}
	return w.after(func() {
		copy(d.n, factor.RawMatrix().Data)
		copy(d.p, p.RawMatrix().Data)
	}, d.run)
}

func preparePptrf(w *workspace, _, n, _ int) func() time.Duration {
	a := w.positive(n)
	if a == nil {
		return nil
	}
	c := cloneSym(a)
	return w.after(func() { c.CopySym(a) }, func() {
		f := lapack.Cholesky{Backend: w.backend}
		must(f.FactorizeInPlace(c))
	})
}

func preparePptri(w *workspace, _, n, _ int) func() time.Duration {
	a := w.positive(n)
	if a == nil {
		return nil
	}
	f := lapack.Cholesky{Backend: w.backend}
	return w.after(func() { must(f.Factorize(a)) }, func() {
		_, err := f.InverseInPlace()
		must(err)
	})
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

func prepareSptrf(w *workspace, _, n, _ int) func() time.Duration {
	a := w.positive(n)
	if a == nil {
		return nil
	}
	c := cloneSym(a)
	return w.after(func() { c.CopySym(a) }, func() {
		f := lapack.LDLT{Backend: w.backend}
		must(f.FactorizeInPlace(c))
	})
}

func prepareSptri(w *workspace, _, n, _ int) func() time.Duration {
	a := w.positive(n)
	if a == nil {
		return nil
	}
	f := lapack.LDLT{Backend: w.backend}
	return w.after(func() { must(f.Factorize(a)) }, func() {
		_, err := f.InverseInPlace()
		must(err)
	})
}

func prepareGetrf(w *workspace, _, n, _ int) func() time.Duration {
	a := w.regular(n)
	if a == nil {
		return nil
	}
	c := cloneDense(a)
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
	z = cloneDense(z)
	ya := w.result(m, k)
	return w.cold(func() { must(lapack.AppendRows(w.backend, r, z, ax, ya)) })
}

func prepareTtqrt(w *workspace, _, n, k int) func() time.Duration {
	r, r2, z := w.triangle(n), w.triangle(n), w.operand(n, k)
	if r == nil || z == nil {
		return nil
	}
	z = cloneDense(z)
	z2 := w.result(n, k)
	return w.cold(func() { must(lapack.MergeTriangles(w.backend, r, z, r2, z2)) })
}

func prepareTrtri(w *workspace, _, n, _ int) func() time.Duration {
	a := w.triangle(n)
	if a == nil {
		return nil
	}
	c := cloneDense(a)
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
	x := cloneDense(t)
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
		_, _, _, err := svdThin(w.backend, a)
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
