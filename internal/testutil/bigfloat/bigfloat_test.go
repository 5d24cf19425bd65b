package bigfloat

import (
	"testing"

	"blskernel/internal/testutil/testmat"
)

// TestSolve checks by hand: [0 2; 4 1] x = [2; 9] has the solution [2; 1] and the determinant -8.
func TestSolve(t *testing.T) {
	x, det := Solve(testmat.From(2, 2, 0, 2, 4, 1), testmat.Vector(2, 9))
	if Float(x.At(0, 0)) != 2 || Float(x.At(1, 0)) != 1 || Float(det) != -8 {
		t.Errorf("x = %v, determinant %v", x.X, det)
	}
	least, most := x.Mul(Of(testmat.Vector(-3))).Add(2, x.Column(0)).Extremes() // -x
	if Float(least) != -2 || Float(most) != -1 {
		t.Errorf("-x is in %v to %v", least, most)
	}
	if v := Float(Sum([]float64{1e300, 1e300, 2}, []float64{-1e300, 1e300, 2}, []float64{3})); v != 3 {
		t.Errorf("2e600 - 2e600 + 3 = %v", v)
	}
}
