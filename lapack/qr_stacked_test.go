package lapack

import (
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/internal/lapack"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/testmat"
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
		for i := range p.r.R {
			p.r.Set(i, i, p.r.At(i, i)+math.Copysign(float64(p.r.R), p.r.At(i, i)))
		}
	}},
	{"zero-R", false, func(p stackedProblem) { clear(p.r.X); clear(p.z.X) }},
	{"zero-B", false, func(p stackedProblem) { clear(p.b.X) }},
	{"zero-both", false, func(p stackedProblem) { clear(p.r.X); clear(p.b.X) }},
	{"zeros-on-diagonal", false, func(p stackedProblem) {
		for i := 0; i < p.r.R; i += 2 {
			p.r.Set(i, i, 0)
		}
	}},
	{"zero-columns", false, func(p stackedProblem) {
		for j := 1; j < p.b.C; j += 3 {
			for i := range p.b.R {
				p.b.Set(i, j, 0)
			}
		}
	}},
	{"rank-1", false, func(p stackedProblem) {
		for i := range p.b.X {
			p.b.X[i] = p.b.X[0]
		}
		clear(p.r.X)
	}},
	{"graded-rows", false, func(p stackedProblem) {
		for i := range p.b.R {
			scaleRow(p.b.Row(i), math.Pow(10, 12-float64(i)/2))
		}
	}},
	{"graded-columns", false, func(p stackedProblem) {
		for _, a := range []*full{p.r, p.b} {
			for i := range a.R {
				for j := range a.C {
					a.Set(i, j, a.At(i, j)*math.Pow(10, float64(j%40)/2-10))
				}
			}
		}
	}},
	{"scale=1e150", false, scaleProblem(1e150)},
	{"scale=1e-150", false, scaleProblem(1e-150)},
	{"scale=1e-160", false, scaleProblem(1e-160)}, // squares are subnormal
	{"scale=1e300", false, scaleProblem(1e300)},
	{"scale=1e-300", false, scaleProblem(1e-300)},
	{"large-beside-small", false, func(p stackedProblem) { scaleRow(p.b.X, 1e200); scaleRow(p.r.X, 1e-200) }},
}

func scaleRow(x []float64, by float64) {
	for i := range x {
		x[i] *= by
	}
}

func scaleProblem(by float64) func(stackedProblem) {
	return func(p stackedProblem) {
		for _, a := range []*full{p.r, p.z, p.b, p.y} {
			scaleRow(a.X, by)
		}
	}
}

func newStackedProblem(rng *rand.Rand, k, q, c int, change func(stackedProblem), triangle bool) stackedProblem {
	p := stackedProblem{testmat.Random(rng, k, k), testmat.Random(rng, k, c), testmat.Random(rng, q, k), testmat.Random(rng, q, c), triangle}
	p.r = p.r.Upper(0)
	change(p)
	p.r = p.r.Upper(0)
	if triangle {
		p.b = p.b.Upper(0)
	}
	return p
}

// all returns [R z; B Y], and below [R z; 0 Y], its form after the elimination.
func (p stackedProblem) all() *full   { return testmat.Stack(p.r, p.z, p.b, p.y) }
func (p stackedProblem) below() *full { return testmat.Stack(p.r, p.z, testmat.New(p.b.R, p.b.C), p.y) }

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
	a, b := testmat.New(m0.R, m0.C), testmat.New(m1.R, m1.C)
	for j := range m0.C {
		size := 0.0
		for i := range m0.R {
			size = max(size, math.Abs(m0.At(i, j)))
		}
		norm := 0.0
		for i := range m0.R {
			norm = math.Hypot(norm, testmat.Over(m0.At(i, j), size))
		}
		for i := range m0.R {
			a.Set(i, j, testmat.Over(m0.At(i, j), size, norm))
		}
		for i := range m1.R {
			b.Set(i, j, testmat.Over(m1.At(i, j), size, norm))
		}
	}
	difference := b.T().Mul(b).Sub(a.T().Mul(a))
	for i, v := range difference.X {
		if r := math.Abs(v) / (float64(rows) * eps); !(r <= ratioBound) {
			t.Errorf("%s: |M1ᵀM1 - M0ᵀM0|/(‖m_i‖ ‖m_j‖ rows eps) = %.3g at (%d, %d)", name, r, i/m0.C, i%m0.C)
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
	b := p.b
	if p.triangle {
		b = b.Upper(math.NaN())
	}
	var d [4]*mat.Dense
	var intact [4]func()
	for i, a := range []*full{p.r.Upper(math.NaN()), p.z, b, p.y} {
		d[i], intact[i] = hold(a)
	}
	if err := run(d[0], d[1], d[2], d[3]); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	var got [4]*full
	for i, a := range []*full{p.r, p.z, p.b, p.y} {
		intact[i]()
		if got[i] = testmat.New(a.R, a.C); len(a.X) > 0 {
			got[i] = testmat.Of(d[i])
		}
	}
	if !testmat.SameBits(got[2].X, b.X) {
		t.Errorf("%s: the second matrix was changed", name)
	}
	for i := range got[0].R {
		for j := range i {
			if !math.IsNaN(got[0].At(i, j)) {
				t.Fatalf("%s: element (%d, %d) below the diagonal was written", name, i, j)
			}
		}
	}
	got[0] = got[0].Upper(0)
	return stackedProblem{got[0], got[1], p.b, got[3], p.triangle}
}

// check runs a routine and compares the result with the problem, and where that is regular with QR.
func (p stackedProblem) check(t *testing.T, name string, bk blskernel.Backend, run elimination, regular bool) stackedProblem {
	t.Helper()
	got := p.eliminate(t, name, func(a *full) (*mat.Dense, func()) { return wide(t, a) },
		func(r, z, b, y *mat.Dense) error { return run(bk, r, z, b, y) })
	k, rows := p.r.R, p.r.R+p.b.R
	checkSameGram(t, name, p.all(), got.below(), rows)
	if !regular || k == 0 {
		return got
	}
	var dense QR
	dense.Backend = bk
	testutil.NoError(t, dense.Factorize(testmat.Stack(p.r, testmat.New(k, 0), p.b, testmat.New(p.b.R, 0)).Dense()))
	var rd mat.Dense
	dense.RTo(&rd)
	// Both R are exact for matrices near by; R of A + E differs by a small multiple of cond(A) ‖E‖
	// (Higham, section 19.9), after the signs of its rows are made equal.
	want := testmat.Of(&rd)
	for i := range k {
		if want.At(i, i)*got.r.At(i, i) < 0 {
			scaleRow(want.Row(i), -1)
		}
	}
	if v := testmat.Over(got.r.Sub(want).Norm(), float64(rows)*eps, want.Norm()) * dense.RCond(); !(v <= ratioBound) {
		t.Errorf("%s: ‖R' - R‖/(rows cond eps ‖R‖) = %.3g against QR", name, v)
	}
	return got
}
