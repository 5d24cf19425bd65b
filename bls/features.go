package bls

import (
	"fmt"
	"sync"

	"blskernel/internal/isfinite"
	"blskernel/mat"
)

// Features are fitted feature maps: what turns samples X (l×d) into rows of the expanded input matrix A
// = [Z, H] (l×k). They keep nothing of the samples that they were fitted to but the settings listed in
// the package comment, which Maps returns. They do not change after FitFeatures, so their methods may
// be called from several goroutines at once.
type Features struct {
	// opt are the options of the fit, resolved.
	opt FeatureOptions

	// means and deviations are those of the d columns of the first training set, with ScaleColumns only.
	means, deviations []float64
	// weights are beta_1, ..., beta_n2 side by side, (d+1)×N; the last row is that of the bias.
	weights *mat.Dense
	// offset and gain, N numbers each, map node j to Z = (T - offset[j]) * gain[j].
	offset, gain []float64
	// enhancement is Wh, (N+1)×n3; the last row is that of the bias. It is nil for n3 = 0.
	enhancement *mat.Dense
	// scale is s/m, or 1.
	scale float64
}

// Options returns the options that the maps were fitted with, where each zero that stands for a default
// is that default, and Backend the backend in use. With them and the same samples FitFeatures returns
// the same maps.
func (f *Features) Options() FeatureOptions {
	f.check()
	return f.opt
}

// Inputs returns d, the number of features of a sample.
func (f *Features) Inputs() int {
	f.check()
	r, _ := f.weights.Dims()
	return r - 1
}

// Nodes returns k = N + n3, the number of columns of A.
func (f *Features) Nodes() int { return f.FeatureNodes() + f.EnhancementNodes() }

// FeatureNodes returns N = n2·n1, the number of columns of Z, which are the first ones of A.
func (f *Features) FeatureNodes() int {
	f.check()
	return f.opt.Groups * f.opt.GroupNodes
}

// EnhancementNodes returns n3, the number of columns of H, which follow those of Z.
func (f *Features) EnhancementNodes() int {
	f.check()
	return f.opt.EnhancementNodes
}

func (f *Features) check() {
	if f.weights == nil {
		panic("bls: Features were not made by FitFeatures")
	}
}

// checkSamples returns an error unless x has at least one row, the wanted number of columns (any, at
// least one, where that is 0), and only finite elements.
func checkSamples(x *mat.Dense, cols int) error {
	if x == nil || x.IsEmpty() {
		return &ShapeError{Op: "bls", Matrix: "X", Want: "at least one row and one column"}
	}
	l, d := x.Dims()
	if cols != 0 && d != cols {
		return &ShapeError{Op: "bls", Matrix: "X", Rows: l, Cols: d, Want: fmt.Sprintf("%d columns, as the samples of the fit", cols)}
	}
	raw := x.RawMatrix()
	// Each part of the rows stops at its first; the earliest of these does not depend on the parts.
	var mu sync.Mutex
	var first *NotFiniteError
	parallelRows(l, d, func(from, to int) {
		for i := from; i < to; i++ {
			row := raw.Data[i*raw.Stride : i*raw.Stride+d]
			if j := isfinite.First(row); j >= 0 {
				mu.Lock()
				defer mu.Unlock()
				if first == nil || i < first.Row {
					first = &NotFiniteError{Op: "bls", Matrix: "X", Row: i, Col: j, Value: row[j]}
				}
				return
			}
		}
	})
	if first != nil {
		return first
	}
	return nil
}
