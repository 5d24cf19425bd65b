package bls

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// TestImportance has a target of two of four columns, one of which matters twice as much, and a group.
// The falls equal falls of the score of copies with permuted columns, and X does not change.
func TestImportance(t *testing.T) {
	testutil.NotUnderRace(t, "TestTune has the goroutines of a choice")
	const l, repeats = 300, 4
	rng := rand.New(rand.NewPCG(1, 2))
	x, y, labels := mat.NewDense(l, 4, nil), mat.NewDense(l, 1, nil), make([]int, l)
	for i := range l {
		for j := range 4 {
			x.Set(i, j, rng.Float64()*2-1)
		}
		v := 2*x.At(i, 0) + x.At(i, 2)
		y.Set(i, 0, v)
		if v > 0 {
			labels[i] = 1
		}
	}
	var was mat.Dense
	was.CloneFrom(x)
	r, c := &Regressor{}, &Classifier{}
	testutil.NoError(t, r.Fit(x, y))
	testutil.NoError(t, c.Fit(x, labels))
	opt := ImportanceOptions{Repeats: repeats, Seed: 3, Groups: [][]int{{0}, {1, 3}, {2}}}
	for name, of := range map[string]struct {
		importance func(ImportanceOptions) (*Importances, error)
		score      func(x *mat.Dense) (float64, error)
	}{
		"regressor": {func(o ImportanceOptions) (*Importances, error) { return r.Importance(x, y, o) },
			func(x *mat.Dense) (float64, error) { return r.Score(x, y) }},
		"classifier": {func(o ImportanceOptions) (*Importances, error) {
			return c.Importance(x, labels, o)
		},
			func(x *mat.Dense) (float64, error) { return c.Score(x, labels) }},
	} {
		got, err := of.importance(opt)
		testutil.NoError(t, err)
		full, err := of.score(x)
		testutil.NoError(t, err)
		for g, group := range opt.Groups {
			var falls []float64
			for n := range repeats {
				order := rand.New(rand.NewPCG(opt.Seed, uint64(n))).Perm(l)
				var permuted mat.Dense
				permuted.CloneFrom(x)
				for i := range l {
					for _, j := range group {
						permuted.Set(i, j, x.At(order[i], j))
					}
				}
				score, err := of.score(&permuted)
				testutil.NoError(t, err)
				falls = append(falls, full-score)
			}
			mean, squares := 0.0, 0.0
			for _, v := range falls {
				mean += v / repeats
			}
			for _, v := range falls {
				squares += (v - mean) * (v - mean)
			}
			spread := math.Sqrt(squares / (repeats - 1))
			if !(math.Abs(got.Mean[g]-mean) <= 1e-14) || !(math.Abs(got.Spread[g]-spread) <= 1e-14) || got.Score != full {
				t.Errorf("%s, group %d: %g ± %g of %g; want %g ± %g of %g", name, g, got.Mean[g], got.Spread[g], got.Score, mean, spread, full)
			}
		}
		if !(got.Mean[0] > 1.5*got.Mean[2]) || !(got.Mean[2] > 0.05) || !(math.Abs(got.Mean[1]) < 0.02) {
			t.Errorf("%s: %+v", name, got)
		}
		if all, err := of.importance(ImportanceOptions{}); err != nil || len(all.Mean) != 4 {
			t.Errorf("%s: %+v, %v", name, all, err)
		}
		var wrong *OptionError
		for _, bad := range []ImportanceOptions{{Groups: [][]int{{4}}}, {Groups: [][]int{{-1}}}, {Repeats: -1}} {
			if _, err := of.importance(bad); !errors.As(err, &wrong) {
				t.Errorf("%s, %+v: %v", name, bad, err)
			}
		}
	}
	if !gonum.Equal(x, &was) {
		t.Error("X has changed")
	}
	if _, err := (&Regressor{}).Importance(x, y, opt); !errors.Is(err, ErrNotFitted) {
		t.Error(err)
	}
}
