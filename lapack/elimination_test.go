package lapack

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/internal/linalg/factor/qr"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/testmat"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// A stackedProblem is [R z; B Y] as plain matrices; R, and B if triangle is set, is upper triangular.
type stackedProblem struct {
	r, z, b, y *full
	triangle   bool
}

// stackedGallery lists ways to fill the problem: each changes a problem of random elements.
var stackedGallery = []struct {
	name   string
	change func(p *stackedProblem)
}{
	{"random", func(p *stackedProblem) {
		r := p.r
		p.r = testmat.Func(r.R, r.C, func(i, j int) float64 {
			return r.At(i, j) + testmat.Unless(i != j)*math.Copysign(float64(r.R), r.At(i, j))
		})
	}},
	{"zero-R", func(p *stackedProblem) { p.r, p.z = p.r.Scaled(0), p.z.Scaled(0) }},
	{"zero-B", func(p *stackedProblem) { p.b = p.b.Scaled(0) }},
	{"zero-both", func(p *stackedProblem) { p.r, p.b = p.r.Scaled(0), p.b.Scaled(0) }},
	{"zeros-on-diagonal", func(p *stackedProblem) {
		p.r = p.r.Weigh(func(i, j int) float64 { return testmat.Unless(i == j && i%2 == 0) })
	}},
	{"zero-columns", func(p *stackedProblem) {
		p.b = p.b.Weigh(func(_, j int) float64 { return testmat.Unless(j%3 == 1) })
	}},
	{"rank-1", func(p *stackedProblem) {
		p.r, p.b = p.r.Scaled(0), testmat.Func(p.b.R, p.b.C, func(_, _ int) float64 { return 0.7 })
	}},
	{"graded-rows", func(p *stackedProblem) {
		p.b = p.b.Weigh(func(i, _ int) float64 { return math.Pow(10, 12-float64(i)/2) })
	}},
	{"graded-columns", func(p *stackedProblem) {
		grade := func(_, j int) float64 { return math.Pow(10, float64(j%40)/2-10) }
		p.r, p.b = p.r.Weigh(grade), p.b.Weigh(grade)
	}},
	{"scale=1e150", scaleProblem(1e150)},
	{"scale=1e-150", scaleProblem(1e-150)},
	{"scale=1e-160", scaleProblem(1e-160)}, // squares are subnormal
	{"scale=1e300", scaleProblem(1e300)},
	{"scale=1e-300", scaleProblem(1e-300)},
	{"large-beside-small", func(p *stackedProblem) { p.b, p.r = p.b.Scaled(1e200), p.r.Scaled(1e-200) }},
}

func scaleProblem(by float64) func(*stackedProblem) {
	return func(p *stackedProblem) {
		p.r, p.z, p.b, p.y = p.r.Scaled(by), p.z.Scaled(by), p.b.Scaled(by), p.y.Scaled(by)
	}
}

func newStackedProblem(rng *rand.Rand, k, q, c int, change func(*stackedProblem), triangle bool) stackedProblem {
	p := stackedProblem{testmat.Random(rng, k, k), testmat.Random(rng, k, c), testmat.Random(rng, q, k), testmat.Random(rng, q, c), triangle}
	change(&p)
	if p.r = p.r.Upper(0); triangle {
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
	largest, norms := make([]float64, m0.C), make([]float64, m0.C)
	for j := range m0.C {
		for _, v := range m0.Column(j).X {
			largest[j] = max(largest[j], math.Abs(v))
		}
		for _, v := range m0.Column(j).X {
			norms[j] = math.Hypot(norms[j], testmat.Over(v, largest[j]))
		}
	}
	gram := func(m *full) *full {
		u := testmat.Func(m.R, m.C, func(i, j int) float64 { return testmat.Over(m.At(i, j), largest[j], norms[j]) })
		return u.T().Mul(u)
	}
	for i, v := range gram(m1).Sub(gram(m0)).X {
		if r := math.Abs(v) / (float64(rows) * eps); !(r <= ratioBound) {
			t.Errorf("%s: |M1ᵀM1 - M0ᵀM0|/(‖m_i‖ ‖m_j‖ rows eps) = %.3g at (%d, %d)", name, r, i/m0.C, i%m0.C)
			return
		}
	}
}

// An elimination is AppendRows or MergeTriangles.
type elimination func(bk blskernel.Backend, r, z, b, y *mat.Dense) error

// routine returns the elimination for p.
func (p stackedProblem) routine() elimination {
	if p.triangle {
		return MergeTriangles
	}
	return AppendRows
}

// planned returns the same elimination with other block sizes.
func (p stackedProblem) planned(plan qr.TpqrtPlan) elimination {
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
	if !testmat.SameBits(got[0].X, got[0].Upper(math.NaN()).X) {
		t.Errorf("%s: an element below the diagonal was written", name)
	}
	got[0] = got[0].Upper(0)
	return stackedProblem{got[0], got[1], p.b, got[3], p.triangle}
}

func (p stackedProblem) check(t *testing.T, name string, bk blskernel.Backend, run elimination) stackedProblem {
	t.Helper()
	got := p.eliminate(t, name, func(a *full) (*mat.Dense, func()) { return wide(t, a) },
		func(r, z, b, y *mat.Dense) error { return run(bk, r, z, b, y) })
	checkSameGram(t, name, p.all(), got.below(), p.r.R+p.b.R)
	return got
}

func TestElimination(t *testing.T) {
	testutil.NotUnderRace(t, "computing in one goroutine")
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, g := range stackedGallery {
			t.Run(g.name, func(t *testing.T) {
				rng := testutil.Rand(51)
				check := func(k, q, c int, triangle bool, plans ...qr.TpqrtPlan) {
					t.Helper()
					for _, plan := range append(plans, qr.TpqrtPlan{}) {
						p := newStackedProblem(rng, k, q, c, g.change, triangle)
						name := fmt.Sprintf("k=%d q=%d c=%d triangle=%v %+v", k, q, c, triangle, plan)
						p.check(t, name, bk, p.planned(plan))
					}
				}
				for k := range 41 {
					if k > 20 && g.name != "random" && !testutil.Long() {
						continue
					}
					c := k % 4
					check(k, k, c, true,
						qr.TpqrtPlan{Panel: 1 + k%7, Base: 1 + k%3, Strip: 1 + k%9, Room: (1 + k/3) * (k + c)},
						qr.TpqrtPlan{Panel: 1 + k/2, Base: 2, Strip: 5, Room: (1 + k%5) * (k + c)})
				}
				for k := range 21 {
					for i, q := range []int{0, 1, 2, 3, 7, 8, 9, 17, 40} {
						c := (k + i) % 4
						check(k, q, c, false, qr.TpqrtPlan{
							Panel: 1 + k%7, Base: 1 + k%3, Strip: 1 + (k+q)%9, Room: (1 + q/3) * (k + c),
						})
					}
				}
				for _, s := range []struct{ k, q, c int }{
					{31, 128, 1}, {32, 31, 0}, {33, 150, 10}, {63, 64, 2}, {65, 100, 0}, {100, 33, 3},
				} {
					check(s.k, s.q, s.c, false)
				}
				for _, k := range []int{63, 64, 65, 97} {
					check(k, k, k%3, true)
				}
			})
		}
		for _, s := range []struct {
			k, q, c  int
			triangle bool
			room     int
		}{{97, 300, 200, false, 0}, {260, 140, 3, false, 0}, {260, 260, 3, true, 0}, {260, 260, 3, true, 100 * 263}} {
			p := newStackedProblem(testutil.Rand(52), s.k, s.q, s.c, stackedGallery[0].change, s.triangle)
			p.check(t, fmt.Sprintf("%+v", s), bk, p.planned(qr.TpqrtPlan{Room: s.room}))
		}
	})
}

