package blsupdate

import (
	"context"
	"fmt"
	"strings"

	"blskernel/internal/memory"
)

// MemoryError says that a start, a change of a model or the solution for its weights needs more memory than can be had,
// so that it was not begun: Need is what it allocates at the least, beside the model, and Have what the machine, its
// control groups and the limit of the Go runtime leave at the most. See StateBytes for the first; of the second only
// Linux tells more than the runtime knows.
type MemoryError = memory.Error

// StateBytes returns the bytes of the state of a model of l samples, k nodes and c targets, by the same storage as a start
// has, and math.MaxInt64 where they are more:
//
//	Gram, RidgeInverse    4k(k+1) + 8kc
//	QR, InverseCholesky   8k² + 8kc
//	Improved, Original    8lk + 8kc
//
// Numbers that do not grow with l k or k² are left out, as are the factor of Gram, which Weights makes, and A where C is
// computed. A model needs no less, and New allocates as much beside what it is given.
//
//	panics: "blsupdate: StateBytes: negative size".
func StateBytes(m Method, l, k, c int) int64 {
	if l < 0 || k < 0 || c < 0 {
		panic("blsupdate: StateBytes: negative size")
	}
	w := memory.Floats(k, c)
	switch m {
	case Gram, RidgeInverse:
		return memory.Sum(memory.Triangle(k), w)
	case QR, InverseCholesky:
		return memory.Sum(memory.Floats(k, k), w)
	default:
		return memory.Sum(memory.Floats(l, k), w)
	}
}

// checkStartMemory returns a *MemoryError where there is no room for the state of a start.
func checkStartMemory(m Method, l, k, c int) error {
	return memory.Check(StateBytes(m, l, k, c), "blsupdate", smaller(m), "a model by %v of %d samples, %d nodes and %d targets", m, l, k, c)
}

// checkAddMemory returns a *MemoryError where there is no room for what an update by q rows allocates at the same time:
// so many bytes for the rows themselves, where they are weighted; of A⁺ the rows of Ax in storage of its own, with what is kept of D, which is that of at most k rows in the form
// Compressed, or with the new rows; of G or R a copy where the update can be canceled in the middle of it. What else
// is copied depends on how a method adds the rows, and the method asks for room itself.
func (u *updater) checkAddMemory(ctx context.Context, q int, weighted int64) error {
	k, c := u.Nodes(), u.Targets()
	bytes := weighted
	switch u.method {
	case Original, Improved:
		opt, rows := u.state.base().opt, memory.Floats(q, k)
		d := func(columns int) int64 { return memory.Floats(keptRows(opt, u.samples, columns), columns) }
		bytes = memory.Sum(bytes, rows, max(rows, min(d(q), d(min(q, k)))))
	case Gram, QR:
		if manyPanels(ctx, q) {
			bytes = memory.Sum(bytes, StateBytes(u.method, u.samples, k, c))
		}
	}
	do := smaller(u.method)
	switch {
	case u.method == Original || u.method == Improved:
		do = "add smaller batches, lower Options.Workspace, or start over with gram or qr, which keep no matrix of samples x nodes"
	case weighted > 0:
		do = "add smaller batches, or " + do
	}
	return memory.Check(bytes, "blsupdate", do, "an update by %v of %d samples and %d nodes by %d rows", u.method, u.samples, k, q)
}

// room returns a *MemoryError where there are not so many bytes beside the state, for the copies and factors that an
// action of q rows, 0 for one that has none, needs at the same time. A state asks before it changes anything.
func (b *common) room(m Method, action Action, q int, bytes int64) error {
	what, do := action.String(), smaller(m)
	if q > 0 {
		what = fmt.Sprintf("%v of %d rows", action, q)
	}
	if q > 1 && m != Gram { // which copies G for one row too
		do = "take fewer rows at once, or " + strings.TrimPrefix(do, "take ")
	}
	return memory.Check(bytes, "blsupdate", do, "%s by %v with %d nodes and %d targets", what, m, b.k, b.c)
}

// checkNodesMemory returns a *MemoryError where there is no room for a state with p more nodes beside the present one,
// and of Q for a copy that is changed before it gets them.
func (u *updater) checkNodesMemory(p int) error {
	k, c := u.Nodes(), u.Targets()
	bytes := StateBytes(u.method, u.samples, k+p, c)
	if u.method == RidgeInverse {
		bytes = memory.Sum(bytes, memory.Triangle(k))
	}
	return memory.Check(bytes, "blsupdate", smaller(u.method), "a model by %v of %d samples and %d nodes with %d nodes more", u.method, u.samples, k, p)
}

// smaller returns what makes the state of a method smaller.
func smaller(m Method) string {
	switch m {
	case Original, Improved:
		return "take fewer nodes, or gram or qr, which keep no matrix of samples x nodes"
	case QR, InverseCholesky:
		return "take fewer nodes, or gram, which keeps half as much"
	default:
		return "take fewer nodes"
	}
}
