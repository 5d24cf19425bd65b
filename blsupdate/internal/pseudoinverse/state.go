// Package pseudoinverse implements Original and Improved, which keep A⁺ and W.
package pseudoinverse

import (
	"cmp"
	"math"
	"slices"

	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/blsupdate/types"
	"blskernel/internal/linalg/detmath"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonummat "gonum.org/v1/gonum/mat"
)

// State holds A⁺ and W.
type State struct {
	state.Base
	p    rows       // (A⁺)ᵀ, l×k
	w    *mat.Dense // k×c, contiguous; replaced as a whole, never changed in place
	keys []uint64   // hashes of the rows of A, in the order of p; nil if unknown
	y    rows       // Y, which identifies samples together with their keys; empty if keys is nil

	a    rows    // A if C is computed, else empty
	rank int     // of A
	norm float64 // the Frobenius norm of A

	size    state.Norms
	reach   []float64 // the largest norms of the rows of A⁺ so far, as lowered by recede
	largest []float64 // the largest norms of the columns of W so far: see noteWeights
	prior   prior     // the deviation from the ridge problem
	doubt   bool      // whether a rank was a close decision since A⁺ was last computed from A

	worst conditioning
	drift float64 // the factor by which errors of A⁺ may exceed the errors of a start: see rowSpaceResidual
}

// Factors by which errors of A⁺ may exceed the errors of a start. A removal divides its factor by 1-h.
const (
	updatedDrift = 4
	nodesDrift   = 20
	removedDrift = 10
)

// computesC reports whether the next update by rows computes C.
func (u *State) computesC() bool {
	return u.Options.C == types.CCheck || u.Options.C == types.CAuto && u.Lambda == 0 && u.rank < u.K
}

// CheckSize returns a *RankError for l < k with a ridge, unless Options.C is CZero: the model would
// never leave the row space of its first samples.
func (u *State) CheckSize(l, k int) error {
	if l < k && u.Options.Lambda > 0 && u.Options.C != types.CZero {
		return &types.RankError{Samples: l, Nodes: k, Lambda: u.Options.Lambda}
	}
	return nil
}

// checkChanged is CheckSize for a change that leaves l samples and k nodes.
func (u *State) checkChanged(l, k int) error {
	err := u.CheckSize(l, k)
	if rank, ok := err.(*types.RankError); ok {
		rank.Running = true
	}
	return err
}

func (u *State) Weights() (*mat.Dense, state.Outcome, error) { return u.w, state.Outcome{}, nil }

// Pseudoinverse returns a copy of A⁺.
func (u *State) Pseudoinverse() *mat.Dense {
	dst := mat.NewDense(u.K, u.p.count, nil)
	u.p.blockwise(func(first int, p *mat.Dense) {
		dst.Slice(0, u.K, first, first+dense.Rows(p)).(*mat.Dense).Copy(p.T())
	})
	return dst
}

// Covariance returns (AᵀA)⁺ = A⁺(A⁺)ᵀ = RᵀR, where R comes from a QR factorization of (A⁺)ᵀ. With a
// ridge it returns ErrApproximate, since A⁺ only approximates the matrix that multiplies the targets.
func (u *State) Covariance() (c state.Covariance, err error) {
	if u.Options.Lambda > 0 {
		return c, types.ErrApproximate
	}
	r := dense.Triangle(u.K)
	u.p.panels(0, u.p.count, state.PanelRows, func(_ int, p *mat.Dense) {
		err = cmp.Or(err, lapack.AppendRows(u.Counter, r, nil, p, nil))
	})
	raw := r.RawMatrix()
	return state.Halves(u.rank, func(x *mat.Dense, second bool) error {
		t, of := blas.Trans, x.RawMatrix()
		if second {
			t = blas.NoTrans
		}
		u.Counter.Dtrmm(blas.Right, blas.Upper, t, blas.NonUnit, of.Rows, u.K, 1, raw.Data, raw.Stride, of.Data, of.Stride)
		return nil
	}), state.Overflow(err)
}

