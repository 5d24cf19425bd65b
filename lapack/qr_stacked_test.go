package lapack

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/lapack"
	"blskernel/internal/testutil"
	"blskernel/mat"
)

// A stackedProblem is [R z; B Y] as plain matrices; R is upper triangular, and B too if triangle is
// set.
type stackedProblem struct {
	r, z, b, y *full
	triangle   bool
}

// stackedGallery lists ways to fill the problem: each changes one of random elements.
var stackedGallery = []struct {
	name    string
	regular bool // R is well conditioned, and so is [R; B]
	change  func(p stackedProblem)
}{
	{"random", true, func(p stackedProblem) {
		for i := range p.r.r {
			p.r.set(i, i, p.r.at(i, i)+math.Copysign(float64(p.r.r), p.r.at(i, i)))
		}
	}},
	{"zero-R", false, func(p stackedProblem) { clear(p.r.x); clear(p.z.x) }},
	{"zero-B", false, func(p stackedProblem) { clear(p.b.x) }},
	{"zero-both", false, func(p stackedProblem) { clear(p.r.x); clear(p.b.x) }},
	{"zeros-on-diagonal", false, func(p stackedProblem) {
		for i := 0; i < p.r.r; i += 2 {
			p.r.set(i, i, 0)
		}
	}},
	{"zero-columns", false, func(p stackedProblem) {
		for j := 1; j < p.b.c; j += 3 {
			for i := range p.b.r {
				p.b.set(i, j, 0)
			}
		}
	}},
	{"rank-1", false, func(p stackedProblem) {
		for i := range p.b.x {
			p.b.x[i] = p.b.x[0]
		}
		clear(p.r.x)
	}},
	{"graded-rows", false, func(p stackedProblem) {
		for i := range p.b.r {
			scaleRow(p.b.row(i), math.Pow(10, 12-float64(i)/2))
		}
	}},
	{"graded-columns", false, func(p stackedProblem) {
		for _, a := range []*full{p.r, p.b} {
			for i := range a.r {
				for j := range a.c {
					a.set(i, j, a.at(i, j)*math.Pow(10, float64(j%40)/2-10))
				}
			}
		}
	}},
	{"scale=1e150", false, scaleProblem(1e150)},
	{"scale=1e-150", false, scaleProblem(1e-150)},
	{"scale=1e-160", false, scaleProblem(1e-160)}, // squares are subnormal
	{"scale=1e300", false, scaleProblem(1e300)},
	{"scale=1e-300", false, scaleProblem(1e-300)},
	{"large-beside-small", false, func(p stackedProblem) { scaleRow(p.b.x, 1e200); scaleRow(p.r.x, 1e-200) }},
}

func scaleRow(x []float64, by float64) {
	for i := range x {
		x[i] *= by
	}
}

func scaleProblem(by float64) func(stackedProblem) {
	return func(p stackedProblem) {
		for _, a := range []*full{p.r, p.z, p.b, p.y} {
			scaleRow(a.x, by)
		}
	}
}

func newStackedProblem(rng *rand.Rand, k, q, c int, change func(stackedProblem), triangle bool) stackedProblem {
	p := stackedProblem{randomFull(rng, k, k), randomFull(rng, k, c), randomFull(rng, q, k), randomFull(rng, q, c), triangle}
	p.r.clearBelow()
	change(p)
	p.r.clearBelow()
	if triangle {
		p.b.clearBelow()
	}
	return p
}

// all returns [R z; B Y], and below [R z; 0 Y], its form after the elimination.
func (p stackedProblem) all() *full   { return stacked(p.r, p.z, p.b, p.y) }
func (p stackedProblem) below() *full { return stacked(p.r, p.z, newFull(p.b.r, p.b.c), p.y) }

func (a *full) clearBelow() { a.fillBelow(0) }

func (a *full) fillBelow(v float64) {
	for i := range a.r {
		for j := range min(i, a.c) {
			a.set(i, j, v)
		}
	}
}

// stacked returns [a b; c d].
func stacked(a, b, c, d *full) *full {
	m := newFull(a.r+c.r, a.c+b.c)
	for i := range a.r {
		copy(m.row(i), a.row(i))
		copy(m.row(i)[a.c:], b.row(i))
	}
	for i := range c.r {
		copy(m.row(a.r+i), c.row(i))
		copy(m.row(a.r + i)[a.c:], d.row(i))
	}
	return m
}

