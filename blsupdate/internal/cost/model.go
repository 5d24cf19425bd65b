// Package cost has the flop model of every method, step by step, and the Counter that counts what a
// backend is asked for.
package cost

import (
	"blskernel/blsupdate/internal/api"
)

// StepFlops is a line of the flop model.
type StepFlops struct {
	Step    Step
	Formula string // the flops in terms of l, k, q, c, p
	Work    []Operation
}

// Flops returns the flops of the step.
func (s StepFlops) Flops() float64 { return s.count().Flops() }

func (s StepFlops) count() Thirds {
	var sum Thirds
	for _, o := range s.Work {
		sum += o.Flops()
	}
	return sum
}

// line returns a line of the model.
func Line(step Step, formula string, work ...Operation) StepFlops {
	return StepFlops{Step: step, Formula: formula, Work: work}
}

// Total returns the flops of all steps.
func Total(steps []StepFlops) float64 { return SumOf(steps).Flops() }

func SumOf(steps []StepFlops) Thirds {
	var sum Thirds
	for _, s := range steps {
		sum += s.count()
	}
	return sum
}

// A Shape holds the sizes that the flops of an action depend on.
type Shape struct {
	L int // samples before it; for ActionStart those of the start
	K int // nodes before it
	Q int // samples added or removed
	C int // targets
	P int // nodes added

	Start api.Start // how the start is found; ActionStart only
	Rank  int       // of the first A where Start is StartSVD
}

// Model returns the steps of an action with their flops, by the paper's convention: a product of
// an m×n with an n×p matrix takes 2mnp flops, and half where the result is known to be symmetric;
// the inverse of a symmetric matrix takes n³, of a general one 2n³; terms of lower order are
// dropped. Of the options it reads Lambda, Form, Solve, C and Workspace; forms that stand for others are resolved.
// It is nil for what takes no flops to speak of, and for what the method cannot do (see Supports).
//
// What depends on the data is taken to be as usual: rows in general position, so that they are independent as
// far as they can be, and neither large nor dependent columns. The Report of an update has the steps that were
// really taken.
func Model(m api.Method, action api.Action, opt api.Options, s Shape) []StepFlops {
	steps := methodModel(m, action, opt, s)
	if steps != nil && (action == api.ActionAdd || action == api.ActionRemove) {
		steps = append([]StepFlops{CheckModel(s.Q, s.K, s.C)}, steps...)
	}
	return steps
}

// checkModel is the look at q rows.
func CheckModel(q, k, c int) StepFlops {
	return Line(StepCheck, "0", op(Scan, 0, 2*q*(k+c), 0))
}

// methodModel is Model without the checks.
func methodModel(m api.Method, action api.Action, opt api.Options, s Shape) []StepFlops {
	switch m {
	case api.Original, api.Improved:
		return PinvModel(m, action, opt, s)
	case api.RidgeInverse:
		return RidgeModel(action, opt, s)
	case api.InverseCholesky:
		return CholeskyModel(action, opt, s)
	case api.Gram:
		return GramModel(action, s)
	case api.QR:
		return QRModel(action, s)
	default:
		return nil
	}
}