// Forget multiplies A by sqrt(factor) and divides A⁺ by it. It drops keys and Y, since the bits change.
func (u *State) Forget(factor float64) error {
	root := math.Sqrt(factor)
	if !(u.p.norm() < root*math.MaxFloat64) {
		return types.ErrOverflow
	}
	for _, b := range u.p.blocks {
		dense.Scale(1/root, b.data)
	}
	for _, b := range u.a.blocks {
		dense.Scale(root, b.data)
	}
	u.norm *= root
	u.size = u.size.Scaled(root)
	u.reach = slices.Clone(u.reach)
	dense.Scale(1/root, u.reach)
	for j, v := range u.reach {
		u.reach[j] = state.Capped(v)
	}
	u.Lambda *= factor
	u.prior.delta = state.Capped(u.prior.delta / root)
	u.worst.a *= root
	u.worst.plus = state.Capped(u.worst.plus / root)
	u.keys, u.y = nil, rows{cols: u.C}
	return nil
}

// save returns a copy of u that undoes later updates when assigned back. Updates only append to A, and
// replace W, so neither is copied.
func (u *State) save() State {
	saved := *u
	saved.p = u.p.clone()
	saved.a.blocks = slices.Clone(u.a.blocks)
	return saved
}

// conditioning is the worst condition of A so far. The errors that stay in A⁺ arose when A⁺ was
// largest, in the directions in which A was smallest, and are relative to the largest A.
type conditioning struct {
	a, plus float64 // the largest Frobenius norms so far, of A or [A; sqrt(lambda) I], and of A⁺
	power   int     // of κ in the error: 2 once the form Large was used or added rows raised the rank
}

// remember raises worst.a to at least the norm of A with the ridge, and worst.plus to at least plus, a
// norm of A⁺.
func (u *State) remember(plus float64) {
	u.worst.a = max(u.worst.a, u.length())
	u.worst.plus = max(u.worst.plus, plus)
}

// recede lowers reach and worst.plus after Forget has raised them: see state.Receded. before has the
// row norms of A⁺ before an addition that did not raise the rank, and lengths the column norms of A.
func (u *State) recede(before, lengths []float64) {
	reach, all := u.reaches().RCond() <= state.Recedes, 1/(u.worst.a*u.worst.plus) <= state.Recedes
	if u.keys != nil || !reach && !all { // keys are known until Forget
		return
	}
	if reach {
		u.reach = state.Receded(u.reach, lengths, u.size.A, before)
	}
	if size := dense.Norm(before); all && size > 0 {
		u.worst.plus = max(size, u.worst.plus*(dense.Norm(u.rowNorms())/size))
	}
}

// noteReach raises reach to at least the row norms of A⁺. It need not be called after rows were added
// within the row space of A, since these cannot raise the norms.
func (u *State) noteReach() {
	norms := make([]float64, u.K)
	copy(norms, u.reach)
	for j, v := range u.rowNorms() {
		norms[j] = max(norms[j], v)
	}
	u.reach = norms
}

func (u *State) rowNorms() []float64 {
	norms := make([]float64, u.K)
	u.p.blockwise(func(_ int, p *mat.Dense) { state.AddLengths(norms, dense.ColumnNorms(p)) })
	return norms
}

func (u *State) length() float64 {
	return detmath.Hypot(u.norm, math.Sqrt(u.Lambda)*math.Sqrt(float64(u.K))) // lambda k may overflow
}

// conditionNumber returns ‖A‖‖A⁺‖ in Frobenius norms, which is between κ and r κ for the rank r.
func (u *State) conditionNumber() float64 { return u.norm * u.p.norm() }

