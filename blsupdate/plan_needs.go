package blsupdate

import (
	"math"

	"blskernel"
)

// Needs says what a model is wanted for, beside the sizes. The zero value is one batch, with the weights after it, for
// lambda = 0 on the default backend.
type Needs struct {
	// Lambda is the ridge.
	Lambda float64
	// Batches is the number of batches to come; 0 stands for 1.
	Batches int
	// WeightsAtEnd says that weights are wanted once, after all batches, and not after each of them.
	WeightsAtEnd bool

	// What else the model will be asked for: RemoveInputs, Merge, SetLambda, AddNodes, Forget, and A⁺ itself,
	// which only a Pseudoinverter has.
	Removal, Merging, RidgeChange, Nodes, Forgetting, Pseudoinverse bool

	// Condition is the 2-norm condition number κ of [A; sqrt(lambda) I], the largest that it has on the way, where
	// it is known. With it a method whose error bound leaves fewer than Digits correct decimal digits of W is
	// not valid. 0 says that it is not known; then no method is ruled out by its errors, and Explain says so.
	Condition float64
	// Digits is the number of decimal digits of W that are wanted; 0 stands for 6.
	Digits float64

	// Memory bounds the bytes that the state, after the last batch, and the new storage of an update may take, by
	// the model; 0 is no bound.
	Memory int64

	// Backend computes the products; nil stands for blskernel.Default().
	Backend blskernel.Backend
	// Rates predict the times; nil stands for RatesFor(Backend), which measures them for a minute or two
	// where that was never done on this machine: call it yourself to see the progress or to be able to stop it.
	// They may be those of another machine.
	Rates *Rates
}

// withDefaults returns the needs with numbers where zero stands for another one.
func (n Needs) withDefaults() Needs {
	if n.Batches == 0 {
		n.Batches = 1
	}
	if n.Digits == 0 {
		n.Digits = enoughDigits
	}
	return n
}

// check returns an *OptionError if a number is out of range.
func (n Needs) check() error {
	switch {
	case !(n.Lambda >= 0) || math.IsInf(n.Lambda, 1):
		return &OptionError{Option: "Lambda", Value: n.Lambda, Want: "a finite number that is not negative"}
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
	for _, a := range []struct {
		wanted bool
		action Action
	}{{n.Removal, ActionRemove}, {n.Merging, ActionMerge}, {n.RidgeChange, ActionRidge}, {n.Nodes, ActionNodes}, {n.Forgetting, ActionForget}} {
		if a.wanted {
			all = append(all, a.action)
		}
	}
	return all
}
