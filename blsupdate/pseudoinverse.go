package blsupdate

import (
	"slices"
	"time"

	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// pseudoinverse is the state of Original and Improved.
type pseudoinverse struct {
	method  Method
	opt     Options
	counter *Counter

	k, c int
	p    rows      // (A⁺)ᵀ, l×k
	w    []float64 // W, k×c

	a    rows    // A while C is to be computed, else empty
	rank int     // of A
	norm float64 // Frobenius norm of A

	report Report
}

var _ Pseudoinverter = (*pseudoinverse)(nil)

func newPseudoinverse(m Method, a, y *mat.Dense, opt Options) (*pseudoinverse, error) {
	began := time.Now()
	l, k := a.Dims()
	_, c := y.Dims()
	if opt.Lambda > 0 && l < k && opt.C != CZero {
		return nil, &RankError{Samples: l, Nodes: k}
	}
	u := &pseudoinverse{method: m, opt: opt, counter: NewCounter(opt.Backend), k: k, c: c}
	s, err := u.start(a)
	if err != nil {
		return nil, err
	}
	u.p = rows{cols: k}
	u.p.append(s.p)
	u.rank = s.rank
	u.a = rows{cols: k}
	u.norm = a.Norm(2)
	if u.computesC() {
		u.a.append(compact(a))
	}
	u.w = make([]float64, k*c)
	u.counter.Enter(StepInitial)
	ry := y.RawMatrix()
	u.p.panels(0, l, l, func(first, n int, p []float64) {
		u.counter.Dgemm(blas.Trans, blas.NoTrans, k, c, n, 1, p, k, ry.Data[first*ry.Stride:], ry.Stride, 1, u.w, c)
	})
	u.counter.Leave()
	if firstNotFinite(s.p) >= 0 || firstNotFinite(u.w) >= 0 {
		return nil, ErrOverflow
	}
	u.report = Report{Samples: l, Added: l, Start: s.start, Abandoned: s.abandoned}
	u.account(InitialModel(s.start, opt.Lambda > 0, s.rank, l, k, c), began)
	return u, nil
}

// computesC tells whether the next update has to look at C.
func (u *pseudoinverse) computesC() bool {
	return u.opt.C == CCheck || u.opt.C == CAuto && u.rank < u.k
}

// form returns the form of B in an update by q rows, where C is zero.
func (u *pseudoinverse) form(q int) Form {
	if u.method == Original {
		return Small
	}
	return u.opt.Form.Resolve(q, u.k)
}

// account writes the steps of the model beside what was counted into the report.
func (u *pseudoinverse) account(model []StepFlops, began time.Time) {
	u.report.Steps = make([]StepReport, len(model))
	for i, m := range model {
		counted, elapsed := u.counter.Step(m.Step)
		u.report.Steps[i] = StepReport{Step: m.Step, Formula: m.Formula, Model: m.Flops(), Counted: counted, Elapsed: elapsed}
	}
	u.report.model, u.report.counted = Total(model), u.counter.Flops()
	u.report.Elapsed = time.Since(began)
	u.counter.Reset()
}

// save returns what restore needs to undo updates. A is only ever appended to and W replaced, so they are
// not copied.
func (u *pseudoinverse) save() pseudoinverse {
	saved := *u
	saved.p = u.p.clone()
	saved.a.blocks = slices.Clone(u.a.blocks)
	return saved
}

func (u *pseudoinverse) restore(saved pseudoinverse) {
	u.p, u.a, u.w, u.rank, u.norm = saved.p, saved.a, saved.w, saved.rank, saved.norm
}

func (u *pseudoinverse) Samples() int { return u.p.count }
func (u *pseudoinverse) Nodes() int   { return u.k }
func (u *pseudoinverse) Targets() int { return u.c }

func (u *pseudoinverse) Report() Report {
	r := u.report
	r.Steps = slices.Clone(r.Steps)
	return r
}

func (u *pseudoinverse) Weights() (*mat.Dense, error) {
	return mat.NewDense(u.k, u.c, append([]float64(nil), u.w...)), nil
}

func (u *pseudoinverse) Pseudoinverse() *mat.Dense { return u.p.transposed() }

func (u *pseudoinverse) Condition() float64 {
	return u.norm * u.p.norm()
}
