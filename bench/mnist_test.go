package bench

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"

	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/dataset"
	"blskernel/internal/testutil"
)

// mnist loads the real files from the folder that BLSKERNEL_MNIST names, or from shared/data/mnist next
// to the repository. It skips the test if there are none, unless BLSKERNEL_MNIST is set.
func mnist(t *testing.T) (train, test *dataset.Images) {
	t.Helper()
	dir := os.Getenv("BLSKERNEL_MNIST")
	named := dir != ""
	dir = cmp.Or(dir, filepath.Join("..", "..", "shared", "data", "mnist"))
	train, test, err := dataset.LoadMNIST(dir)
	switch {
	case err != nil && !named && errors.Is(err, fs.ErrNotExist):
		t.Skipf("no MNIST files: set BLSKERNEL_MNIST to their folder (%v)", err)
	case err != nil:
		t.Fatal(err)
	}
	return train, test
}

// solvers are methods with the same weights if there is no ridge: QR forms neither A⁺ nor AᵀA.
var solvers = []blsupdate.Method{blsupdate.QR, blsupdate.Improved, blsupdate.Original}

// run runs the experiment of the paper on the real files, with k = 100 + enhancement nodes. It compares
// all methods with the first in every row, and returns the accuracies of the last one, step by step.
// within bounds the differences of the weights; 0 means no bound.
func run(
	t *testing.T, train, test *dataset.Images, initial, batch, updates, enhancement int, lambda float64, seed uint64, within float64,
	methods ...blsupdate.Method,
) (accuracies []float64) {
	t.Helper()
	e := &Incremental{
		Train: train, Test: test, Initial: initial, Batch: batch, Updates: updates,
		Features: bls.FeatureOptions{Groups: 10, GroupNodes: 10, EnhancementNodes: enhancement, Seed: seed},
		Variants: Variants(methods...),
		Update:   blsupdate.Options{Lambda: lambda},
	}
	for _, row := range collect(t, e) {
		first := *row.Cells[0].Accuracy
		for _, c := range row.Cells {
			at := fmt.Sprintf("seed %d, %d samples, %s", seed, row.Samples, c.Method)
			if !(math.Abs(*c.Accuracy-first) <= 0.02) {
				t.Errorf("%s: accuracies %v and %v", at, first, *c.Accuracy)
			}
			if c.FlopsModel != c.FlopsCounted {
				t.Errorf("%s: %v flops by the model, %v counted", at, c.FlopsModel, c.FlopsCounted)
			}
			if within > 0 && !(c.Difference <= within) {
				t.Errorf("%s: the weights differ by %v; want at most %v", at, c.Difference, within)
			}
		}
		accuracies = append(accuracies, *row.Cells[len(row.Cells)-1].Accuracy)
	}
	return accuracies
}

// TestMNIST runs a small form of the experiment: k = 110, both forms of B, with and without a ridge.
func TestMNIST(t *testing.T) {
	train, test := mnist(t)
	for i, accuracies := range [][]float64{
		run(t, train, test, 500, 500, 2, 10, 0x1p-30, 1, 1e-10, both...),
		run(t, train, test, 1300, 100, 2, 10, 0x1p-30, 1, 1e-10, both...),
		run(t, train, test, 500, 500, 2, 10, 0, 1, 1e-10, solvers...),
	} {
		// A linear classifier on 1500 images reaches about 80%.
		if last := accuracies[len(accuracies)-1]; !(last >= 75) {
			t.Errorf("run %d: accuracy %v%%", i, last)
		}
	}
}

// TestMNISTLong runs the experiment itself: k = 1100, first 10,000 samples, then the others by 10,000
// (q > k) and by 1,000 (q < k). For a seed, all methods and all q have the same problem at 60,000
// samples. So no run repeats in full what another has shown of the accuracy or the weights. Original
// runs only the first updates, since 10,000 samples take it 3 to 10 Tflop.
func TestMNISTLong(t *testing.T) {
	testutil.Slow(t)
	train, test := mnist(t)
	of := func(batch, updates int, lambda float64, seed uint64, within float64, methods ...blsupdate.Method) []float64 {
		return run(t, train, test, 10000, batch, updates, 1000, lambda, seed, within, methods...)
	}
	const ridge = 0x1p-30
	accuracies := of(10000, 5, ridge, 1, 0, blsupdate.Improved)
	second, third := of(10000, 5, ridge, 2, 0, blsupdate.Gram), of(10000, 5, ridge, 3, 0, blsupdate.Gram)
	// GNU Octave with the same recipe and other random numbers reaches 97.25, 97.36 and 97.41% at
	// 60,000 samples, and 96.67, 96.91 and 96.75% at 10,000.
	for i, least := range map[int]float64{0: 96.6, 5: 97.2} {
		if mean := (accuracies[i] + second[i] + third[i]) / 3; !(mean >= least) {
			t.Errorf("mean accuracy at %d samples is %v%%; want at least %v%%", 10000*(i+1), mean, least)
		}
	}
	small := of(1000, 50, ridge, 1, 0, blsupdate.Gram)
	for i := range accuracies {
		if got := small[10*i]; !(math.Abs(got-accuracies[i]) <= 0.02) {
			t.Errorf("%d samples: accuracies %v by batches of 1000, %v of 10,000", 10000*(i+1), got, accuracies[i])
		}
	}
	of(10000, 5, 0, 1, 1e-6, solvers[:2]...)
	of(1000, 10, ridge, 1, 1e-6, both...)
	of(10000, 1, 0, 1, 1e-6, both...)
}
