package bls

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel/mat"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestNormalScores checks knots at mid-ranks, the lines between and beyond them, and the limits.
func TestNormalScores(t *testing.T) {
	column := []float64{0, 1, 1, 1, 2, 3, 4, 5, 6, 10}
	c := normalScores(column)
	q := distuv.UnitNormal.Quantile
	slope := (q(0.25) - q(0.05)) / (1 - 0) // of the outer tenth
	top := (q(0.95) - q(0.85)) / (10 - 6)
	for v, want := range map[float64]float64{
		0: q(0.05), 1: q(0.25), 2: q(0.45), 10: q(0.95), 1.5: (q(0.25) + q(0.45)) / 2,
		-0.5: q(0.05) - 0.5*slope, 12: q(0.95) + 2*top, -1e300: -4, 1e300: 4,
	} {
		if got := c.at(v); !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("the score of %v is %v, want %v", v, got, want)
		}
	}
	if got := normalScores([]float64{7, 7}); got.at(-1) != 0 || got.at(9) != 0 {
		t.Errorf("a constant column: %v", got)
	}
	two := normalScores([]float64{0, 0, 0, 1})
	if std := 0.5; !(math.Abs(two.at(0)+0.25/std) <= 1e-12) || !(math.Abs(two.at(1)-0.75/std) <= 1e-12) {
		t.Errorf("two values: %v", two)
	}
	x := mat.NewDense(rankRows+1000, 1, nil)
	x.Set(5, 0, 1) // in no sample
	if f := mustFit(t, x, FeatureOptions{Scaling: ScaleRanks}); f.ranks[0].at(0) != 0 || f.ranks[0].at(1) != 1 || f.withVarying(x) != f {
		t.Errorf("a column that varies elsewhere: %v", f.ranks)
	}
}

// TestRanksEdges has columns whose differences overflow or are as small as possible: scores ascend.
func TestRanksEdges(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	huge := make([]float64, 4096)
	for i := range huge {
		huge[i] = math.MaxFloat64 * (2*r.Float64() - 1)
	}
	const tiny = math.SmallestNonzeroFloat64
	for _, column := range [][]float64{
		huge, {-math.MaxFloat64, math.MaxFloat64}, {-math.MaxFloat64, 0, 0, math.MaxFloat64}, {0, tiny, 2 * tiny}, {1, math.Nextafter(1, 2), 2},
	} {
		slices.Sort(column)
		c := normalScores(column)
		if n := len(c.knots); n > rankKnots || n < 2 || n != len(c.scores) || !slices.IsSorted(c.knots) || !slices.IsSorted(c.scores) {
			t.Errorf("%d knots %v, scores %v", n, c.knots, c.scores)
		}
		last := math.Inf(-1)
		for _, v := range append([]float64{-math.MaxFloat64}, append(column, math.MaxFloat64)...) {
			s := c.at(v)
			if !(s >= last && math.Abs(s) <= rankLimit) {
				t.Fatalf("the score of %v is %v, after %v", v, s, last)
			}
			last = s
		}
	}
}

// TestOutliers has cells of 10⁴ in a hundredth of the rows: the zero value chooses ranks, and predicts
// as if the outliers were not there.
func TestOutliers(t *testing.T) {
	pureWithoutRace(t)
	x, y, _ := normalTable(11, 1200, 3)
	for i := 0; i < 1200; i += 100 {
		x.Set(i, i/100%3, 1e4)
	}
	var r Regressor
	must(t, r.Fit(rowsOf(x, 0, 800), rowsOf(y, 0, 800)))
	if s, err := r.Score(rowsOf(x, 800, 1200), rowsOf(y, 800, 1200)); err != nil || !(s >= 0.9) || r.FittedFeatures().Options().Scaling != ScaleRanks {
		t.Errorf("R² %v, %v, scaled by %v", s, err, r.FittedFeatures().Options().Scaling)
	}
}

// TestRanksMaps computes a row of A from the numbers of Maps.
func TestRanksMaps(t *testing.T) {
	x, _, _ := normalTable(12, 300, 3)
	f := mustFit(t, x, FeatureOptions{Scaling: ScaleRanks, Groups: 1, GroupNodes: 2})
	m := f.Maps()
	sample := mat.NewDense(1, 3, []float64{0.3, -9, 0.001})
	a := mustTransform(t, f, sample)
	for j := range 2 {
		z := m.Bias * m.FeatureWeights.At(3, j)
		for i := range 3 {
			z += (curve{m.Knots[i], m.Scores[i]}).at(sample.At(0, i)) * m.FeatureWeights.At(i, j)
		}
		if want := (z - m.FeatureMinimum[j]) / m.FeatureRange[j]; !(math.Abs(a.At(0, j)-want) <= 1e-12) {
			t.Errorf("node %d is %v, want %v", j, a.At(0, j), want)
		}
	}
}
