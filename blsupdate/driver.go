package blsupdate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/io/interrupt"
	"blskernel/internal/io/memory"
	"blskernel/internal/io/names"
	"blskernel/internal/linalg/floats"
	"blskernel/mat"
)

// An updater wraps the state of a method with the checks, counts and times that all methods share.
type updater struct {
	method   Method
	counter  *cost.Counter
	state    state.State
	report   Report
	began    time.Time // start of the current call
	inverse  *inverse  // for statistics of the current state; nil until needed
	poisoned bool      // a change is in progress, or a panic stopped one
}

func (u *updater) driver() *updater { return u }

var background = context.Background()

func (u *updater) AddInputs(ax, ya *mat.Dense) error {
	return u.AddInputsContext(background, ax, ya, nil)
}
func (u *updater) RemoveInputs(ax, ya *mat.Dense) error {
	return u.RemoveInputsContext(background, ax, ya, nil)
}
func (u *updater) Rebuild(a, y *mat.Dense) error     { return u.RebuildContext(background, a, y) }
func (u *updater) AddNodes(a, h, y *mat.Dense) error { return u.AddNodesContext(background, a, h, y) }
func (u *updater) Merge(other Updater) error         { return u.MergeContext(background, other) }
func (u *updater) SetLambda(lambda float64) error    { return u.SetLambdaContext(background, lambda) }
func (u *updater) AddTargets(t *mat.Dense) error     { return u.AddTargetsContext(background, t) }
func (u *updater) MapTargets(t *mat.Dense) error     { return u.MapTargetsContext(background, t) }
func (u *updater) Weights() (*mat.Dense, error)      { return u.WeightsContext(background) }

func (u *updater) AddInputsContext(ctx context.Context, ax, ya *mat.Dense, weights []float64) error {
	return u.changeRows(ctx, ActionAdd, ax, ya, weights)
}

func (u *updater) RemoveInputsContext(ctx context.Context, ax, ya *mat.Dense, weights []float64) error {
	return u.changeRows(ctx, ActionRemove, ax, ya, weights)
}

// changeRows adds rows if action is ActionAdd, and removes them if it is ActionRemove.
func (u *updater) changeRows(ctx context.Context, action Action, ax, ya *mat.Dense, weights []float64) error {
	u.startClock()
	q, err := checkPair("Ax", ax, -1, u.Nodes(), "Ya", ya, u.Targets())
	if err != nil {
		return err
	}
	if action == ActionRemove && q > u.Samples() {
		return &ShapeError{Matrix: "Ax", Rows: q, Cols: u.Nodes(), Want: fmt.Sprintf("at most %s, one for each sample in the model", names.Count(u.Samples(), "row"))}
	}
	given := ya
	if ax, ya, err = u.weighted(action, ax, ya, weights); err != nil {
		return err
	}
	if action == ActionRemove {
		return u.run(ctx, -q, q, func() (state.Outcome, error) { return u.state.Remove(ax, ya) },
			func(s state.Sums) state.Sums { return s.Minus(state.SumsOf(given, weights)) })
	}
	return u.run(ctx, q, q, func() (state.Outcome, error) { return u.state.Add(ctx, ax, ya) },
		func(s state.Sums) state.Sums { return s.Plus(state.SumsOf(given, weights)) })
}

// checkRowWeights returns an error unless weights has q elements, all finite and none negative. of is
// the name of the weighted matrix in the error.
func checkRowWeights(weights []float64, of string, q int) error {
	if len(weights) != q {
		return &ShapeError{Matrix: "the list of weights", Rows: len(weights), Cols: 1, Want: "a weight for each row of " + of}
	}
	for i, w := range weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			return &OptionError{Option: fmt.Sprintf("the weight of row %d", i), Value: w, Want: "a finite number that is not negative"}
		}
	}
	return nil
}

// weighted returns copies of ax and ya with row i multiplied by sqrt(weights[i]), or ax and ya
// themselves if weights is nil. It first checks the weights, and the memory for the copies.
func (u *updater) weighted(action Action, ax, ya *mat.Dense, weights []float64) (*mat.Dense, *mat.Dense, error) {
	if weights == nil {
		return ax, ya, nil
	}
	q := dense.Rows(ax)
	if err := checkRowWeights(weights, "Ax", q); err != nil {
		return nil, nil, err
	}
	if err := u.state.Common().Reserve(action, q, memory.Floats(q, u.Nodes()+u.Targets())); err != nil {
		return nil, nil, err
	}
	roots := make([]float64, q)
	for i, w := range weights {
		roots[i] = math.Sqrt(w)
	}
	ax, ya = dense.Copy(ax), dense.Copy(ya)
	dense.ScaleRows(ax, roots)
	dense.ScaleRows(ya, roots)
	if _, err := checkPair("Ax", ax, -1, u.Nodes(), "Ya", ya, u.Targets()); err != nil {
		return nil, nil, ErrOverflow
	}
	return ax, ya, nil
}

