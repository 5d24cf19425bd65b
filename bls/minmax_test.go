package bls

import (
	"math"
	"testing"

	"blskernel/mat"
)

func TestMinMax(t *testing.T) {
	for _, test := range []struct {
		lo, hi, width float64
		offset, gain  float64
		ok            bool
	}{
		{1, 3, 1, 1, 0.5, true},
		{-2, 2, 2, -2, 0.5, true},
		{3, 3, 1, 0, 1, false},
		{0, 0, 2, 0, 1, false},
		{0, math.Inf(1), 1, 0, 1, false},
		{math.Inf(-1), 0, 1, 0, 1, false},
		{-1.5e308, 1.5e308, 1, 0, 1, false}, // hi-lo overflows
		{math.NaN(), 1, 1, 0, 1, false},
		{0, 0x1p-46, 1, 0, 0x1p46, true}, // gain 7e13
		{0, 0x1p-47, 1, 0, 1, false},     // gain 1.4e14
		{0, 0x1p-46, 2, 0, 1, false},     // likewise with the width of A1's rows
		{0, 0x1p-45, 2, 0, 0x1p46, true},
	} {
		offset, gain, ok := minMax(test.lo, test.hi, test.width)
		if offset != test.offset || gain != test.gain || ok != test.ok {
			t.Errorf("minMax(%v, %v, %v) = %v, %v, %v; want %v, %v, %v", test.lo, test.hi, test.width,
				offset, gain, ok, test.offset, test.gain, test.ok)
		}
	}
}

func TestScaleRow(t *testing.T) {
	for _, test := range []struct{ row, want []float64 }{
		{[]float64{1, 2, 5}, []float64{-1, -0.5, 1}},
		{[]float64{4, 4, 4}, []float64{4, 4, 4}},
		{[]float64{0.3}, []float64{0.3}},
		{[]float64{1, 1 + 4*eps}, []float64{1, 1 + 4*eps}}, // gain 2/(4 eps) > 1e14
	} {
		scaleRow(test.row)
		for j, v := range test.row {
			if v != test.want[j] {
				t.Errorf("got %v, want %v", test.row, test.want)
				break
			}
		}
	}
}

func TestMinMaxColumns(t *testing.T) {
	m := mat.NewDense(3, 4, []float64{
		1, 7, -1, 0,
		3, 7, 1, 1e-15,
		2, 7, 0, 0,
	})
	offset, gain := minMaxColumns(m)
	applyMinMax(m, offset, gain)
	want := mat.NewDense(3, 4, []float64{
		0, 7, 0, 0,
		1, 7, 1, 1e-15,
		0.5, 7, 0.5, 0,
	})
	if d := maxDiff(t, m, want); !(d == 0) {
		t.Errorf("got %v", m.RawMatrix().Data)
	}
}
