package bls

import (
	"errors"
	"math"
	"testing"

	"blskernel"
	"blskernel/mat"
)

func TestNodesInWholeLines(t *testing.T) {
	for k, want := range map[int]int{1: 1, 511: 511, 512: 520, 520: 520, 521: 536, 5100: 5112, 5112: 5112} {
		a := newNodes(3, k)
		if r, c := a.Dims(); r != 3 || c != k || a.RawMatrix().Stride != want {
			t.Errorf("%d nodes: %d×%d, rows %d apart; want %d", k, r, c, a.RawMatrix().Stride, want)
		}
	}
}

// The second half of the rows finds a fault long before the first half does, and the first one counts.
func TestFirstRow(t *testing.T) {
	defer blskernel.SetThreads(0)
	blskernel.SetThreads(2)
	x := mat.NewDense(200000, 3, nil)
	x.Set(99999, 2, math.NaN())
	x.Set(100000, 0, math.NaN())
	var e *NotFiniteError
	if _, err := FitFeatures(x, FeatureOptions{}); !errors.As(err, &e) || e.Row != 99999 || e.Col != 2 {
		t.Errorf("with NaN at (99999,2) and (100000,0): %v", err)
	}
}
