package dataset

import (
	"fmt"

	"blskernel/internal/io/memory"
	"blskernel/mat"
)

const (
	panicRange     = "dataset: sample range out of bounds"
	panicEmpty     = "dataset: empty sample range"
	panicUnlabeled = "dataset: images have no labels"
)

// Images is a set of n grey images of one size with their class labels.
//
// Images without labels, as [ReadIDXImages] returns them, have Labels nil and Classes 0.
type Images struct {
	Name       string // for display
	Rows, Cols int    // size of every image
	Pixels     []byte // n*Rows*Cols: pixel (r, c) of image i is Pixels[(i*Rows+r)*Cols+c]; 0 is background, 255 full ink
	Labels     []byte // n, each < Classes
	Classes    int    // number of classes
	Synthetic  bool   // drawn by code, not collected
}

// Len returns the number of images n = len(Pixels) / (Rows*Cols), 0 for the zero value.
func (s *Images) Len() int {
	if s.Features() == 0 {
		return 0
	}
	return len(s.Pixels) / s.Features()
}

// Features returns Rows*Cols, the number of columns of Dense.
func (s *Images) Features() int { return s.Rows * s.Cols }

// unit holds b/255 rounded to float64 for every byte b.
var unit = func() (u [256]float64) {
	for b := range u {
		u[b] = float64(b) / 255
	}
	return u
}()

// Dense returns X with x[i][j] = Pixels[(from+i)*Rows*Cols+j] / 255, so every element is in [0, 1].
//
//	shapes: X (to-from)×(Rows*Cols), row-major without gaps.
//	reads/writes: the result has new storage of 8*(to-from)*Rows*Cols bytes.
//	panics: unless 0 <= from < to <= Len(); an empty range has no matrix, as in gonum.
func (s *Images) Dense(from, to int) *mat.Dense {
	s.checkRange(from, to)
	if from == to {
		panic(panicEmpty)
	}
	f := s.Features()
	pixels := s.Pixels[from*f : to*f]
	data := memory.Zeros(len(pixels))
	for i, b := range pixels {
		data[i] = unit[b]
	}
	return mat.NewDense(to-from, f, data)
}

// LabelsInt returns Labels[from:to] as ints, in new storage.
//
//	panics: unless 0 <= from <= to <= Len() and to <= len(Labels).
func (s *Images) LabelsInt(from, to int) []int {
	s.checkRange(from, to)
	if len(s.Labels) < to {
		panic(panicUnlabeled)
	}
	out := make([]int, to-from)
	for i, v := range s.Labels[from:to] {
		out[i] = int(v)
	}
	return out
}

// SetLabels sets Labels to the slice labels, without copying it, and Classes to 1 + the largest label.
//
//	errors: *FormatError if len(labels) differs from Len(); s is then unchanged.
func (s *Images) SetLabels(labels []byte) error {
	if len(labels) != s.Len() {
		return &FormatError{Offset: -1, Msg: fmt.Sprintf("%d labels for %d images", len(labels), s.Len())}
	}
	s.Labels = labels
	s.Classes = 0
	for _, v := range labels {
		s.Classes = max(s.Classes, int(v)+1)
	}
	return nil
}

func (s *Images) checkRange(from, to int) {
	if from < 0 || to < from || s.Len() < to {
		panic(panicRange)
	}
}
