package pseudoinverse

import (
	"math"
	"slices"

	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/io/codec"
	"blskernel/internal/linalg/detmath"
	"blskernel/mat"
)

// A prior describes the difference between the ridge problem and the problem that Original and Improved
// solve. They start from W0 = M⁻¹AᵀY and (A⁺)ᵀ = A M⁻¹ with M = AᵀA + lambda I, the pseudoinverse of
//
//	A + Δ,   Δ = lambda A (AᵀA)⁻¹,   (A + Δ)ᵀ(A + Δ) = M + E,   E = lambda I + lambda² (AᵀA)⁻¹.
//
// New rows change M + E as they change M, so M (W - W*) = E (W0 - W) for the ridge solution W*.
// Removing a row a also removes its row δ of Δ: E loses δᵀa, and the right-hand side gains δᵀ(y - a W).
// While all rows are from the start these terms cancel: the model equals one started with the remaining
// rows. Otherwise M + E is no longer (A + Δ)ᵀ(A + Δ) for the remaining rows, because a was subtracted
// and not a + δ. Later updates use A⁺(A⁺)ᵀ as the inverse of M + E. So E gains Fᵀ(I + B δ)⁻¹ with F =
// (a + δ)ᵀδ and the B of the removal, -(M + E)⁻¹(a + δ)ᵀ. The rows of Δ grow likewise, even the zero
// rows of samples added later. If ‖B δ‖ >= 1, A⁺ may lack directions.
//
// New nodes H enter by D = (M + E)⁻¹(A + Δ)ᵀH and their own weights W2. Once rows have been added, T =
// E D - ΔᵀH is not zero: the right-hand side becomes [I; Dᵀ](M (W - W*) + T W2), and E becomes
//
//	[E    ΔᵀH            ]
//	[HᵀΔ  HᵀΔ D - DᵀT].
type prior struct {
	share float64   // lambda/σ², for the smallest singular value σ of the first A
	delta float64   // a bound on ‖Δ‖/lambda
	size  float64   // a bound on ‖E‖/lambda
	first int       // how many rows of the start the model still has; they come first
	mixed bool      // whether E has changed since the start
	shift []float64 // bounds on the norms of the columns of M (W - W*)/lambda
}

// maxBias stands for the share of a direction that A lacks, in which W never changes. Above maxPart the
// share part/(1-part) is not known well enough.
const (
	maxBias = 1e15
	maxPart = 0.99
)

// shareOf returns the share part/(1-part), or maxBias if part is not below maxPart.
func shareOf(part float64) float64 {
	if !(part < maxPart) {
		return maxBias
	}
	return part / (1 - float64(part))
}

// measure sets the share. solve overwrites x, of k elements, with (AᵀA + lambda I)⁻¹x. lambda times the
// largest eigenvalue of that inverse is b/(1+b) for the share b.
func (p *prior) measure(lambda float64, k int, solve func(x []float64)) {
	if lambda == 0 {
		return
	}
	root := math.Sqrt(lambda)
	p.share = shareOf(dense.LargestEigenvalue(k, func(x []float64) {
		dense.Scale(root, x)
		solve(x)
		dense.Scale(root, x)
	}))
}

// reset sets all fields but share, for a start with l rows and c targets.
func (p *prior) reset(lambda float64, l, c int) {
	p.size, p.first, p.mixed, p.shift = 1+p.share, l, false, make([]float64, c)
	if p.delta = 0; lambda > 0 {
		p.delta = state.Capped(math.Sqrt(p.share) / math.Sqrt(lambda))
	}
}

// move records a change of W. If E is not bounded, E may have kept W from changing.
func (p *prior) move(change *mat.Dense) {
	if p.size >= maxBias {
		p.shift = slices.Repeat([]float64{math.MaxFloat64}, len(p.shift))
		return
	}
	p.add(p.size, dense.ColumnNorms(change))
}

func (p *prior) add(f float64, norms []float64) {
	p.shift = slices.Clone(p.shift)
	for t, v := range norms {
		p.shift[t] = state.Capped(p.shift[t] + float64(f*v))
	}
}

// exact reports whether the model equals one started with its l rows.
func (p *prior) exact(l int) bool { return p.first == l && !p.mixed }

// leave records the change of W when the rows ax are removed from l rows. n of the removed rows are
// from the start. gone has the norm of the removed residuals of each target, b is ‖B‖, rest is 1-h, and
// plain bounds ‖R⁻¹‖.
func (p *prior) leave(lambda float64, change *mat.Dense, l, n int, ax *mat.Dense, gone []float64, b, rest, plain float64) {
	if q := dense.Rows(ax); p.exact(l) {
		p.share = shareOf(p.share / (1 + p.share) / rest) // M - AxᵀAx >= (1-h) M
		p.reset(lambda, l-q, len(gone))
		return
	}
	p.move(change)
	p.share = min(maxBias, 10*p.share/rest) // without the first rows lambda counts for more
	if p.first -= n; n > 0 || p.mixed {
		size := dense.Frobenius(ax)
		p.delta = state.Capped(p.delta / max(0, 1-float64(keptUnits*b*lambda*p.delta)))
		f := p.delta * (1 + float64(2*plain*size)/rest) // Ax Br is not symmetric, and only one triangle of it is used
		p.add(f, gone)
		p.size = state.Capped(p.size + float64(f*size) + float64(p.delta*(size+float64(lambda*p.delta))))
		p.mixed = true
	}
}

// widen records new nodes H with ‖H‖ = h, ‖D‖ = d and the weights W2.
func (p *prior) widen(h, d float64, w2 *mat.Dense) {
	p.mixed = true
	t := float64(p.delta*h) + float64(p.size*d)
	p.add(t, dense.ColumnNorms(w2))
	grown := p.shift
	p.shift = make([]float64, len(grown))
	p.add(detmath.Hypot(1, d), grown)
	p.size = state.Capped(p.size + float64(2*p.delta*h*(1+d)) + float64(d*t))
}

// biasUnits and keptUnits are safety factors, since share is estimated from below.
const (
	biasUnits = 4
	keptUnits = 2
)

// bias bounds the relative error of target t due to the prior. now and scaled are the norms of column t
// of W and of D⁻¹W, with the D of Reach. reach belongs to M, far bounds the norm of column t of W - W0,
// and rest the norm of the target's residuals.
func (p *prior) bias(lambda float64, reach state.Reach, t int, now, scaled, far, rest float64) float64 {
	shift := min(p.shift[t], float64(p.size*far)+float64(p.delta*rest))
	if shift == 0 {
		return 0
	}
	return float64(biasUnits*lambda*reach.Plain*shift) * max(reach.Plain/now, reach.Scaled/scaled)
}

func (p *prior) code(x *codec.Coder, c int) {
	x.Float("lambda over the square of the smallest singular value", &p.share, codec.NotNegative)
	x.Float("the bound on the norm of Delta over lambda", &p.delta, codec.NotNegative)
	x.Float("the bound on the norm of E over lambda", &p.size, codec.NotNegative)
	x.Int("the number of rows left from the start", &p.first, x.Samples)
	x.Bool(&p.mixed)
	x.Lengths("the shift of a column of W", &p.shift, c)
}