func TestAppendRowsExtremes(t *testing.T) {
	one := func(v float64) *mat.Dense { return mat.NewDense(1, 1, []float64{v}) }
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		// Rows of zeros change nothing, not even a sign.
		r, z, ya := one(-3), one(1), one(2)
		if err := AppendRows(bk, r, z, one(0), ya); err != nil || r.At(0, 0) != -3 || z.At(0, 0) != 1 || ya.At(0, 0) != 2 {
			t.Errorf("a row of zeros: %v, R = %v, z = %v, rest %v", err, r.At(0, 0), z.At(0, 0), ya.At(0, 0))
		}
		// Subnormal numbers, of which 1/7e-310 overflows; they have 14 digits or so.
		r = one(3e-310)
		if err := AppendRows(bk, r, nil, one(4e-310), nil); err != nil || !(math.Abs(r.At(0, 0)/5e-310+1) <= 1e-12) {
			t.Errorf("subnormal: %v, R = %v", err, r.At(0, 0))
		}
	})
}

func TestEliminationOverflow(t *testing.T) {
	const big = 1.5e308
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, s := range []struct {
			name        string
			r, z, b, y  []float64
			k, c, index int
		}{
			{"R", []float64{1, 0, 0, big}, nil, []float64{0, big}, nil, 2, 0, 1},
			{"R beside the diagonal", []float64{1, big, 0, 1}, nil, []float64{1, big}, nil, 2, 0, 0},
			{"z", []float64{1}, []float64{big}, []float64{1}, []float64{big}, 1, 1, 0},
			{"norm", []float64{big / 2}, nil, []float64{big / 2, big / 2, big / 2, big / 2, big / 2}, nil, 1, 0, 0},
			{"Y", []float64{1}, []float64{-big}, []float64{1}, []float64{big}, 1, 1, 0},
		} {
			dense := func(r, c int, x []float64) *mat.Dense {
				if x == nil {
					return nil
				}
				return mat.NewDense(r, c, x)
			}
			err := AppendRows(bk, dense(s.k, s.k, s.r), dense(s.k, s.c, s.z), dense(len(s.b)/s.k, s.k, s.b), dense(1, s.c, s.y))
			wantPivot(t, s.name, err, ErrNotFinite, s.index)
		}
	})
}

// A merge uses the structure: it asks the backend for about 2k³/3 flops, not for the 2k³ of AppendRows.
func TestMergeTrianglesFlops(t *testing.T) {
	const k = 400
	rng := testutil.Rand(64)
	count := &gemmCounter{Backend: fastBLAS(t)}
	for _, s := range []struct {
		name    string
		flops   float64
		excess  float64 // what the panels, T and the blocks of the trapezoids may add
		routine func(bk blskernel.Backend, r1, z1, r2, z2 *mat.Dense) error
	}{
		{"merge", 2.0 / 3 * k * k * k, 0.35, MergeTriangles},
		{"append", 2 * k * k * k, 0.15, AppendRows},
	} {
		count.flops = 0
		testutil.NoError(t, s.routine(count, testmat.Random(rng, k, k).Dense(), nil, testmat.Random(rng, k, k).Dense(), nil))
		if ratio := count.flops / s.flops; !(ratio > 0.8 && ratio < 1+s.excess) {
			t.Errorf("%s: %.2f times the flops of the documentation", s.name, ratio)
		}
	}
}

type gemmCounter struct {
	blskernel.Backend
	flops float64
}

func (g *gemmCounter) Name() string { return "counter" }

func (g *gemmCounter) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	g.flops += 2 * float64(m) * float64(n) * float64(k)
	g.Backend.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}
