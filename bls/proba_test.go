package bls

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"blskernel/blsupdate"
	"blskernel/internal/linalg/floats"
	"blskernel/internal/testutil"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// drawn returns scores, and labels drawn from softmax(slope · scores).
func drawn(l, c int, slope float64) (*mat.Dense, []int) {
	rnd := rand.New(rand.NewPCG(5, 6))
	f, labels := mat.NewDense(l, c, nil), make([]int, l)
	p := make([]float64, c)
	for i := range l {
		row := f.RawRowView(i)
		for j := range row {
			row[j] = rnd.NormFloat64()
		}
		softmax(p, row, slope)
		u := rnd.Float64()
		for labels[i] = 0; labels[i] < c-1 && u > p[labels[i]]; labels[i]++ {
			u -= p[labels[i]]
		}
	}
	return f, labels
}

// logLoss returns the log loss of softmax(slope f), with the share that fitSlope gives to all classes.
func logLoss(f *mat.Dense, labels []int, weights []float64, slope float64) float64 {
	l, c := f.Dims()
	p := make([]float64, c)
	share := 1 / float64(l+2)
	var sum float64
	for i := range l {
		softmax(p, f.RawRowView(i), slope)
		for j, v := range p {
			w := share / float64(c)
			if j == labels[i] {
				w += 1 - share
			}
			sum -= floats.Weight(weights, i) * w * math.Log(v)
		}
	}
	return sum
}

// The slope has the least loss for labels that follow the scores, equal the predictions, or are
// independent of the scores. It scales with the scores, and weights act as repetitions.
func TestFitSlope(t *testing.T) {
	testutil.NotUnderRace(t, "starts no goroutine")
	for _, c := range []int{2, 3, 10} {
		for _, slope := range []float64{0.5, 1, 5} {
			f, labels := drawn(2000, c, slope)
			best := func(weights []float64) float64 {
				s := fitSlope(f, labels, weights)
				least := logLoss(f, labels, weights, s)
				for _, factor := range []float64{0.99, 1.01} {
					if more := logLoss(f, labels, weights, s*factor); !(least < more) {
						t.Errorf("%d classes: the loss is %g at %g, and %g at %g", c, least, s, more, s*factor)
					}
				}
				return s
			}
			s := best(nil)
			if !(math.Abs(s/slope-1) <= 0.15) {
				t.Errorf("%d classes: slope %g, want about %g", c, s, slope)
			}
			var twice mat.Dense
			twice.Scale(2, f)
			if half := fitSlope(&twice, labels, nil); !(math.Abs(2*half/s-1) <= 1e-9) {
				t.Errorf("twice the scores have the slope %g, want half of %g", half, s)
			}
			weights := make([]float64, 2000)
			for i := range 1000 {
				weights[i] = 1
			}
			best(weights)
		}
	}
	// Edge cases: no errors, no information, one class, huge scores and equal scores.
	f, _ := drawn(300, 4, 1)
	best, worst := ArgMax(f), make([]int, 300)
	for i, v := range best {
		worst[i] = (v + 1) % 4
	}
	huge := mat.NewDense(2, 2, []float64{math.MaxFloat64, -math.MaxFloat64, -math.MaxFloat64, math.MaxFloat64})
	for name, s := range map[string]float64{
		"no error": fitSlope(f, best, nil), "all wrong": fitSlope(f, worst, nil), "one class": fitSlope(firstColumn(f), make([]int, 300), nil),
		"huge": fitSlope(huge, []int{0, 0}, nil), "equal": fitSlope(mat.NewDense(3, 2, nil), []int{0, 1, 0}, nil),
		"weights of 0": fitSlope(f, best, make([]float64, 300)),
	} {
		if !(s >= 0x1p-10 && s <= 0x1p10) || name == "no error" && !(s < 100) || (name == "equal" || name == "one class" || name == "weights of 0") && s != DefaultSlope {
			t.Errorf("%s: slope %g", name, s)
		}
	}
}

// Probabilities sum to 1 and keep the order of the scores. They use the slope that Calibrate finds,
// which is saved and which PartialFit keeps.
func TestPredictProba(t *testing.T) {
	x := samples(21, 300, 8, 8)
	labels := make([]int, 300)
	for i := range labels {
		labels[i] = min(2, int(3*x.At(i, 0)))
	}
	c := &Classifier{Features: FeatureOptions{Scaling: ScaleColumns, EnhancementNodes: 20}, Method: blsupdate.Gram, Update: blsupdate.Options{Lambda: 1e-3}}
	must(t, c.Fit(rowsOf(x, 0, 150), labels[:150]))
	c.slope, c.reach = 0, 0 // as if nothing had been held out, and no row were outside
	check := func(slope float64) {
		t.Helper()
		scores := scoresOf(t, c, x)
		kept := gonum.DenseCopyOf(scores)
		p, err := c.PredictProba(x)
		must(t, err)
		if !gonum.Equal(p, c.Probabilities(scores)) || !gonum.Equal(scores, kept) {
			t.Error("Probabilities differ from PredictProba, or change the scores")
		}
		for i := range 300 {
			var sum float64
			for j, v := range p.RawRowView(i) {
				sum += v
				ratio := math.Exp(slope * (scores.At(i, j) - scores.At(i, 0)))
				if !(v >= 0 && math.Abs(v-ratio*p.At(i, 0)) <= 1e-14) {
					t.Fatalf("row %d: %v, scores %v", i, p.RawRowView(i), scores.RawRowView(i))
				}
			}
			if !(math.Abs(sum-1) <= 1e-15*3) {
				t.Errorf("row %d sums to %v", i, sum)
			}
		}
	}
	check(DefaultSlope)
	must(t, c.CalibrateContext(context.Background(), rowsOf(x, 150, 300), labels[150:], nil))
	slope := c.slope
	a, _, err := c.Expand(rowsOf(x, 150, 300), labels[150:])
	must(t, err)
	weights, err := c.Updater().Leverage(a)
	must(t, err)
	for i, q := range weights {
		weights[i] = 1 / math.Sqrt(1+q) / math.Sqrt(1+q)
	}
	if want := fitSlope(scoresOf(t, c, rowsOf(x, 150, 300)), labels[150:], weights); slope != want || !c.Calibrated() {
		t.Errorf("slope %v, want %v", slope, want)
	}
	check(slope)
	must(t, c.PartialFit(x, labels))
	c, err = DecodeClassifier(bytes.NewReader(encoded(t, c)), nil)
	must(t, err)
	if !c.Calibrated() {
		t.Error("PartialFit or Decode lose the slope")
	}
	check(slope)
}
