// Package pinv implements Original and Improved, which keep A⁺ and W.
package pinv

import (
	"encoding/binary"
	"math"
	"slices"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/coder"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/mat"

	"github.com/cespare/xxhash/v2"
	"gonum.org/v1/gonum/floats"
)

// State is A⁺ and W.
type State struct {
	state.Base
	method api.Method

	p    rows       // (A⁺)ᵀ, l×k
	w    *mat.Dense // k×c, without gaps; replaced and never changed
	keys []uint64   // of the samples, in the order of P; nil where they are not known

	a    rows    // A as long as C is computed, else empty
	rank int     // of A
	norm float64 // the Frobenius norm of A

	worst conditioning
	drift float64 // by how much the errors of A⁺ may exceed those of a start: see rowSpaceResidual
}

// The factors by which errors of A⁺ may grow: by updates, by added nodes, and by a removal over 1-h.
const (
	updatedDrift = 4
	nodesDrift   = 20
	removedDrift = 10
)

// Empty returns a state of the method for Code to read.
func Empty(m api.Method, base state.Base) *State { return &State{Base: base, method: m} }

// computesC reports whether the next update by rows computes C.
func (u *State) computesC() bool {
	return u.Options.C == api.CCheck || u.Options.C == api.CAuto && u.Lambda == 0 && u.rank < u.K
}

// Weights returns W.
func (u *State) Weights() (*mat.Dense, state.Outcome, error) { return u.w, state.Outcome{}, nil }

// Pseudoinverse returns a copy of A⁺.
func (u *State) Pseudoinverse() *mat.Dense {
	dst := mat.NewDense(u.K, u.p.count, nil)
	u.p.blockwise(func(first int, p *mat.Dense) {
		dst.Slice(0, u.K, first, first+dense.Rows(p)).(*mat.Dense).Copy(p.T())
	})
	return dst
}

// Forget multiplies all rows of A, and with them A, by the root of the factor, and A⁺ by its
// reciprocal. The bits of the rows are unknown then.
func (u *State) Forget(factor float64) error {
	root := math.Sqrt(factor)
	if !(u.p.norm() < root*math.MaxFloat64) {
		return api.ErrOverflow
	}
	for _, b := range u.p.blocks {
		floats.Scale(1/root, b.data)
	}
	for _, b := range u.a.blocks {
		floats.Scale(root, b.data)
	}
	u.norm *= root
	u.Lambda *= factor
	u.worst.a *= root
	u.worst.plus /= root
	u.keys = nil
	return nil
}

// save returns what undoes updates by assignment. A is only appended to and W replaced, so they are not
// copied.
func (u *State) save() State {
	saved := *u
	saved.p = u.p.clone()
	saved.a.blocks = slices.Clone(u.a.blocks)
	return saved
}

// conditioning is the worst condition of a pseudoinverse so far. Its errors remain: those of the
// largest A⁺, in the directions in which A was smallest, against the largest A.
type conditioning struct {
	a, plus float64 // the largest Frobenius norms so far, of A or [A; sqrt(lambda) I], and of A⁺
	power   int     // of κ in the error: 2 since the form Large was used
}

// remember notes the present norm of A, and the given one of A⁺.
func (u *State) remember(plus float64) {
	u.worst.a = max(u.worst.a, u.size())
	u.worst.plus = max(u.worst.plus, plus)
}

// size returns the Frobenius norm of [A; sqrt(lambda) I].
func (u *State) size() float64 {
	return math.Hypot(u.norm, math.Sqrt(u.Lambda)*math.Sqrt(float64(u.K))) // lambda k may overflow
}

// conditionNumber returns ‖A‖‖A⁺‖ in Frobenius norms. For rank r it is between the 2-norm condition
// number κ and r κ.
func (u *State) conditionNumber() float64 { return u.norm * u.p.norm() }

// Condition returns the 1/κ of the worst state so far. A start with an error of eps κ² is only taken
// where that is below the error of updates.
func (u *State) Condition() (rcond float64, power int) {
	return min(1, 1/(u.worst.a*u.worst.plus)), u.worst.power
}

// Code writes or reads A⁺ and W, the keys of the samples where they are known, and A as long as C is
// computed.
func (u *State) Code(x *coder.Coder) {
	l := x.Samples
	x.Int("the rank", &u.rank, u.K)
	x.Float("the norm of A", &u.norm, coder.NotNegative)
	x.Float("the largest norm of A", &u.worst.a, coder.NotNegative)
	x.Float("the largest norm of A+", &u.worst.plus, coder.NotNegative)
	x.Int("the power of κ", &u.worst.power, 2)
	x.Check(u.worst.power > 0, "the power of κ is 0")
	x.Float("the drift", &u.drift, coder.NotNegative)
	x.Dense("W", &u.w, u.K, u.C)
	if x.Present(u.keys != nil) {
		x.Words("keys", &u.keys, l)
	}
	u.p.code(x, "A+", u.K, l)
	if u.computesC() {
		u.a.code(x, "A", u.K, l)
	} else if x.Reading() {
		u.a = rows{cols: u.K}
	}
}

// rowKeys returns a hash of the bits of each sample: its row of each matrix of parts, side by side, and
// its targets. Of n different samples two have the same hash with a probability of about n²/2⁶⁵, unless
// somebody constructs them. Zeros are equal whatever their sign. Encode writes the hashes, so they are
// the same on every machine.
func rowKeys(targets *mat.Dense, parts ...*mat.Dense) []uint64 {
	keys := make([]uint64, dense.Rows(targets))
	var bytes []byte
	for i := range keys {
		bytes = bytes[:0]
		for _, m := range append(parts, targets) {
			for _, v := range m.RawRowView(i) {
				bytes = binary.LittleEndian.AppendUint64(bytes, math.Float64bits(v+0))
			}
		}
		keys[i] = xxhash.Sum64(bytes)
	}
	return keys
}

// find returns the places of the samples of the given keys, all different, or an *UnknownRowError.
func (u *State) find(wanted []uint64) ([]int, error) {
	waiting := make(map[uint64][]int, len(wanted)) // the indices in wanted of each key
	for i, key := range wanted {
		waiting[key] = append(waiting[key], i)
	}
	places := make([]int, len(wanted))
	for i := range places {
		places[i] = -1
	}
	for place, key := range u.keys {
		if queue := waiting[key]; len(queue) > 0 {
			places[queue[0]] = place
			waiting[key] = queue[1:]
		}
	}
	for i, place := range places {
		if place < 0 {
			return nil, &api.UnknownRowError{Row: i, Action: api.ActionRemove}
		}
	}
	return places, nil
}

// inOrder returns an *UnknownRowError unless the given keys are those of the samples in their order.
// After Forget no key is known, and any samples are accepted.
func (u *State) inOrder(keys []uint64) error {
	for i, key := range u.keys {
		if keys[i] != key {
			return &api.UnknownRowError{Row: i, Action: api.ActionNodes}
		}
	}
	return nil
}
