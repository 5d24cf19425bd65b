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
	"blskernel/mat"
)

func TestAppendRows(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, g := range stackedGallery {
			t.Run(g.name, func(t *testing.T) {
				rng := testutil.Rand(51)
				check := func(k, q, c int, plan lapack.TpqrtPlan) {
					t.Helper()
					p := newStackedProblem(rng, k, q, c, g.change, false)
					p.checkElimination(t, fmt.Sprintf("k=%d q=%d c=%d %+v", k, q, c, plan), bk, plan, false, g.regular)
				}
				for k := range 21 {
					for i, q := range []int{0, 1, 2, 3, 7, 8, 9, 17, 40} {
						c := (k + i) % 4
						check(k, q, c, lapack.TpqrtPlan{})
						check(k, q, c, lapack.TpqrtPlan{Panel: 1 + k%7, Base: 1 + k%3, Strip: 1 + (k+q)%9, Room: (1 + q/3) * (k + c)})
					}
				}
				for _, s := range []struct{ k, q, c int }{{31, 128, 1}, {32, 31, 0}, {33, 150, 10}, {63, 64, 2}, {65, 100, 0}, {100, 33, 3}} {
					check(s.k, s.q, s.c, lapack.TpqrtPlan{})
				}
			})
		}
		t.Run("large", func(t *testing.T) {
			for _, s := range []struct{ k, q, c int }{{97, 300, 200}, {260, 140, 3}} {
				p := newStackedProblem(testutil.Rand(52), s.k, s.q, s.c, stackedGallery[0].change, false)
				p.checkElimination(t, fmt.Sprintf("%+v", s), bk, lapack.TpqrtPlan{}, false, true)
			}
		})
	})
}

// Many batches of rows come to the same as all of them at once, errors growing with the rows only.
func TestAppendRowsRepeatedly(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		const k, c, q = 23, 3, 300
		rng := testutil.Rand(53)
		b, y := randomFull(rng, q, k), randomFull(rng, q, c)
		r, z, rest := newFull(k, k).dense(), newFull(k, c).dense(), y.dense()
		for i, n := 0, 1; i < q; i, n = i+n, n%19+1 {
			n = min(n, q-i)
			if err := AppendRows(bk, r, z, b.dense().Slice(i, i+n, 0, k).(*mat.Dense), rest.Slice(i, i+n, 0, c).(*mat.Dense)); err != nil {
				t.Fatal(err)
			}
		}
		empty := func(c int) *full { return newFull(0, c) }
		checkSameGram(t, "batches", stacked(b, y, empty(k), empty(c)), stacked(fullOf(r), fullOf(z), newFull(q, k), fullOf(rest)), q+k)
	})
}

// By hand: [3 1; 4 2] = Q [-5 -2.2; 0 rest], rest² = 1 + 4 - 2.2².
func TestAppendRowsGolden(t *testing.T) {
	one := func(v float64) *mat.Dense { return mat.NewDense(1, 1, []float64{v}) }
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		r, z, ax, ya := one(3), one(1), one(4), one(2)
		if err := AppendRows(bk, r, z, ax, ya); err != nil {
			t.Fatal(err)
		}
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

// On the pure backend the same bits come out of any number of threads.
func TestEliminationThreads(t *testing.T) {
	bk, err := blskernel.Lookup("pure")
	if err != nil {
		t.Fatal(err)
	}
	defer blskernel.SetThreads(0)
	for _, triangle := range []bool{false, true} {
		const k, c = 210, 5
		p := newStackedProblem(testutil.Rand(54), k, k, c, stackedGallery[0].change, triangle)
		plan := lapack.TpqrtPlan{Room: 90 * (k + c)} // three times some rows
		blskernel.SetThreads(1)
		want := p.eliminate(t, "one thread", bk, plan, triangle)
		for _, threads := range []int{0, 2, 3} {
			blskernel.SetThreads(threads)
			got := p.eliminate(t, "threads", bk, plan, triangle)
			if !sameBits(got.r.x, want.r.x) || !sameBits(got.z.x, want.z.x) || !sameBits(got.y.x, want.y.x) {
				t.Errorf("triangle=%v: %d threads give another result than one", triangle, threads)
			}
		}
	}
}

// Any element that is not finite is named by its place in [R z; B Y], and nothing is written. What is
// below a diagonal does not count.
func TestEliminationNotFinite(t *testing.T) {
	const k, q, c = 3, 3, 2
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, triangle := range []bool{false, true} {
			for i := range k + q {
				for j := range k + c {
					for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
						p := newStackedProblem(testutil.Rand(56), k, q, c, func(stackedProblem) {}, triangle)
						at, ii, jj := p.r, i, j
						switch {
						case i >= k && j >= k:
							at, ii, jj = p.y, i-k, j-k
						case i >= k:
							at, ii = p.b, i-k
						case j >= k:
							at, jj = p.z, j-k
						}
						at.set(ii, jj, bad)
						r, z, b, y := p.r.dense(), p.z.dense(), p.b.dense(), p.y.dense()
						name, run := fmt.Sprintf("triangle=%v (%d, %d)", triangle, i, j), AppendRows
						if triangle {
							run = MergeTriangles
						}
						err := run(bk, r, z, b, y)
						if below := j < k && ii > j && (i < k || triangle); below {
							if err != nil {
								t.Errorf("%s, below the diagonal: %v", name, err)
							}
							continue
						}
						wantElement(t, name, err, ErrNotFinite, i, j)
						for n, d := range []*mat.Dense{r, z, b, y} {
							if !sameBits(d.RawMatrix().Data, []*full{p.r, p.z, p.b, p.y}[n].x) {
								t.Errorf("%s: operand %d was changed", name, n)
							}
						}
					}
				}
			}
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
