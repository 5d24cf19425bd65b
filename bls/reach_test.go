package bls

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel/blsupdate"
	"blskernel/internal/testutil"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// TestFarRows has rows of four times the learned spread, in classes with shares 0.9, 0.07 and 0.03.
// Their probabilities shrink, the probabilities of learned rows do not, and no prediction changes.
func TestFarRows(t *testing.T) {
	testutil.NotUnderRace(t, "TestTune has the goroutines of a choice")
	const l, d = 600, 3
	rnd := rand.New(rand.NewPCG(5, 5))
	x, far := mat.NewDense(l, d, nil), mat.NewDense(l, d, nil)
	labels := make([]int, l)
	for i := range l {
		for j := range d {
			x.Set(i, j, rnd.NormFloat64())
			far.Set(i, j, 4*rnd.NormFloat64())
		}
		switch v := x.At(i, 0) + x.At(i, 1); {
		case v > 2.6:
			labels[i] = 2
		case v > 1.8:
			labels[i] = 1
		}
	}
	for _, scaling := range []Scaling{ScaleColumns, ScaleRanks} {
		c := &Classifier{Features: FeatureOptions{Scaling: scaling, EnhancementNodes: 50}}
		must(t, c.Fit(x, labels))
		for name, rows := range map[string]*mat.Dense{"learned": x, "far": far} {
			reach, err := c.Outside(rows)
			must(t, err)
			beyond := 0
			for _, r := range reach {
				if r > FarOutside {
					beyond++
				}
			}
			if name == "learned" && !(slices.Max(reach) <= 1+1e-12) || name == "far" && beyond < l/2 {
				t.Errorf("%v, %s: %d rows are far, the farthest %v", scaling, name, beyond, slices.Max(reach))
			}
			p, err := c.PredictProba(rows)
			must(t, err)
			tempered := scoresOf(t, c, rows)
			plain := c.Probabilities(tempered)
			c.TemperScores(tempered, reach)
			if again := c.Probabilities(tempered); !slices.Equal(ArgMax(tempered), ArgMax(p)) || !gonum.EqualApprox(again, p, 1e-13) {
				t.Errorf("%v, %s: other probabilities by the tempered scores", scaling, name)
			}
			predicted := predicted(t, c, rows)
			if !slices.Equal(ArgMax(p), predicted) {
				t.Errorf("%v, %s: other classes by the probabilities", scaling, name)
			}
			for i, r := range reach {
				sum, most := gonum.Sum(p.Slice(i, i+1, 0, 3)), slices.Max(plain.RawRowView(i))
				switch top := slices.Max(p.RawRowView(i)); {
				case !(math.Abs(sum-1) <= 1e-14):
					t.Fatalf("%v, %s, row %d: the sum is %v", scaling, name, i, sum)
				case r <= 1 && !slices.Equal(p.RawRowView(i), plain.RawRowView(i)):
					t.Fatalf("%v, %s, row %d: shrunk", scaling, name, i)
				case r > 1+1e-9 && !(top < most || predicted[i] == 0):
					t.Fatalf("%v, %s, row %d: %v, not shrunk from %v", scaling, name, i, top, most)
				}
			}
		}
		before, err := c.Outside(far)
		must(t, err)
		must(t, c.PartialFitContext(background, far, labels, make([]float64, l)))
		if after, err := c.Outside(far); err != nil || !slices.Equal(before, after) {
			t.Errorf("%v: rows of weight 0 count as learned (%v)", scaling, err)
		}
		must(t, c.Fit(rowsOf(x, 0, 1), labels[:1])) // which lies in the middle
		c = decodedAgain(t, c)
		must(t, c.PartialFit(x, labels))
		if r, err := c.Outside(far); err != nil || !(slices.Max(r) > FarOutside) {
			t.Errorf("%v: after a fit of one row, the farthest is %v, %v", scaling, slices.Max(r), err)
		}
	}
	even := &Classifier{Features: FeatureOptions{EnhancementNodes: 9, Shrink: 1}, ClassWeight: Balanced, Classes: 4}
	must(t, even.Fit(x, labels)) // without rows of class 3
	p, want := mat.NewDense(1, 4, []float64{0.4, 0.3, 0.2, 0.1}), []float64{1. / 3, 1. / 3, 1. / 3, 0}
	if even.Temper(p, []float64{10}); !gonum.EqualApprox(p, mat.NewDense(1, 4, want), 1e-5) {
		t.Errorf("balanced classes, far outside: %v", p.RawRowView(0))
	}
	none := &Classifier{Features: FeatureOptions{Scaling: ScaleNone, EnhancementNodes: None}, Update: blsupdate.Options{Lambda: 1}}
	must(t, none.Fit(x, labels))
	scores := mat.NewDense(1, 3, []float64{1e20, -3e19, 2})
	if none.TemperScores(scores, []float64{1e9}); !(math.Abs(gonum.Sum(scores)+1) <= 1e-9) || !(none.Probabilities(scores).At(0, 0) < 0.99) {
		t.Errorf("far outside, the scores are %v", scores.RawRowView(0))
	}
	far.SetRow(7, []float64{math.MaxFloat64, -math.MaxFloat64, math.MaxFloat64})
	if o, err := none.Outside(far); !isA(err, new(*OverflowError)) {
		t.Errorf("a row whose nodes overflow: %v, %v", o, err)
	}
}
