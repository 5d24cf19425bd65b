package bls

import (
	"errors"
	"math"
	"slices"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

func TestClassifierBasics(t *testing.T) {
	const l, d = 80, 9
	x := samples(31, l, d, d)
	labels := cyclic(l, 4)
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		c := &Classifier{Backend: bk, Features: plain(FeatureOptions{Groups: 2, GroupNodes: 4, EnhancementNodes: 12}), Method: blsupdate.Improved, Update: blsupdate.Options{Lambda: None}}
		must(t, c.PartialFit(x, labels))
		scores := scoresOf(t, c, x)
		if r, cols := scores.Dims(); r != l || cols != 4 {
			t.Errorf("scores are %d×%d", r, cols)
		}
		predicted := predicted(t, c, x)
		if !slices.Equal(predicted, ArgMax(scores)) {
			t.Error("Predict is not the largest score")
		}
		// Labels that agree with the predictions on the first 60 samples only.
		mixed := slices.Clone(predicted)
		for i := 60; i < l; i++ {
			mixed[i] = 4 + i
		}
		if s, err := c.Score(x, mixed); err != nil || s != 0.75 {
			t.Errorf("Score is %v, %v; want 0.75", s, err)
		}

		other := &Classifier{Backend: bk, Features: c.Features, Method: blsupdate.Improved, Update: blsupdate.Options{Lambda: None}}
		must(t, other.Fit(rowsOf(x, 0, 50), labels[:50]))
		must(t, other.Fit(x, labels))
		again := scoresOf(t, other, x)
		if !gonum.Equal(again, scores) {
			t.Error("a second Fit did not start anew")
		}

		wide := &Classifier{Backend: bk, Features: c.Features, Classes: 6, Method: blsupdate.Improved, Update: blsupdate.Options{Lambda: None}}
		must(t, wide.Fit(x, labels))
		six := scoresOf(t, wide, x)
		if e := maxDiff(t, six.Slice(0, l, 0, 4).(*mat.Dense), scores); !(e <= 1e-10) {
			t.Errorf("two classes more changed the scores of the others by %g", e)
		}
		must(t, wide.PartialFit(rowsOf(x, 0, 1), []int{5}))
	})
}

func TestOneHot(t *testing.T) {
	y, err := OneHot([]int{2, 0}, 3)
	must(t, err)
	if want := mat.NewDense(2, 3, []float64{-1, -1, 1, 1, -1, -1}); !gonum.Equal(y, want) {
		t.Errorf("got %v", y.RawMatrix().Data)
	}
	if got := ArgMax(y); !slices.Equal(got, []int{2, 0}) {
		t.Errorf("back to labels: %v", got)
	}
	for _, test := range []struct {
		labels  []int
		classes int
		want    any
	}{
		{[]int{0, 3}, 3, new(*LabelError)},
		{[]int{-1}, 3, new(*LabelError)},
		{nil, 3, new(*ShapeError)},
		{[]int{0}, 0, new(*OptionError)},
	} {
		if _, err := OneHot(test.labels, test.classes); err == nil || !errors.As(err, test.want) {
			t.Errorf("%v of %d classes: %v, want a %T", test.labels, test.classes, err, test.want)
		}
	}
}

func TestArgMax(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	wide := mat.NewDense(7, 4, []float64{
		1, 2, 3, 9,
		5, 5, 5, 9,
		-1, 4, 4, 9,
		nan, 1, 2, 9,
		3, nan, 2, 9,
		nan, -inf, nan, 9,
		nan, nan, nan, 9,
	})
	if got, want := ArgMax(wide.Slice(0, 7, 0, 3).(*mat.Dense)), []int{2, 0, 1, 2, 0, 1, -1}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := ArgMax(&mat.Dense{}); len(got) != 0 {
		t.Errorf("of an empty matrix: %v", got)
	}
}
