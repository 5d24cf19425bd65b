package choice

import (
	"math"
	"testing"

	"blskernel/mat"
)

// TestTrimmedLoss has one row whose prediction is far off: the loss is that of the others, the score is
// not.
func TestTrimmedLoss(t *testing.T) {
	const l = 40
	y, scores := mat.NewDense(l, 1, nil), mat.NewDense(l, 1, nil)
	for i := range l {
		y.Set(i, 0, float64(i%2))
		scores.Set(i, 0, float64(i%2)+0.1)
	}
	scores.Set(7, 0, 1e6)
	f := NewFolds(Data{Rows: l})
	loss, score := f.measure(scores, y, 0)
	if want := 0.01 * (l - 1) / (l * 0.25); !(math.Abs(loss-want) <= 1e-12) || !(score < -1e10) {
		t.Errorf("loss %v, want %v; score %v", loss, want, score)
	}
	scores.Set(7, 0, math.NaN())
	if loss, _ := f.measure(scores, y, 0); !math.IsNaN(loss) {
		t.Errorf("loss %v of a NaN", loss)
	}
}
