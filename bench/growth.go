package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/backend"
	"blskernel/mat"
)

// A Growth is an experiment on rounding errors: how the error of the weights grows with the condition
// number of A, method by method. A has singular values from 1 down to 1/Condition in equal ratios, and
// the targets are random signs, one for each sample. A model is started from one half of the samples
// and updated by a tenth, a tenth and the rest; its weights are then compared with those of a solution
// from all samples whose own error is below 1e-31.
//
// With lambda > 0 there are no points for Original and Improved. They do not solve the ridge problem:
// with rows added to a start (AᵀA + lambda I)⁻¹Aᵀ their weights differ from its solution by a bias of
// about lambda over the square of the smallest singular value, which is no rounding and would hide it.
type Growth struct {
	Conditions []float64 // of A, each from 1 to MostCondition
	Lambdas    []float64
	Variants   []Variant
	Nodes      int               // k, from 2 to MostGrowthNodes
	Samples    int               // l, from 2k to MostGrowthSamples
	Seeds      int               // problems for each condition, of which the largest error counts
	Backend    blskernel.Backend // nil for blskernel.Default()
	// Done has points of a run before, which was interrupted: those that Known returns are not found again.
	Done []GrowthPoint
}

// These are bounds on a Growth. Within them the solution that errors are measured against is exact
// enough.
const (
	MostCondition     = 1e14
	MostGrowthNodes   = 1000
	MostGrowthSamples = 10_000
)

// GrowthVariants returns every method in every form that differs in its rounding errors.
func GrowthVariants() []Variant {
	return []Variant{
		{Method: blsupdate.Original},
		{Method: blsupdate.Improved, Form: blsupdate.Small},
		{Method: blsupdate.Improved, Form: blsupdate.Large},
		{Method: blsupdate.Improved, Form: blsupdate.Compressed},
		{Method: blsupdate.RidgeInverse, Form: blsupdate.Small},
		{Method: blsupdate.RidgeInverse, Form: blsupdate.Large},
		{Method: blsupdate.InverseCholesky, Form: blsupdate.Small},
		{Method: blsupdate.InverseCholesky, Form: blsupdate.Large},
		{Method: blsupdate.Gram},
		{Method: blsupdate.QR},
	}
}

// Validate returns what is wrong with the settings, or nil.
func (g *Growth) Validate() error {
	switch {
	case len(g.Conditions) == 0:
		return errors.New("bench: Conditions is empty; want at least one")
	case len(g.Lambdas) == 0:
		return errors.New("bench: Lambdas is empty; want at least one")
	case len(g.Variants) == 0:
		return errors.New("bench: Variants is empty; want at least one")
	case g.Nodes < 2 || g.Nodes > MostGrowthNodes:
		return fmt.Errorf("bench: Nodes is %d; want 2 to %d", g.Nodes, MostGrowthNodes)
	case g.Samples < max(10, 2*g.Nodes) || g.Samples > MostGrowthSamples:
		return fmt.Errorf("bench: Samples is %d; want %d, that is 10 and twice Nodes at least, to %d", g.Samples, max(10, 2*g.Nodes), MostGrowthSamples)
	case g.Seeds < 1:
		return fmt.Errorf("bench: Seeds is %d; want at least 1", g.Seeds)
	}
	for _, c := range g.Conditions {
		if !(c >= 1 && c <= MostCondition) {
			return fmt.Errorf("bench: Conditions has %g; want 1 to %g", c, MostCondition)
		}
	}
	for _, l := range g.Lambdas {
		if !(l >= 0 && l <= 1) {
			return fmt.Errorf("bench: Lambdas has %g; want 0 to 1, the square of the largest singular value of A", l)
		}
	}
	return nil
}

// Cuts returns the numbers of samples after the start and after each update.
func (g *Growth) Cuts() []int {
	start, tenth := g.Samples/2, g.Samples/10
	return []int{start, start + tenth, start + 2*tenth, g.Samples}
}

// RidgeSolver tells whether the weights by the method solve the ridge problem, or the plain one with
// lambda = 0.
func (g *Growth) RidgeSolver(v Variant, lambda float64) bool {
	return lambda == 0 || v.Method != blsupdate.Original && v.Method != blsupdate.Improved
}

// Run calls emit for each lambda and condition that Known has no points of, with the points of all variants that
// RidgeSolver has, in their order, where there are any. progress, which may be nil, is told before each
// problem, which is its unit of work. It stops with the context's error before the next model if ctx is
// cancelled, and with emit's error if it returns one. A method that refuses is a point with Failed and no
// error of Run.
func (g *Growth) Run(ctx context.Context, emit func([]GrowthPoint) error, progress Progress) error {
	if err := g.Validate(); err != nil {
		return err
	}
	if progress == nil {
		progress = func(float64, float64, string) {}
	}
	left := slices.DeleteFunc(g.cases(), func(c growthCase) bool { return g.known(c) != nil })
	for i, c := range left {
		for seed := range g.Seeds {
			progress(float64(i*g.Seeds+seed), float64(g.Seeds*len(left)), fmt.Sprintf("condition %.0e, lambda %.1g", c.condition, c.lambda))
			if err := g.problem(ctx, uint64(seed+1), &c); err != nil {
				return err
			}
		}
		for i := range c.points {
			p := &c.points[i]
			p.Kappa = c.kappa
			p.Bound = weightsBound(c.variants[i].Method, c.large[i], g.Samples, c.kappa)
			if p.Failed != "" {
				p.Error, p.Digits = 0, 0
			}
		}
		if err := emit(c.points); err != nil {
			return err
		}
	}
	return nil
}

