package lapack

import (
	"fmt"
	"testing"

	"blskernel"
	"blskernel/internal/lapack"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

func TestMergeTriangles(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, g := range stackedGallery {
			t.Run(g.name, func(t *testing.T) {
				rng := testutil.Rand(61)
				check := func(k, c int, plan lapack.TpqrtPlan) {
					t.Helper()
					p := newStackedProblem(rng, k, k, c, g.change, true)
					p.checkElimination(t, fmt.Sprintf("k=%d c=%d %+v", k, c, plan), bk, plan, true, g.regular)
				}
				for k := range 41 {
					c := k % 4
					check(k, c, lapack.TpqrtPlan{})
					check(k, c, lapack.TpqrtPlan{Panel: 1 + k%7, Base: 1 + k%3, Strip: 1 + k%9, Room: (1 + k/3) * (k + c)})
					check(k, c, lapack.TpqrtPlan{Panel: 1 + k/2, Base: 2, Strip: 5, Room: (1 + k%5) * (k + c)})
				}
				for _, k := range []int{63, 64, 65, 97} {
					check(k, k%3, lapack.TpqrtPlan{})
				}
			})
		}
		t.Run("large", func(t *testing.T) {
			p := newStackedProblem(testutil.Rand(62), 260, 260, 3, stackedGallery[0].change, true)
			p.checkElimination(t, "k=260", bk, lapack.TpqrtPlan{}, true, true)
			p.checkElimination(t, "k=260 in parts", bk, lapack.TpqrtPlan{Room: 100 * 263}, true, true)
		})
	})
}

// Rows in two parts, each with a triangle of its own, and merged, give what all rows give.
func TestMergeTrianglesOfParts(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		const k, c, q = 30, 2, 90
		rng := testutil.Rand(63)
		b, y := randomFull(rng, q, k), randomFull(rng, q, c)
		rest := y.dense()
		var r, z [2]*mat.Dense
		for i, rows := range [][2]int{{0, 50}, {50, q}} {
			r[i], z[i] = newFull(k, k).dense(), newFull(k, c).dense()
			part := b.dense().Slice(rows[0], rows[1], 0, k).(*mat.Dense)
			if err := AppendRows(bk, r[i], z[i], part, rest.Slice(rows[0], rows[1], 0, c).(*mat.Dense)); err != nil {
				t.Fatal(err)
			}
		}
		if err := MergeTriangles(bk, r[0], z[0], r[1], z[1]); err != nil {
			t.Fatal(err)
		}
		none := func(c int) *full { return newFull(0, c) }
		// The residual is in two places: what the parts left, and what the merging left of the
		// second z.
		left := stacked(fullOf(rest), newFull(q, 0), fullOf(z[1]), newFull(k, 0))
		checkSameGram(t, "parts", stacked(b, y, none(k), none(c)), stacked(fullOf(r[0]), fullOf(z[0]), newFull(q+k, k), left), q+2*k)
	})
}

// The structure is used: what a merge asks of the backend is near 2k³/3 flops, not the 2k³ of
// AppendRows.
func TestMergeTrianglesFlops(t *testing.T) {
	inner, err := blskernel.Lookup("pure")
	if err != nil {
		t.Fatal(err)
	}
	const k = 400
	rng := testutil.Rand(64)
	count := &gemmCounter{Backend: inner}
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
		if err := s.routine(count, randomFull(rng, k, k).dense(), nil, randomFull(rng, k, k).dense(), nil); err != nil {
			t.Fatal(err)
		}
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
