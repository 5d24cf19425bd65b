package blsupdate

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// TestNodesOrder gives AddNodes the samples of a model that has learned and unlearned some: as the
// model has them, which is the only thing that is accepted, and in other ways, which are refused with
// the first row that is not the right one and without a change of the state.
func TestNodesOrder(t *testing.T) {
	const k, p, l = 4, 2, 20
	r := rand.New(rand.NewPCG(77, 0))
	wide, y := testutil.Random(r, l, k+p), testutil.Random(r, l, 2)
	wide.SetRow(6, wide.RawRowView(5)) // the same sample twice
	y.SetRow(6, y.RawRowView(5))
	roots := make([]float64, l) // those of the weights
	for i := range roots {
		roots[i] = 1
		if i >= 12 {
			roots[i] = math.Sqrt(float64(i - 11))
		}
	}
	kept := slices.Delete(slices.Collect(func(yield func(int) bool) {
		for i := range l {
			if !yield(i) {
				return
			}
		}
	}), 3, 5)
	have, haveY := take(scaleRows(wide, roots), kept), take(scaleRows(y, roots), kept)
	for _, cfg := range configurations {
		u := mustNew(t, cfg.method, columnsBetween(rowsBetween(wide, 0, 8), 0, k), rowsBetween(y, 0, 8), Options{Form: cfg.form, Solve: cfg.solve})
		do(t, u, u.AddInputs(columnsBetween(rowsBetween(wide, 8, 12), 0, k), rowsBetween(y, 8, 12)))
		weights := make([]float64, 8)
		for i := range weights {
			weights[i] = float64(i + 1)
		}
		do(t, u, u.AddWeightedInputs(columnsBetween(rowsBetween(wide, 12, l), 0, k), rowsBetween(y, 12, l), weights))
		do(t, u, u.RemoveInputs(columnsBetween(rowsBetween(wide, 3, 5), 0, k), rowsBetween(y, 3, 5)))

		n := len(kept)
		inOrder := make([]int, n)
		for i := range inOrder {
			inOrder[i] = i
		}
		reversed := slices.Clone(inOrder)
		slices.Reverse(reversed)
		swapped := slices.Clone(inOrder)
		swapped[7], swapped[11] = 11, 7
		moved, negative := gonummat.DenseCopyOf(have), gonummat.DenseCopyOf(haveY)
		moved.Set(9, 2, math.Nextafter(moved.At(9, 2), 9))
		negative.Set(n-1, 1, -negative.At(n-1, 1))
		for _, test := range []struct {
			name string
			a, y *mat.Dense
			row  int // the first that is not the model's
		}{
			{"reversed", take(have, reversed), take(haveY, reversed), 0},
			{"two exchanged", take(have, swapped), take(haveY, swapped), 7},
			{"one bit", moved, haveY, 9},
			{"other targets", have, negative, n - 1},
			{"without the weights", take(wide, kept), take(y, kept), 11},
		} {
			before := digest(u)
			err := u.AddNodes(columnsBetween(test.a, 0, k), columnsBetween(test.a, k, k+p), test.y)
			var unknown *UnknownRowError
			if !errors.As(err, &unknown) || unknown.Row != test.row || unknown.Action != ActionNodes || !strings.Contains(err.Error(), "in the order") {
				t.Errorf("%v, %s: error %v, want one for row %d", cfg, test.name, err, test.row)
			}
			if digest(u) != before {
				t.Errorf("%v, %s: the state has changed", cfg, test.name)
			}
		}
		do(t, u, u.AddNodes(columnsBetween(have, 0, k), columnsBetween(have, k, k+p), haveY))
		// The samples are known by their new rows.
		do(t, u, u.AddNodes(have, testutil.Random(r, n, 1), haveY))
	}
}
