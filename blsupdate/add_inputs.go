package blsupdate

import (
	"errors"
	"math"
	"slices"
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
	inner *mat.SymPacked // DᵀD, q×q: at once in Original, when it is needed in Improved
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
	parts, err := u.add(compact(ax), compact(ya), q)
	if err != nil {
		return err
	}
	u.report = Report{Samples: u.p.count, Added: q, Start: u.report.Start}
	var models [][]StepFlops
	for _, p := range parts {
		if !p.shape.Split {
			u.report.RankC += p.shape.RankC
			u.report.Form = max(u.report.Form, p.form)
		}
		models = append(models, Model(u.method, p.form, p.shape))
	}
	u.account(merge(models), began)
	return nil
}

// A part is what was done about a batch, or a part of it.
type part struct {
	form  Form // of B; Auto where C is not zero
	shape Shape
}

// Norms of DᵀD, the size of the new rows as the old ones see it, from which on the inverse of I + DᵀD
// needs help. Its relative error is about eps times the norm, and what is lost is multiplied by the norm of Dbar.
const (
	// refineNorm: B is refined once, which takes the error to eps where the norm is below 1/eps.
	refineNorm = 1e4
	// splitNorm: the batch is added in halves. A single row needs no inverse.
	splitNorm = 1e12
)

// add brings the state up to date with q rows and returns what was done. On an error the state is what it
// was. It takes over ax and changes ya.
func (u *pseudoinverse) add(ax, ya []float64, q int) ([]part, error) {
	s := &addition{u: u, q: q, ax: ax, ya: ya}
	shape := Shape{L: u.p.count, K: u.k, Q: q, C: u.c, CheckC: u.computesC()}
	s.kept = u.opt.keptRows(shape.L, q)
	form := u.form(q)

	s.project()
	c, err := s.outsidePart()
	if err != nil {
		return nil, err
	}
	shape.RankC = c.rank
	if c.rank == 0 && form == Large {
		form, err = s.largeOrSmall()
		shape.LargeTried = form == Small
	}
	switch {
	case err != nil:
	case 0 < c.rank && c.rank < q:
		// First the rows that complete the row space, then those that lie in it.
		shape.Split = true
		return u.addParts(s, s.leadingRows(c.rank), part{form, shape})
	case c.rank == q:
		form = Auto
		s.beyond(c)
	case form == Small:
		size := s.innerNorm()
		if !(size <= math.MaxFloat64) {
			return nil, ErrOverflow
		}
		if size > splitNorm && q > 1 {
			shape.Split = true
			return u.addParts(s, firstHalf(q), part{form, shape})
		}
		shape.Refined = size > refineNorm
		err = s.small(shape.Refined)
	}
	if err != nil {
		return nil, err
	}
	w, err := s.weights()
	if err != nil {
		return nil, err
	}
	if err := s.checkOverflow(); err != nil {
		return nil, err
	}
	s.commit(w, shape.RankC)
	shape.Again = shape.L - s.kept
	return []part{{form, shape}}, nil
}

// addParts adds the rows of s in two parts, the rows first and then the others, and leaves them in their order.
// what is the part of the work that led to the decision.
func (u *pseudoinverse) addParts(s *addition, first []int, what part) ([]part, error) {
	saved := u.save()
	in := make([]bool, s.q)
	for _, i := range first {
		in[i] = true
	}
	order := slices.Clone(first)
	for i := range s.q {
		if !in[i] {
			order = append(order, i)
		}
	}
	l := u.p.count
	parts := []part{what}
	for _, rows := range [][]int{order[:len(first)], order[len(first):]} {
		done, err := u.add(pick(s.ax, u.k, rows), pick(s.ya, u.c, rows), len(rows))
		if err != nil {
			u.restore(saved)
			return nil, err
		}
		parts = append(parts, done...)
	}
	u.p.reorder(l, order)
	if u.a.count == u.p.count {
		u.a.reorder(l, order)
	}
	return parts, nil
}

// firstHalf returns the indices of the first half of q rows.
func firstHalf(q int) []int {
	half := make([]int, q/2)
	for i := range half {
		half[i] = i
	}
	return half
}

