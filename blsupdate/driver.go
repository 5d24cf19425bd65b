package blsupdate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/pinv"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/memory"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// An updater is a state with what all methods have in common: checks, counts and times.
type updater struct {
	method   Method
	counter  *Counter
	state    state.State
	samples  int
	report   Report
	began    time.Time // of the call under way
	poisoned bool      // a change is under way, or was when something panicked
}

// A pseudoinverter is an updater whose state has A⁺.
type pseudoinverter struct {
	*updater
	p *pinv.State
}

func (u pseudoinverter) Pseudoinverse() *mat.Dense { return u.p.P.Transposed() }

func (u *updater) AddInputs(ax, ya *mat.Dense) error {
	return u.AddInputsContext(context.Background(), ax, ya)
}

func (u *updater) AddInputsContext(ctx context.Context, ax, ya *mat.Dense) error {
	u.begin()
	if err := u.checkRows(ax, ya); err != nil {
		return err
	}
	q := dense.Rows(ax)
	if err := u.checkAddMemory(ctx, q, 0); err != nil {
		return err
	}
	return u.run(q, q, func() (state.Outcome, error) { return u.state.Add(ctx, ax, ya) })
}

func (u *updater) AddWeightedInputs(ax, ya *mat.Dense, weights []float64) error {
	return u.AddWeightedInputsContext(context.Background(), ax, ya, weights)
}

func (u *updater) AddWeightedInputsContext(ctx context.Context, ax, ya *mat.Dense, weights []float64) error {
	u.begin()
	if err := u.checkRows(ax, ya); err != nil {
		return err
	}
	q := dense.Rows(ax)
	if len(weights) != q {
		return &ShapeError{Matrix: "weights", Rows: len(weights), Cols: 1, Want: "a weight for each row of Ax"}
	}
	if err := u.checkAddMemory(ctx, q, memory.Floats(q, u.Nodes()+u.Targets())); err != nil {
		return err
	}
	roots := make([]float64, q)
	for i, w := range weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			return &OptionError{Option: fmt.Sprintf("the weight of row %d", i), Value: w, Want: "a finite number that is not negative"}
		}
		roots[i] = math.Sqrt(w)
	}
	sx, sy := dense.ScaleRows(ax, roots), dense.ScaleRows(ya, roots)
	if err := u.checkRows(sx, sy); err != nil {
		return ErrOverflow
	}
	return u.run(q, q, func() (state.Outcome, error) { return u.state.Add(ctx, sx, sy) })
}

func (u *updater) RemoveInputs(ax, ya *mat.Dense) error {
	u.begin()
	if err := u.checkRows(ax, ya); err != nil {
		return err
	}
	q := dense.Rows(ax)
	if q > u.samples {
		return &ShapeError{Matrix: "Ax", Rows: q, Cols: u.Nodes(), Want: fmt.Sprintf("at most %d rows, as many samples as the model has", u.samples)}
	}
	if u.method != Original && u.method != Improved {
		if err := state.CheckRemains(u.Lambda(), u.samples-q, u.Nodes(), ActionRemove); err != nil {
			return err
		}
	}
	return u.run(-q, q, func() (state.Outcome, error) { return u.state.Remove(ax, ya) })
}

func (u *updater) Forget(factor float64) error {
	u.begin()
	if !(factor > 0 && factor <= 1) {
		return &OptionError{Option: "the factor of Forget", Value: factor, Want: "a number above 0 and at most 1"}
	}
	return u.run(0, 0, func() (state.Outcome, error) {
		if factor == 1 {
			return state.Outcome{}, nil
		}
		return state.Outcome{}, u.state.Forget(factor)
	})
}

func (u *updater) AddNodes(a, h, y *mat.Dense) error {
	u.begin()
	if err := u.checkAll(a, y); err != nil {
		return err
	}
	if err := checkMatrix("H", h, u.samples, 0); err != nil {
		return err
	}
	_, p := h.Dims()
	if err := u.checkNodesMemory(p); err != nil {
		return err
	}
	return u.run(0, 0, func() (state.Outcome, error) { return u.state.AddNodes(a, h, y) })
}

// checkAll checks matrices that are to be all rows of the model.
func (u *updater) checkAll(a, y *mat.Dense) error {
	if err := checkPair("A", a, u.Nodes(), "Y", y, u.Targets()); err != nil {
		return err
	}
	if l := dense.Rows(a); l != u.samples {
		return &ShapeError{Matrix: "A", Rows: l, Cols: u.Nodes(), Want: fmt.Sprintf("%d rows, all samples that the model has", u.samples)}
	}
	return nil
}

func (u *updater) Merge(other Updater) error {
	u.begin()
	m, ok := u.state.(state.Merger)
	if !ok {
		return api.Unsupported(u.method, ActionMerge)
	}
	o := driverOf(other)
	switch {
	case o == nil || o.method != u.method:
		return &OptionError{Option: "the other model", Value: methodOf(other), Want: "a model by New with the method " + u.method.String()}
	case o.Nodes() != u.Nodes() || o.Targets() != u.Targets():
		return &ShapeError{Matrix: "W of the other model", Rows: o.Nodes(), Cols: o.Targets(), Want: "as many nodes and targets"}
	case o == u:
		return &OptionError{Option: "the other model", Value: "the receiver", Want: "another one"}
	}
	if err := o.whole(); err != nil {
		return err
	}
	return u.run(o.samples, 0, func() (state.Outcome, error) { return m.Merge(o.state) })
}

