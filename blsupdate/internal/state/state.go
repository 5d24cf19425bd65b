// Package state has what the methods share: the contract of a state, starts, bordering, estimates and
// limits.
package state

import (
	"context"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/coder"
	"blskernel/blsupdate/internal/cost"
	"blskernel/mat"
)

// A state is what a method keeps and how it changes: what differs between the methods. The matrices that it
// is given have been checked, are finite, and are neither changed nor kept. On an error it is what it was.
//
// What only some methods can do are interfaces of their own, below.
type State interface {
	// add stops where ctx is done, which it looks at between steps as long as it can go back.
	Add(ctx context.Context, ax, ya *mat.Dense) (Outcome, error)
	Remove(ax, ya *mat.Dense) (Outcome, error)
	Forget(factor float64) error
	AddNodes(a, h, y *mat.Dense) (Outcome, error)

	// weights returns W in the state's own storage, and what it took if it had to be solved for.
	Weights() (*mat.Dense, Outcome, error)

	// code writes or reads all that later results depend on.
	Code(x *coder.Coder)

	Common() *Base
	// condition returns 1/κ, estimated, for the worst state so far that the errors are made of, and the
	// power of κ with which they grow.
	Condition() (rcond float64, power int)
}

// A merger is a state that can learn all that another one of its type has learned.
type Merger interface {
	Merge(other State) (Outcome, error)
}

// A ridger is a state whose ridge can be changed.
type Ridger interface {
	SetLambda(lambda float64) (Outcome, error)
}

// common is what every state has.
type Base struct {
	Counter *cost.Counter
	Options api.Options // whose Backend is not used: the counter is the backend
	K, C    int
	Lambda  float64 // lambda

	// lost is the largest 1/(1-h) of a removal so far, which is what its errors grow by; 0 before the first.
	Lost float64
}

// noteLoss notes the 1/(1-h) of a removal, or the largest that a state has which is taken over.
func (b *Base) NoteLoss(lost float64) { b.Lost = max(b.Lost, lost) }

func (b *Base) Common() *Base { return b }

// done is the account of what a state did.
type Outcome struct {
	Model     []cost.StepFlops
	Form      api.Form
	Start     api.Start
	RankC     int
	Abandoned float64
}

// A refining is a state that can refine its weights.
type Refiner interface {
	Refine(a, y *mat.Dense) (Outcome, error)
}

// A leveraging is a state with the inverse of AᵀA + lambda I at hand. x is finite and k columns wide.
type Leverager interface {
	Leverage(x *mat.Dense) ([]float64, error)
}
