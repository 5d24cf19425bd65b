package lapack

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/lapack"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/testmat"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

func TestElimination(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, g := range stackedGallery {
			t.Run(g.name, func(t *testing.T) {
				rng := testutil.Rand(51)
				check := func(k, q, c int, triangle bool, plans ...lapack.TpqrtPlan) {
					t.Helper()
					for _, plan := range append(plans, lapack.TpqrtPlan{}) {
						p := newStackedProblem(rng, k, q, c, g.change, triangle)
						name := fmt.Sprintf("k=%d q=%d c=%d triangle=%v %+v", k, q, c, triangle, plan)
						p.check(t, name, bk, p.planned(plan), g.regular)
					}
				}
				for k := range 41 {
					c := k % 4
					check(k, k, c, true,
						lapack.TpqrtPlan{Panel: 1 + k%7, Base: 1 + k%3, Strip: 1 + k%9, Room: (1 + k/3) * (k + c)},
						lapack.TpqrtPlan{Panel: 1 + k/2, Base: 2, Strip: 5, Room: (1 + k%5) * (k + c)})
				}
				for k := range 21 {
					for i, q := range []int{0, 1, 2, 3, 7, 8, 9, 17, 40} {
						c := (k + i) % 4
						check(k, q, c, false, lapack.TpqrtPlan{
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
		t.Run("large", func(t *testing.T) {
			for _, s := range []struct {
				k, q, c  int
				triangle bool
				room     int
			}{{97, 300, 200, false, 0}, {260, 140, 3, false, 0}, {260, 260, 3, true, 0}, {260, 260, 3, true, 100 * 263}} {
				p := newStackedProblem(testutil.Rand(52), s.k, s.q, s.c, stackedGallery[0].change, s.triangle)
				p.check(t, fmt.Sprintf("%+v", s), bk, p.planned(lapack.TpqrtPlan{Room: s.room}), true)
			}
		})
	})
}

// Many batches of rows come to the same as all of them at once, errors growing with the rows only.
func TestAppendRowsRepeatedly(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		const k, c, q = 23, 3, 300
		rng := testutil.Rand(53)
		b, y := testmat.Random(rng, q, k), testmat.Random(rng, q, c)
		r, z, rest := testmat.New(k, k).Dense(), testmat.New(k, c).Dense(), y.Dense()
		for i, n := 0, 1; i < q; i, n = i+n, n%19+1 {
			n = min(n, q-i)
			testutil.NoError(t, AppendRows(bk, r, z, b.Dense().Slice(i, i+n, 0, k).(*mat.Dense), rest.Slice(i, i+n, 0, c).(*mat.Dense)))
		}
		empty := func(c int) *full { return testmat.New(0, c) }
		checkSameGram(t, "batches", testmat.Stack(b, y, empty(k), empty(c)), testmat.Stack(testmat.Of(r), testmat.Of(z), testmat.New(q, k), testmat.Of(rest)), q+k)
	})
}

// By hand: [3 1; 4 2] = Q [-5 -2.2; 0 rest], rest² = 1 + 4 - 2.2².
func TestAppendRowsGolden(t *testing.T) {
	one := func(v float64) *mat.Dense { return mat.NewDense(1, 1, []float64{v}) }
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		r, z, ax, ya := one(3), one(1), one(4), one(2)
		testutil.NoError(t, AppendRows(bk, r, z, ax, ya))
		for _, v := range []struct{ got, want float64 }{{r.At(0, 0), -5}, {z.At(0, 0), -2.2}, {math.Abs(ya.At(0, 0)), 0.4}, {ax.At(0, 0), 4}} {
			if !(math.Abs(v.got-v.want) <= 16*eps*math.Abs(v.want)) {
				t.Errorf("got %v, want %v", v.got, v.want)
			}
		}
		// Rows of zeros change nothing, not even a sign.
		r, z, ya = one(-3), one(1), one(2)
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

// Rows in two parts, each with a triangle of its own, and merged, give what all rows give.
func TestMergeTrianglesOfParts(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		const k, c, q = 30, 2, 90
		rng := testutil.Rand(63)
		b, y := testmat.Random(rng, q, k), testmat.Random(rng, q, c)
		rest := y.Dense()
		var r, z [2]*mat.Dense
		for i, rows := range [][2]int{{0, 50}, {50, q}} {
			r[i], z[i] = testmat.New(k, k).Dense(), testmat.New(k, c).Dense()
			part := b.Dense().Slice(rows[0], rows[1], 0, k).(*mat.Dense)
			testutil.NoError(t, AppendRows(bk, r[i], z[i], part, rest.Slice(rows[0], rows[1], 0, c).(*mat.Dense)))
		}
		testutil.NoError(t, MergeTriangles(bk, r[0], z[0], r[1], z[1]))
		none := func(c int) *full { return testmat.New(0, c) }
		// The residual is in two places: what the parts left, and what the merging left of the
		// second z.
		left := testmat.Stack(testmat.Of(rest), testmat.New(q, 0), testmat.Of(z[1]), testmat.New(k, 0))
		checkSameGram(t, "parts", testmat.Stack(b, y, none(k), none(c)), testmat.Stack(testmat.Of(r[0]), testmat.Of(z[0]), testmat.New(q+k, k), left), q+2*k)
	})
}

// The structure is used: what a merge asks of the backend is near 2k³/3 flops, not the 2k³ of
// AppendRows.
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

// A gemmCounter counts the flops of Dgemm.
type gemmCounter struct {
	blskernel.Backend
	flops float64
}

func (g *gemmCounter) Name() string { return "counter" }

func (g *gemmCounter) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	g.flops += 2 * float64(m) * float64(n) * float64(k)
	g.Backend.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// The line through points that arrive in two parts, from the triangle alone.
func ExampleAppendRows() {
	r, z := mat.NewDense(2, 2, nil), mat.NewDense(2, 1, nil)
	add := func(x, y []float64) {
		rows := mat.NewDense(len(x), 2, nil)
		for i := range x {
			rows.SetRow(i, []float64{1, x[i]})
		}
		rest := mat.NewDense(len(y), 1, slices.Clone(y))
		if err := AppendRows(nil, r, z, rows, rest); err != nil {
			fmt.Println(err)
		}
	}
	add([]float64{0, 1, 2}, []float64{1, 3, 5})
	add([]float64{3, 4}, []float64{7, 9})
	slope := z.At(1, 0) / r.At(1, 1)
	fmt.Printf("y = %.3f + %.3f x\n", (z.At(0, 0)-r.At(0, 1)*slope)/r.At(0, 0), slope)
	// Output: y = 1.000 + 2.000 x
}