func (u *updater) SetLambda(lambda float64) error {
	u.begin()
	r, ok := u.state.(state.Ridger)
	if !ok {
		return api.Unsupported(u.method, ActionRidge)
	}
	if !(lambda >= 0) || math.IsInf(lambda, 1) {
		return &OptionError{Option: "Lambda", Value: lambda, Want: "a finite number that is not negative"}
	}
	return u.run(0, 0, func() (state.Outcome, error) { return r.SetLambda(lambda) })
}

func (u *updater) Weights() (*mat.Dense, error) {
	u.begin()
	b := u.state.Common()
	if err := b.Reserve(u.method, ActionWeights, 0, memory.Floats(b.K, b.C)); err != nil {
		return nil, err
	}
	w, err := u.solve()
	if err != nil {
		return nil, err
	}
	return gonummat.DenseCopyOf(w), nil
}

// checkDetermined returns a *RankError where the samples are too few to determine W.
func (u *updater) checkDetermined() error {
	if lazy := u.method == Gram || u.method == QR; lazy && u.Lambda() == 0 && u.samples < u.Nodes() {
		return &RankError{Samples: u.samples, Nodes: u.Nodes(), Running: true}
	}
	return nil
}

// solve returns W, which is not to be changed, and keeps account of what it took.
func (u *updater) solve() (*mat.Dense, error) {
	if err := u.whole(); err != nil {
		return nil, err
	}
	if err := u.checkDetermined(); err != nil {
		return nil, err
	}
	w, d, err := u.state.Weights()
	u.counter.Leave()
	if err == nil && d.Model != nil {
		u.append(d.Model)
	}
	return w, err
}

func (u *updater) Options() Options { return u.state.Common().Options }

func (u *updater) Method() Method { return u.method }

func (u *updater) Samples() int { return u.samples }

func (u *updater) Nodes() int { return u.state.Common().K }

func (u *updater) Targets() int { return u.state.Common().C }

func (u *updater) Lambda() float64 { return u.state.Common().Lambda }

func (u *updater) Report() Report {
	r := u.report
	r.Steps = slices.Clone(r.Steps)
	return r
}

// checkRows checks a batch.
func (u *updater) checkRows(ax, ya *mat.Dense) error {
	return checkPair("Ax", ax, u.Nodes(), "Ya", ya, u.Targets())
}

// begin starts the clock of a call. What comes before the first step are checks.
func (u *updater) begin() {
	u.counter.Reset()
	u.counter.Enter(cost.StepCheck)
	u.began = time.Now()
}

// whole returns an error where a change has been stopped by a panic.
func (u *updater) whole() error {
	if u.poisoned {
		return &StateError{What: "a panic has stopped a change of it half done"}
	}
	return nil
}

// run lets the state act and keeps account of it: of the samples that the model gains, and of the look at the
// given rows, if there were any to be checked.
func (u *updater) run(gained, rows int, act func() (state.Outcome, error)) error {
	if err := u.whole(); err != nil {
		return err
	}
	u.poisoned = true
	d, err := act()
	u.poisoned = false
	u.counter.Leave()
	if err != nil {
		return err
	}
	if rows > 0 {
		d.Model = append([]StepFlops{cost.CheckModel(rows, u.Nodes(), u.Targets())}, d.Model...)
	}
	u.samples += gained
	u.account(d, Report{Added: gained, Start: u.report.Start})
	return nil
}

// account starts a new report.
func (u *updater) account(d state.Outcome, report Report) {
	report.Samples = u.samples
	report.Form, report.RankC, report.Abandoned = d.Form, d.RankC, d.Abandoned
	u.report = report
	u.append(d.Model)
}

// append adds the steps of the model beside what was counted to the report.
func (u *updater) append(model []StepFlops) {
	r := &u.report
	r.Steps = slices.Grow(slices.Clone(r.Steps), len(model))
	for _, m := range model {
		counted, elapsed := u.counter.Step(m.Step)
		r.Steps = append(r.Steps, StepReport{StepFlops: m, Model: m.Flops(), Counted: counted, Elapsed: elapsed})
	}
	r.model += cost.SumOf(model)
	r.counted += u.counter.Total()
	r.Elapsed += time.Since(u.began)
	u.counter.Reset()
}

func driverOf(u Updater) *updater {
	switch u := u.(type) {
	case *updater:
		return u
	case pseudoinverter:
		return u.updater
	case leverager:
		return u.updater
	case refiner:
		return u.updater
	}
	return nil
}

// methodOf describes another model, of whatever type it is, for an error.
func methodOf(u Updater) any {
	if d := driverOf(u); d != nil {
		return d.method
	}
	return fmt.Sprintf("%T", u)
}