// pick returns copies of some rows of a matrix with the given number of columns.
func pick(x []float64, cols int, rows []int) []float64 {
	out := make([]float64, 0, len(rows)*cols)
	for _, i := range rows {
		out = append(out, x[i*cols:(i+1)*cols]...)
	}
	return out
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
	most := min(panelRows(q), u.p.count-s.kept)
	u.p.panels(s.kept, u.p.count, most, func(first, n int, p []float64) {
		if scratch == nil {
			scratch = make([]float64, most*q)
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

// innerNorm estimates the 2-norm of DᵀD from below, by some steps of the power method.
func (s *addition) innerNorm() float64 {
	m := s.innerProduct()
	data := m.RawSymPacked().Data
	x, y := make([]float64, s.q), make([]float64, s.q)
	for i := range x {
		x[i] = m.At(i, i)
	}
	size := 0.0
	for range 3 {
		length := norm(x)
		if !(length > 0) || math.IsInf(length, 1) {
			return length
		}
		for i := range x {
			x[i] /= length
		}
		s.u.counter.Dspmv(blas.Upper, s.q, 1, data, x, 1, 0, y, 1)
		size = norm(y)
		x, y = y, x
	}
	return size
}

// small computes Bᵀ = (I + DᵀD)⁻¹ Dbarᵀ, and refines it once if refine is set.
func (s *addition) small(refine bool) error {
	m, k := s.innerProduct(), s.u.k
	m.AddDiagonal(1)
	var original []float64
	if refine {
		original = slices.Clone(m.RawSymPacked().Data)
	}
	s.u.counter.Enter(StepInverse)
	defer s.u.counter.Leave()
	ldlt := lapack.LDLT{Backend: s.u.counter}
	if err := ldlt.FactorizeInPlace(m); err != nil {
		return inverseError("I + D'D", err)
	}
	m, err := ldlt.InverseInPlace()
	if err != nil {
		return inverseError("I + D'D", err)
	}
	inverse := m.RawSymPacked().Data
	s.u.counter.Enter(StepB)
	s.bt = make([]float64, s.q*k)
	s.u.counter.Dspmm(blas.Left, s.q, k, 1, inverse, s.dbar, k, 0, s.bt, k)
	if refine {
		s.u.counter.Enter(StepRefine)
		residual := slices.Clone(s.dbar)
		s.u.counter.Dspmm(blas.Left, s.q, k, -1, original, s.bt, k, 1, residual, k)
		s.u.counter.Dspmm(blas.Left, s.q, k, 1, inverse, residual, k, 1, s.bt, k)
	}
	return nil
}

// inverseError says why the matrix of the given name, whose eigenvalues are at least 1, has no inverse.
func inverseError(matrix string, err error) error {
	if errors.Is(err, lapack.ErrNotFinite) {
		return ErrOverflow
	}
	return &ConditionError{What: matrix, Err: err}
}

// Reciprocal condition numbers of I + Dbar Ax below which the Large form is not used: eps over it is the relative
// error of B.
const (
	leastRCond     = eps   // it is an error
	leastAutoRCond = 1e-12 // the form Auto takes Small
)

// largeOrSmall computes Bᵀ by the Large form and returns Large. If the form is Auto's choice and would be
// inaccurate it returns Small, and nothing is computed.
func (s *addition) largeOrSmall() (Form, error) {
	if s.u.opt.Form != Auto {
		return Large, s.large(leastRCond)
	}
	err := s.large(leastAutoRCond)
	var condition *ConditionError
	if errors.As(err, &condition) {
		return Small, nil
	}
	return Large, err
}

// large computes Bᵀ = Dbarᵀ (I + Dbar Ax)⁻ᵀ, or returns a *ConditionError if the reciprocal condition number of
// that matrix is not above least.
func (s *addition) large(least float64) error {
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
		return inverseError("I + Dbar Ax", err)
	}
	if rcond := lu.RCond(); !(rcond > least) {
		return &ConditionError{What: "I + Dbar Ax", RCond: rcond}
	}
	inverse, err := lu.InverseInPlace()
	if err != nil {
		return inverseError("I + Dbar Ax", err)
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
// B Dᵀ is larger than the product of the norms of B and D, and ‖D‖ is at most ‖A⁺‖‖Ax‖.
func (s *addition) checkOverflow() error {
	b := norm(s.bt)
	if math.IsInf(b, 1) || math.IsNaN(b) {
		return ErrOverflow
	}
	// For C = 0 no row of B Dᵀ is larger than one of A⁺; only otherwise can the product be anything.
	if s.ct != nil {
		if bound := b * (s.u.p.norm() * norm(s.ax)); !(bound < math.MaxFloat64/2) {
			return ErrOverflow
		}
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
	u.norm = math.Hypot(u.norm, norm(s.ax))
	if u.computesC() {
		u.a.append(s.ax)
		u.rank = min(u.rank+rankC, k)
		if !u.computesC() {
			u.a = rows{cols: k}
		}
	}
}
