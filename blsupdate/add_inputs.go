package blsupdate

import (
	"fmt"
	"math"
	"time"

	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// An addition is one update on its way: what is computed from the state before the state is touched.
type addition struct {
	u  *pseudoinverse
	q  int
	ax []float64 // Ax, q×k
	ya []float64 // Ya, q×c

	kept  int            // rows of D that are kept
	d     []float64      // those rows, kept×q
	dbar  []float64      // Dbarᵀ = DᵀA⁺ᵀ, q×k
	inner *mat.SymPacked // DᵀD, q×q, in Original
	ct    []float64      // Cᵀ = Ax - DᵀA, q×k, where it is computed
	bt    []float64      // Bᵀ, q×k
}

func (u *pseudoinverse) AddInputs(ax, ya *mat.Dense) error {
	began := time.Now()
	u.counter.Reset()
	if err := checkPair("Ax", ax, u.k, "Ya", ya, u.c); err != nil {
		return err
	}
	q, _ := ax.Dims()
	s := &addition{u: u, q: q, ax: compact(ax), ya: compact(ya)}
	shape := Shape{L: u.p.count, K: u.k, Q: q, C: u.c, CheckC: u.computesC()}
	s.kept = u.opt.keptRows(shape.L, q)
	shape.Again = shape.L - s.kept
	form := u.form(q)

	s.project()
	c, err := s.outsidePart()
	if err != nil {
		return err
	}
	shape.RankC = c.rank
	switch {
	case c.rank > 0:
		form, err = Small, s.general(c)
	case form == Large:
		err = s.large()
	default:
		err = s.small()
	}
	if err != nil {
		return err
	}
	w, err := s.weights()
	if err != nil {
		return err
	}
	if err := s.checkOverflow(); err != nil {
		return err
	}
	s.commit(w, shape.RankC)
	u.report = Report{Samples: u.p.count, Added: q, Form: form, Start: u.report.Start, RankC: shape.RankC}
	u.account(Model(u.method, form, shape), began)
	return nil
}

// project computes D = P Axᵀ and Dbarᵀ = DᵀP, and DᵀD in Original and Cᵀ where they are wanted, in one pass
// over P.
func (s *addition) project() {
	u, q, k := s.u, s.q, s.u.k
	s.d = make([]float64, s.kept*q)
	s.dbar = make([]float64, q*k)
	if u.method == Original {
		s.inner = mat.NewSymPacked(q, nil)
	}
	if u.computesC() {
		s.ct = append([]float64(nil), s.ax...)
	}
	s.eachD(StepD, func(first, n int, p, d []float64) {
		u.counter.Enter(StepDbar)
		u.counter.Dgemm(blas.Trans, blas.NoTrans, q, k, n, 1, d, q, p, k, 1, s.dbar, k)
		if s.inner != nil {
			u.counter.Enter(StepInner)
			u.counter.Dsprk(blas.Trans, q, n, 1, d, q, 1, s.inner.RawSymPacked().Data)
		}
		if s.ct != nil {
			u.counter.Enter(StepC)
			u.a.panels(first, first+n, n, func(i, n int, a []float64) {
				u.counter.Dgemm(blas.Trans, blas.NoTrans, q, k, n, -1, d[(i-first)*q:], q, a, k, 1, s.ct, k)
			})
		}
	})
}

// eachD calls f for every panel of P with the same rows of D, which are computed as part of step: all
// of them for StepD, which fills s.d, and only those that are not in s.d for StepDAgain.
func (s *addition) eachD(step Step, f func(first, n int, p, d []float64)) {
	u, q, k := s.u, s.q, s.u.k
	project := func(n int, p, d []float64) {
		u.counter.Enter(step)
		u.counter.Dgemm(blas.NoTrans, blas.Trans, n, q, k, 1, p, k, s.ax, k, 0, d, q)
	}
	u.p.panels(0, s.kept, s.kept, func(first, n int, p []float64) {
		d := s.d[first*q : (first+n)*q]
		if step == StepD {
			project(n, p, d)
		}
		f(first, n, p, d)
	})
	var scratch []float64
	u.p.panels(s.kept, u.p.count, panelRows, func(first, n int, p []float64) {
		if scratch == nil {
			scratch = make([]float64, panelRows*q)
		}
		d := scratch[:n*q]
		project(n, p, d)
		f(first, n, p, d)
	})
	u.counter.Leave()
}

// innerProduct returns the symmetric q×q matrix DᵀD, which is also Ax Dbar.
func (s *addition) innerProduct() *mat.SymPacked {
	if s.inner == nil {
		s.u.counter.Enter(StepInner)
		s.inner = mat.NewSymPacked(s.q, nil)
		s.u.counter.Dgemmtp(blas.NoTrans, blas.Trans, s.q, s.u.k, 1, s.ax, s.u.k, s.dbar, s.u.k, 0, s.inner.RawSymPacked().Data)
	}
	return s.inner
}

// small computes Bᵀ = (I + DᵀD)⁻¹ Dbarᵀ.
func (s *addition) small() error {
	m := s.innerProduct()
	s.u.counter.Enter(StepInverse)
	defer s.u.counter.Leave()
	m.AddDiagonal(1)
	inverse, err := s.invert(m)
	if err != nil {
		return err
	}
	s.u.counter.Enter(StepB)
	s.bt = make([]float64, s.q*s.u.k)
	s.u.counter.Dspmm(blas.Left, s.q, s.u.k, 1, inverse.RawSymPacked().Data, s.dbar, s.u.k, 0, s.bt, s.u.k)
	return nil
}

// invert replaces m, whose eigenvalues are at least 1, by its inverse.
func (s *addition) invert(m *mat.SymPacked) (*mat.SymPacked, error) {
	ldlt := lapack.LDLT{Backend: s.u.counter}
	if err := ldlt.FactorizeInPlace(m); err != nil {
		return nil, fmt.Errorf("%w (LDLᵀ of I + D'D: %w)", ErrOverflow, err)
	}
	inverse, err := ldlt.InverseInPlace()
	if err != nil {
		return nil, fmt.Errorf("%w (inverse of I + D'D: %w)", ErrOverflow, err)
	}
	return inverse, nil
}

// large computes Bᵀ = Dbarᵀ (I + Dbar Ax)⁻ᵀ.
func (s *addition) large() error {
	u, q, k := s.u, s.q, s.u.k
	u.counter.Enter(StepInner)
	defer u.counter.Leave()
	m := mat.NewDense(k, k, nil)
	data := m.RawMatrix().Data
	u.counter.Dgemm(blas.Trans, blas.NoTrans, k, k, q, 1, s.dbar, k, s.ax, k, 0, data, k)
	for i := range k {
		data[i*k+i]++
	}

	u.counter.Enter(StepInverse)
	lu := lapack.LU{Backend: u.counter}
	if err := lu.FactorizeInPlace(m); err != nil {
		return fmt.Errorf("%w (LU of I + Dbar Ax: %w)", ErrOverflow, err)
	}
	inverse, err := lu.InverseInPlace()
	if err != nil {
		return fmt.Errorf("%w (inverse of I + Dbar Ax: %w)", ErrOverflow, err)
	}
	u.counter.Enter(StepB)
	s.bt = make([]float64, q*k)
	raw := inverse.RawMatrix()
	u.counter.Dgemm(blas.NoTrans, blas.Trans, q, k, k, 1, s.dbar, k, raw.Data, raw.Stride, 0, s.bt, k)
	return nil
}

// weights returns W + B (Ya - Ax W).
func (s *addition) weights() ([]float64, error) {
	u, q, k, c := s.u, s.q, s.u.k, s.u.c
	u.counter.Enter(StepWeights)
	defer u.counter.Leave()
	u.counter.Dgemm(blas.NoTrans, blas.NoTrans, q, c, k, -1, s.ax, k, u.w, c, 1, s.ya, c)
	w := append([]float64(nil), u.w...)
	u.counter.Dgemm(blas.Trans, blas.NoTrans, k, c, q, 1, s.bt, k, s.ya, c, 1, w, c)
	if firstNotFinite(w) >= 0 {
		return nil, ErrOverflow
	}
	return w, nil
}

// checkOverflow makes sure that A⁺ - B Dᵀ, which is computed in place, will be finite: no element of
// B Dᵀ is larger than the product of the norms of B and D, and ‖D‖² is the trace of Ax Dbar.
func (s *addition) checkOverflow() error {
	var trace float64
	for i, v := range s.ax {
		trace += v * s.dbar[i]
	}
	bound := math.Sqrt(max(0, trace)) * math.Sqrt(sumSquares(s.bt))
	if !(bound < math.MaxFloat64/2) {
		return ErrOverflow
	}
	return nil
}

// commit changes the state; nothing in it can fail.
func (s *addition) commit(w []float64, rankC int) {
	u, q, k := s.u, s.q, s.u.k
	s.eachD(StepDAgain, func(_, n int, p, d []float64) {
		u.counter.Enter(StepPseudoinverse)
		u.counter.Dgemm(blas.NoTrans, blas.NoTrans, n, k, q, -1, d, q, s.bt, k, 1, p, k)
	})
	u.p.append(s.bt)
	u.w = w
	u.squares += sumSquares(s.ax)
	if u.computesC() {
		u.a.append(s.ax)
		u.rank = min(u.rank+rankC, k)
		if !u.computesC() {
			u.a = rows{cols: k}
		}
	}
}
