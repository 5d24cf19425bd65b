package bls

import (
	"errors"
	"math"
	"slices"
	"testing"

	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

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

func TestAccuracy(t *testing.T) {
	if got := Accuracy([]int{1, 2, 3, -1}, []int{1, 2, 0, 0}); got != 50 {
		t.Errorf("got %v", got)
	}
	if got := Accuracy(nil, nil); !math.IsNaN(got) {
		t.Errorf("of nothing: %v", got)
	}
}
