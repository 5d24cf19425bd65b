package blsupdate

import (
	"blskernel"
)

// Needs says what a model is wanted for, beside the sizes. The zero value is one batch, with the
// weights after it, for lambda = 0 on the default backend.
type Needs struct {
	// Lambda is the ridge.
	Lambda float64
	// Batches is the number of batches to come; 0 stands for 1.
	Batches int
	// WeightsAtEnd says that weights are wanted once, after all batches, and not after each.
	WeightsAtEnd bool

	// Further uses: RemoveInputs, Merge, SetLambda, AddNodes, Forget, and A⁺ itself, which only a
	// Pseudoinverter has.
	Removal, Merging, RidgeChange, Nodes, Forgetting, Pseudoinverse bool

	// Condition is the largest 2-norm condition number κ of [A; sqrt(lambda) I] on the way. A
	// method is not valid if its error bound leaves fewer than Digits correct decimal digits of W.
	// 0 stands for an unknown κ, which rules no method out.
	Condition float64
	// Digits is the number of decimal digits of W that are wanted; 0 stands for 6.
	Digits float64

	// Memory bounds the bytes of the state after the last batch and of the new storage of an
	// update, by the model; 0 is no bound.
	Memory int64

	// Backend computes the products; nil stands for blskernel.Default().
	Backend blskernel.Backend
	// Rates predict the times, and may be those of another machine. nil stands for
	// RatesFor(Backend), which measures for a minute or two at the first call on a machine. Call it
	// before to see the progress or to be able to stop it.
	Rates *Rates
}

// check returns an *OptionError if a number is out of range.
func (n Needs) check() error {
	if err := checkLambda(n.Lambda); err != nil {
		return err
	}
	switch {
	case n.Batches < 1:
		return &OptionError{Option: "Batches", Value: n.Batches, Want: "at least 1, or 0 for 1"}
	case n.Condition != 0 && !(n.Condition >= 1):
		return &OptionError{Option: "Condition", Value: n.Condition, Want: "at least 1, or 0 where it is not known"}
	case !(n.Digits > 0 && n.Digits <= 16):
		return &OptionError{Option: "Digits", Value: n.Digits, Want: "a number up to 16, or 0 for 6"}
	case n.Memory < 0:
		return &OptionError{Option: "Memory", Value: n.Memory, Want: "bytes, or 0 for no bound"}
	}
	return nil
}

// actions returns what the method has to support.
func (n Needs) actions() []Action {
	var all []Action
	add := func(wanted bool, action Action) {
		if wanted {
			all = append(all, action)
		}
	}
	add(n.Removal, ActionRemove)
	add(n.Merging, ActionMerge)
	add(n.RidgeChange, ActionRidge)
	add(n.Nodes, ActionNodes)
	add(n.Forgetting, ActionForget)
	return all
}