// Condition reports how accurate W is. Below full rank the columns of A are not scaled. The error of W
// is then eps κ (‖W‖ + ‖A⁺‖‖Y - A W‖) for the largest W and the worst κ = ‖A‖‖A⁺‖ so far. Once added
// rows have raised the rank, or the form Large was used, it is eps κ² times the larger of this sum and
// ‖A⁺‖‖Y‖. Another part is ‖A⁺‖ ErrY, with the misfit of the start in ErrY. As the error may lie in any
// direction, the error of D⁻¹W is this times the norm of the longest column. Nothing is known if the
// rank is in doubt, even if it is k: A⁺ is recomputed from A when the rank reaches k, but not if A then
// turns out to be rank-deficient.
func (u *State) Condition() state.Condition {
	if u.rank < u.K || u.doubt {
		c := state.Condition{RCond: min(1, 1/(u.worst.a*u.worst.plus)), Power: u.worst.power, Dependent: true}
		// Four times the factor of an update covers W = A⁺Y of a start, too.
		c.Error = state.Unit(u.p.count, u.K) * max(u.drift, 4*updatedDrift) / detmath.Pow(c.RCond, c.Power)
		c.Grown = max(1, u.drift)
		worst := 0.0
		for t, y := range u.size.Y {
			far := u.largest[t] + float64(u.worst.plus*u.size.Rest[t])
			if u.worst.power == 2 {
				far = max(far, u.worst.plus*y)
			}
			if far > 0 { // otherwise the target has always been zero
				err := float64(c.Error*far) + float64(u.worst.plus*u.size.ErrY[t])
				w := gonummat.Col(nil, t, u.w)
				worst = max(worst, err/dense.Norm(w))
				dense.Multiply(w, u.size.A)
				worst = max(worst, err*(dense.LargestOf(u.size.A)/dense.Norm(w)))
			}
		}
		if c.Error = worst; u.doubt {
			c.Error = math.Inf(1)
		}
		return c
	}
	reach := u.reachOf(u.rowNorms())
	c := state.Condition{RCond: reach.RCond(), Power: u.worst.power, Error: u.size.Error(reach, u.Lambda, u.w)}
	c.Grown = u.size.Grown(u.Samples, reach, u.Lambda)
	c.Rebuilt = u.size.Rebuilt(u.Samples, reach, u.Lambda, u.w)
	if u.Lambda > 0 {
		bias, lengths := 0.0, u.size.Lengths(u.Lambda)
		for t, v := range u.largest {
			w := gonummat.Col(nil, t, u.w)
			now := dense.Norm(w)
			dense.Multiply(w, lengths)
			bias = max(bias, u.prior.bias(u.Lambda, reach, t, now, dense.Norm(w), now+v, u.size.Rest[t]))
		}
		c.Error += bias
	}
	return c
}

// RSS returns KnownRSS, with Drift as the relative error of the residuals. After a change RSS also has
// errors of 2 Rest ‖A δw‖, since it was computed from the weights before and after the change.
func (u *State) RSS(w *mat.Dense) (rss, least []float64) {
	rss, least = u.KnownRSS(u.size, u.size.Drift)
	if u.drift > 1 {
		err := u.Condition().Error
		for t, fit := range u.size.Fits(u.Lambda, w) {
			least[t] += state.Capped(float64(2 * u.size.Rest[t] * err * fit))
		}
	}
	return rss, least
}

// noteWeights raises largest to norms, which are of the columns of W or from widening.factors.
func (u *State) noteWeights(norms []float64) {
	largest := make([]float64, u.C)
	copy(largest, u.largest)
	for t, v := range norms {
		largest[t] = state.Capped(max(largest[t], v))
	}
	u.largest = largest
}

// reaches returns bounds on the norms of inverses, from the largest norms of the rows of A⁺.
func (u *State) reaches() state.Reach { return u.reachOf(u.reach) }

// reachOf returns bounds from the given norms of the rows of A⁺. With a ridge the rows of R⁻¹ are
// longer by a factor of at most sqrt(1 + share), and their norms are at most 1/sqrt(lambda).
func (u *State) reachOf(rows []float64) state.Reach {
	lengths := u.size.Lengths(u.Lambda)
	if u.Lambda > 0 {
		rows = slices.Clone(rows)
		for j, v := range rows {
			rows[j] = max(min(v*math.Sqrt(1+u.prior.share), 1/math.Sqrt(u.Lambda)), 1/lengths[j])
		}
	}
	return state.ReachOfRows(lengths, rows)
}

// certainty returns 1/κ, and the power of κ with which the error of the leverage h grows in a removal.
func (u *State) certainty() (rcond float64, power int) {
	if u.rank < u.K || u.doubt {
		return min(1, 1/(u.worst.a*u.worst.plus)), u.worst.power
	}
	return u.reaches().RCond(), u.worst.power
}