func (u *updater) RebuildContext(ctx context.Context, a, y *mat.Dense) error {
	u.startClock()
	if _, err := checkPair("A", a, -1, u.Nodes(), "Y", y, u.Targets()); err != nil {
		return err
	}
	if err := u.whole(); err != nil {
		return err
	}
	opt := u.Options()
	opt.Lambda = u.Lambda()
	next, err := NewContext(ctx, u.method, a, y, opt)
	if err != nil {
		return err
	}
	d := driverOf(next)
	d.report.Added -= u.Samples()
	*u = *d
	return nil
}

func (u *updater) Forget(factor float64) error {
	u.startClock()
	if !(factor > 0 && factor <= 1) {
		return &OptionError{Option: "the factor of Forget", Value: factor, Want: "a number above 0 and at most 1"}
	}
	return u.run(background, 0, 0, func() (out state.Outcome, err error) {
		if factor < 1 {
			err = u.state.Forget(factor)
		}
		return out, err
	}, func(s state.Sums) state.Sums { return s.Scaled(factor) })
}

func (u *updater) AddNodesContext(ctx context.Context, a, h, y *mat.Dense) error {
	u.startClock()
	if _, err := checkPair("A", a, u.Samples(), u.Nodes(), "Y", y, u.Targets()); err != nil {
		return err
	}
	if err := checkMatrix("H", h, u.Samples(), 0); err != nil {
		return err
	}
	if err := checkMemory(u.method, u.Samples(), u.Nodes(), u.Targets(), dense.Cols(h)); err != nil {
		return err
	}
	return u.run(ctx, 0, 0, func() (state.Outcome, error) { return u.state.AddNodes(a, h, y) }, nil)
}

func (u *updater) MergeContext(ctx context.Context, other Updater) error {
	u.startClock()
	m, ok := u.state.(state.Merger)
	if !ok {
		return unsupported(u.method, ActionMerge)
	}
	o := driverOf(other)
	switch {
	case o == nil:
		return &OptionError{Option: "the other model", Value: fmt.Sprintf("%T", other), Want: "a model from New or Decode"}
	case o.method != u.method:
		return &OptionError{Option: "the method of the other model", Value: o.method, Want: "the method of the receiver, " + u.method.String()}
	case o.Nodes() != u.Nodes() || o.Targets() != u.Targets():
		return &ShapeError{Matrix: "W of the other model", Rows: o.Nodes(), Cols: o.Targets(), Want: fmt.Sprintf("%d×%d, as in the receiver", u.Nodes(), u.Targets())}
	case o == u:
		return &OptionError{Option: "the other model", Value: "the receiver", Want: "another model, such as a Clone of it"}
	}
	if err := o.whole(); err != nil {
		return err
	}
	return u.run(ctx, o.Samples(), 0, func() (state.Outcome, error) { return m.Merge(o.state) },
		func(s state.Sums) state.Sums { return s.Plus(o.state.Common().Sums) })
}

func (u *updater) SetLambdaContext(ctx context.Context, lambda float64) error {
	u.startClock()
	r, ok := u.state.(state.Ridger)
	if !ok {
		return unsupported(u.method, ActionRidge)
	}
	if err := checkLambda(lambda); err != nil {
		return err
	}
	return u.run(ctx, 0, 0, func() (state.Outcome, error) { return r.SetLambda(lambda) }, nil)
}

func (u *updater) AddTargetsContext(ctx context.Context, t *mat.Dense) error {
	return u.mapTargets(ctx, ActionTargets, t, true)
}

func (u *updater) MapTargetsContext(ctx context.Context, t *mat.Dense) error {
	return u.mapTargets(ctx, ActionMap, t, false)
}

// mapTargets replaces Y by Y T, or by [Y, Y T] if keep is set.
func (u *updater) mapTargets(ctx context.Context, action Action, t *mat.Dense, keep bool) error {
	u.startClock()
	if err := checkMatrix("T", t, -1, 0); err != nil {
		return err
	}
	if rows, cols := t.Dims(); rows != u.Targets() {
		return &ShapeError{Matrix: "T", Rows: rows, Cols: cols, Want: names.Count(u.Targets(), "row") + ", one for each target"}
	}
	return u.run(ctx, 0, 0, func() (state.Outcome, error) { return u.state.MapTargets(t, keep) },
		func(s state.Sums) state.Sums { return s.Mapped(t, keep) })
}

