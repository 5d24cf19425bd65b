package choice

import (
	"math"
	"testing"

	"blskernel/mat"
)

// TestSmear leaves out a hundredth of the weight at either end, and takes the weighted mean of the
// rest.
func TestSmear(t *testing.T) {
	const l = 200
	scores, y, weights := mat.NewDense(l, 2, nil), mat.NewDense(l, 2, nil), make([]float64, l)
	for i := range l {
		scores.SetRow(i, []float64{float64(i), -1})
		y.SetRow(i, []float64{float64(i) + math.Log(3), -1 + math.Log(float64(1+i%2))})
		weights[i] = 1 + 2*float64(i%2)
	}
	y.Set(0, 0, 1e9)
	y.Set(7, 0, -1e9)
	got := Smear(scores, y, nil)
	if want := (98.0 + 2*98) / 196; !(math.Abs(got[0]-3) <= 1e-12) || !(math.Abs(got[1]-want) <= 1e-12) {
		t.Errorf("factors %v, want 3 and %v", got, want)
	}
	// Of the weight 400 the ends have 4 each: rows of weight 1 below, of weight 3 above.
	if got, want := Smear(scores, y, weights)[1], (96.0+2*3*99)/(96+3*99); !(math.Abs(got-want) <= 0.01) {
		t.Errorf("weighted: %v, want %v", got, want)
	}
	p := mat.NewDense(1, 2, []float64{1, 1000})
	(&Smearing{Factors: []float64{2, 1}, Largest: []float64{7, 7}}).Predict(p)
	if !(math.Abs(p.At(0, 0)-2*math.E) <= 1e-14) || p.At(0, 1) != 70 {
		t.Errorf("predictions %v", p.RawRowView(0))
	}
}
