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
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		p := newPair(t, bk, blsupdate.Improved)
		c, x := p.c, p.x
		l, _ := x.Dims()
		must(t, c.PartialFit(x, p.labels))
		scores := scoresOf(t, c, x)
		if r, cols := scores.Dims(); r != l || cols != 3 {
			t.Errorf("scores are %d×%d", r, cols)
		}
		classes := predicted(t, c, x)
		if !slices.Equal(classes, ArgMax(scores)) {
			t.Error("Predict is not the largest score")
		}
		// Labels that agree with the predictions on half of the samples only.
		for i := range l / 2 {
			classes[i] = 4 + i
		}
		if s, err := c.Score(x, classes); err != nil || s != 0.5 {
			t.Errorf("Score is %v, %v; want 0.5", s, err)
		}
		other := *c
		must(t, other.Fit(rowsOf(x, 0, 50), p.labels[:50]))
		must(t, other.Fit(x, p.labels))
		if !gonum.Equal(scoresOf(t, &other, x), scores) {
			t.Error("a second Fit did not start anew")
		}
	})
}

// ExampleOneHot shows valid labels.
func TestOneHotErrors(t *testing.T) {
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