// checkSameGram tests that M1 = QᵀM0 for an orthogonal Q up to the errors of a sequence of reflections:
// column by column M1 = Qᵀ(M0 + E), ‖e_j‖ <= gamma ‖m_j‖ (Higham, lemma 19.3), so
//
//	|M1ᵀM1 - M0ᵀM0|_ij <= (2 gamma + gamma²) ‖m_i‖ ‖m_j‖ + (rows) eps ‖m_i‖ ‖m_j‖,
//
// where the last term is for the rounding of these sums.
// gamma is a small multiple of the number of reflections and of rows by eps in the bound, and of
// the rows in practice. The columns' norms are divided out first, so that nothing overflows.
func checkSameGram(t *testing.T, name string, m0, m1 *full, rows int) {
	t.Helper()
	a, b := newFull(m0.r, m0.c), newFull(m1.r, m1.c)
	for j := range m0.c {
		size := 0.0
		for i := range m0.r {
			size = max(size, math.Abs(m0.at(i, j)))
		}
		norm := 0.0
		for i := range m0.r {
			norm = math.Hypot(norm, over(m0.at(i, j), size))
		}
		for i := range m0.r {
			a.set(i, j, over(m0.at(i, j), size, norm))
		}
		for i := range m1.r {
			b.set(i, j, over(m1.at(i, j), size, norm))
		}
	}
	difference := b.transpose().mul(b).sub(a.transpose().mul(a))
	for i, v := range difference.x {
		if r := math.Abs(v) / (float64(rows) * eps); !(r <= ratioBound) {
			t.Errorf("%s: |M1ᵀM1 - M0ᵀM0|/(‖m_i‖ ‖m_j‖ rows eps) = %.3g at (%d, %d)", name, r, i/m0.c, i%m0.c)
			return
		}
	}
}

// An elimination is AppendRows or MergeTriangles.
type elimination func(bk blskernel.Backend, r, z, b, y *mat.Dense) error

// routine returns the one that is for p.
func (p stackedProblem) routine() elimination {
	if p.triangle {
		return MergeTriangles
	}
	return AppendRows
}

// planned returns the same with other sizes of blocks.
func (p stackedProblem) planned(plan lapack.TpqrtPlan) elimination {
	return func(bk blskernel.Backend, r, z, b, y *mat.Dense) error {
		e := newElimination(r, z, b, y)
		e.Triangle, e.Plan = p.triangle, plan
		return eliminate(bk, "Dtpqrt", e)
	}
}

// eliminate runs a routine on operands that hold places, with NaN below diagonals, and returns what
// became of the problem. It checks that nothing else was written.
func (p stackedProblem) eliminate(t *testing.T, name string, hold func(a *full) (*mat.Dense, func()), run func(r, z, b, y *mat.Dense) error) stackedProblem {
	t.Helper()
	hidden := func(a *full) *full {
		h := &full{a.r, a.c, slices.Clone(a.x)}
		h.fillBelow(math.NaN())
		return h
	}
	b := p.b
	if p.triangle {
		b = hidden(b)
	}
	var d [4]*mat.Dense
	var intact [4]func()
	for i, a := range []*full{hidden(p.r), p.z, b, p.y} {
		d[i], intact[i] = hold(a)
	}
	if err := run(d[0], d[1], d[2], d[3]); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	var got [4]*full
	for i, a := range []*full{p.r, p.z, p.b, p.y} {
		intact[i]()
		if got[i] = newFull(a.r, a.c); len(a.x) > 0 {
			got[i] = fullOf(d[i])
		}
	}
	if !sameBits(got[2].x, b.x) {
		t.Errorf("%s: the second matrix was changed", name)
	}
	for i := range got[0].r {
		for j := range i {
			if !math.IsNaN(got[0].at(i, j)) {
				t.Fatalf("%s: element (%d, %d) below the diagonal was written", name, i, j)
			}
		}
	}
	got[0].clearBelow()
	return stackedProblem{got[0], got[1], p.b, got[3], p.triangle}
}

// check runs a routine and compares the result with the problem, and where that is regular with QR.
func (p stackedProblem) check(t *testing.T, name string, bk blskernel.Backend, run elimination, regular bool) stackedProblem {
	t.Helper()
	got := p.eliminate(t, name, func(a *full) (*mat.Dense, func()) { return wide(t, a) },
		func(r, z, b, y *mat.Dense) error { return run(bk, r, z, b, y) })
	k, rows := p.r.r, p.r.r+p.b.r
	checkSameGram(t, name, p.all(), got.below(), rows)
	if !regular || k == 0 {
		return got
	}
	var dense QR
	dense.Backend = bk
	testutil.NoError(t, dense.Factorize(stacked(p.r, newFull(k, 0), p.b, newFull(p.b.r, 0)).dense()))
	var rd mat.Dense
	dense.RTo(&rd)
	// Both R are exact for matrices near by; R of A + E differs by a small multiple of cond(A) ‖E‖
	// (Higham, section 19.9), after the signs of its rows are made equal.
	want := fullOf(&rd)
	for i := range k {
		if want.at(i, i)*got.r.at(i, i) < 0 {
			scaleRow(want.row(i), -1)
		}
	}
	if v := over(got.r.sub(want).norm(), float64(rows)*eps, want.norm()) * dense.RCond(); !(v <= ratioBound) {
		t.Errorf("%s: ‖R' - R‖/(rows cond eps ‖R‖) = %.3g against QR", name, v)
	}
	return got
}