// A growthCase is one lambda and condition with its points, which grow problem by problem, and what
// their bounds depend on.
type growthCase struct {
	lambda, condition float64
	variants          []Variant // of the points
	points            []GrowthPoint
	kappa             float64
	large             []bool // by variant: whether an update was in the form Large of Improved
}

// newCase returns the points before the first problem.
func (g *Growth) newCase(lambda, condition float64) growthCase {
	c := growthCase{lambda: lambda, condition: condition}
	for _, v := range g.Variants {
		if g.RidgeSolver(v, lambda) {
			c.variants = append(c.variants, v)
			c.points = append(c.points, GrowthPoint{
				Backend: backend.Or(g.Backend).Name(), Method: v.Method.String(), Form: v.Form.String(), Solve: v.Solve,
				Samples: g.Samples, Nodes: g.Nodes, Condition: condition, Lambda: lambda, Seeds: g.Seeds, Digits: math.Inf(1),
			})
		}
	}
	c.large = make([]bool, len(c.points))
	return c
}

// cases returns the cases that have points.
func (g *Growth) cases() []growthCase {
	var all []growthCase
	for _, lambda := range g.Lambdas {
		for _, condition := range g.Conditions {
			if c := g.newCase(lambda, condition); len(c.points) > 0 {
				all = append(all, c)
			}
		}
	}
	return all
}

// Known returns the points of Done that are of this experiment, as Run would emit them: a lambda and
// condition counts if all of its points are there, with the same settings.
func (g *Growth) Known() [][]GrowthPoint {
	var all [][]GrowthPoint
	for _, c := range g.cases() {
		if points := g.known(c); points != nil {
			all = append(all, points)
		}
	}
	return all
}

// known returns the points of a case that Done has, or nil if it does not have all.
func (g *Growth) known(c growthCase) []GrowthPoint {
	var points []GrowthPoint
	for _, p := range c.points {
		i := slices.IndexFunc(g.Done, p.same)
		if i < 0 {
			return nil
		}
		points = append(points, g.Done[i])
	}
	return points
}

// problem adds one problem to the points.
func (g *Growth) problem(ctx context.Context, seed uint64, c *growthCase) error {
	r := rand.New(rand.NewPCG(seed, 50))
	a, err := withCondition(r, g.Samples, g.Nodes, c.condition)
	if err != nil {
		return err
	}
	y := signs(r, g.Samples)
	// Every state of an update has an error, so the largest condition number counts.
	for _, l := range g.Cuts() {
		if err := ctx.Err(); err != nil {
			return err
		}
		kappa, err := kappaOf(head(a, l), c.lambda)
		if err != nil {
			return err
		}
		c.kappa = max(c.kappa, kappa)
	}
	exact, err := solveExactly(ctx, a, y, c.lambda)
	if err != nil {
		return err
	}
	for i, v := range c.variants {
		if err := ctx.Err(); err != nil {
			return err
		}
		w, digits, large, err := g.learn(v, a, y, c.lambda)
		c.large[i] = c.large[i] || large
		p := &c.points[i]
		if err != nil {
			p.Refused++
			if p.Failed == "" {
				p.Failed = err.Error()
			}
			continue
		}
		p.Error = max(p.Error, exact.error(w))
		p.Digits = min(p.Digits, digits)
	}
	return nil
}

// learn starts from the rows before the first cut and adds those between the others. It returns the
// weights, the digits that the model says they have, and whether any update was in the form Large of
// Improved.
func (g *Growth) learn(v Variant, a, y *mat.Dense, lambda float64) (w *mat.Dense, digits float64, large bool, err error) {
	cuts := g.Cuts()
	model, err := blsupdate.New(v.Method, head(a, cuts[0]), head(y, cuts[0]), v.options(blsupdate.Options{Lambda: lambda, Backend: g.Backend}))
	if err != nil {
		return nil, 0, false, err
	}
	for i, to := range cuts[1:] {
		if err := model.AddInputs(between(a, cuts[i], to), between(y, cuts[i], to)); err != nil {
			return nil, 0, large, err
		}
		large = large || v.Method == blsupdate.Improved && model.Report().Form == blsupdate.Large
	}
	if w, err = model.Weights(); err != nil {
		return nil, 0, large, err
	}
	for _, x := range w.RawMatrix().Data {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, 0, large, errors.New("bench: the weights are not finite")
		}
	}
	return w, model.Condition().Digits, large, nil
}