func (u *updater) WeightsContext(ctx context.Context) (*mat.Dense, error) {
	u.startClock()
	if err := interrupt.Check(ctx); err != nil {
		return nil, err
	}
	if err := u.state.Common().Reserve(ActionWeights, 0, memory.Floats(u.Nodes(), u.Targets())); err != nil {
		return nil, err
	}
	w, err := u.solve()
	if err != nil {
		return nil, err
	}
	return dense.Copy(w), nil
}

func (u *updater) Options() Options { return u.state.Common().Options }

func (u *updater) Method() Method  { return u.method }
func (u *updater) Samples() int    { return u.state.Common().Samples }
func (u *updater) Nodes() int      { return u.state.Common().K }
func (u *updater) Targets() int    { return u.state.Common().C }
func (u *updater) Lambda() float64 { return u.state.Common().Lambda }

func (u *updater) Report() Report {
	r := u.report
	r.Steps = slices.Clone(r.Steps)
	return r
}

// solve returns W, which must not be changed, and adds the cost of solving for it to the report.
func (u *updater) solve() (*mat.Dense, error) {
	if err := u.whole(); err != nil {
		return nil, err
	}
	w, out, err := u.state.Weights()
	if err == nil && out.Model != nil {
		u.append(out.Model)
	}
	return w, err
}

func (u *updater) whole() error {
	if u.poisoned {
		return &StateError{What: "a panic interrupted an earlier change"}
	}
	return nil
}

// startClock begins a call. It drops the counts of calls that have no report, such as Leverage.
func (u *updater) startClock() {
	u.counter.Reset()
	u.counter.Enter(cost.StepCheck)
	u.began = time.Now()
}

// run calls act to change the state, and then updates the report. It returns an error without calling
// act if the model is poisoned or ctx is done. gained is the change in Samples. If rows is above 0, the
// report has a step for the check of that many rows. sums maps the old Sums to the new; nil keeps them.
func (u *updater) run(ctx context.Context, gained, rows int, act func() (state.Outcome, error), sums func(state.Sums) state.Sums) error {
	if err := cmp.Or(u.whole(), interrupt.Check(ctx)); err != nil {
		return err
	}
	samples := u.Samples() + gained
	u.poisoned, u.inverse = true, nil
	out, err := act()
	u.poisoned = false
	if err != nil {
		return err
	}
	if rows > 0 {
		out.Model = append([]cost.StepFlops{cost.Check(rows, u.Nodes(), u.Targets())}, out.Model...)
	}
	base := u.state.Common()
	base.Samples = samples
	if sums != nil {
		base.Sums = sums(base.Sums)
	}
	u.account(out, Report{Added: gained, Start: u.report.Start})
	return nil
}

func (u *updater) account(out state.Outcome, report Report) {
	report.Samples = u.Samples()
	report.Form, report.RankC, report.Abandoned = out.Form, out.RankC, out.Abandoned
	u.report = report
	u.append(out.Model)
}

func (u *updater) append(model []cost.StepFlops) {
	u.counter.Leave()
	r := &u.report
	r.Steps = slices.Grow(slices.Clone(r.Steps), len(model))
	for _, m := range model {
		counted, elapsed := u.counter.Step(m.Step)
		step := StepFlops{Step(m.Step), m.Formula, m}
		r.Steps = append(r.Steps, StepReport{StepFlops: step, Model: m.Thirds().Flops(), Counted: counted, Elapsed: elapsed})
	}
	r.model += cost.Sum(model)
	r.counted += u.counter.Total()
	r.Elapsed += time.Since(u.began)
	u.counter.Reset()
}

// checkPair returns the number of rows of a and y, or an error that calls them aName and yName. Both
// must have the given number of rows (-1 accepts any common number), a must have k columns and y c (0
// accepts any number), and all elements must be finite.
func checkPair(aName string, a *mat.Dense, rows, k int, yName string, y *mat.Dense, c int) (int, error) {
	if err := checkMatrix(aName, a, rows, k); err != nil {
		return 0, err
	}
	return dense.Rows(a), checkMatrix(yName, y, dense.Rows(a), c)
}

func checkMatrix(name string, m *mat.Dense, rows, cols int) error {
	if m == nil || m.IsEmpty() {
		return &ShapeError{Matrix: name, Want: "at least one row and one column"}
	}
	r, c := m.Dims()
	if rows >= 0 && r != rows {
		return &ShapeError{Matrix: name, Rows: r, Cols: c, Want: names.Count(rows, "row") + ", one for each sample"}
	}
	if cols != 0 && c != cols {
		return &ShapeError{Matrix: name, Rows: r, Cols: c, Want: names.Count(cols, "column") + ", as in the model"}
	}
	for i := range r {
		row := m.RawRowView(i)
		if j := floats.FirstNonFinite(row); j >= 0 {
			return &NotFiniteError{Matrix: name, Row: i, Col: j, Value: row[j]}
		}
	}
	return nil
}
