package testmat

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// A Held is an R×C matrix in storage X with gaps. The elements in Part are numbers. All others,
// between and around them, are NaN: no routine may write them, and reading them spoils a result.
type Held struct {
	R, C, Ld int
	X        []float64
	Part     func(i, j int) bool
	all      []float64
}

// margin is the number of NaNs on either side of a held matrix.
const margin = 5

// Hold stores the elements of a for which part is true, with leading dimension ld.
func Hold(a *Matrix, ld int, part func(i, j int) bool) *Held {
	h := &Held{R: a.R, C: a.C, Ld: ld, Part: part}
	h.all = slices.Repeat([]float64{math.NaN()}, 2*margin+max(0, (a.R-1)*ld+a.C))
	h.X = slices.Clip(h.all[margin : len(h.all)-margin])
	for i := range a.R {
		for j := range a.C {
			if part(i, j) {
				h.X[i*ld+j] = a.At(i, j)
			}
		}
	}
	return h
}

// Whole is the Part of a whole matrix.
func Whole(_, _ int) bool { return true }

// TriangleOf returns the Part of the triangle ul, without the diagonal if unit is set.
func TriangleOf(ul blas.Uplo, unit bool) func(i, j int) bool {
	return func(i, j int) bool { return i == j && !unit || i != j && (i < j) == (ul == blas.Upper) }
}

// Check tests that every element outside Part is unchanged, to the bit.
func (h *Held) Check(t testing.TB, name string) {
	t.Helper()
	outside := slices.Concat(h.all[:margin], h.all[len(h.all)-margin:])
	for k, v := range h.X {
		if i, j := k/h.Ld, k%h.Ld; j >= h.C || !h.Part(i, j) {
			outside = append(outside, v)
		}
	}
	if !SameBits(outside, slices.Repeat([]float64{math.NaN()}, len(outside))) {
		t.Fatalf("%s: an element outside the stored part of the %d×%d matrix was written", name, h.R, h.C)
	}
}

// Matrix returns the elements in Part, with zeros elsewhere, and ones on a diagonal outside Part.
func (h *Held) Matrix() *Matrix {
	return Func(h.R, h.C, func(i, j int) float64 {
		if h.Part(i, j) {
			return h.X[i*h.Ld+j]
		}
		return Unless(i != j)
	})
}

// After calls Check and returns Matrix.
func (h *Held) After(t testing.TB, name string) *Matrix {
	t.Helper()
	h.Check(t, name)
	return h.Matrix()
}

// Symmetric returns the symmetric matrix with the triangle in Part.
func (h *Held) Symmetric() *Matrix {
	return Func(h.R, h.R, func(i, j int) float64 {
		if !h.Part(i, j) {
			i, j = j, i
		}
		return h.X[i*h.Ld+j]
	})
}

// View returns a view of the whole matrix, empty if R or C is 0.
func (h *Held) View() *mat.Dense {
	d := &mat.Dense{}
	if h.R > 0 && h.C > 0 {
		d.SetRawMatrix(blas64.General{Rows: h.R, Cols: h.C, Stride: h.Ld, Data: h.X})
	}
	return d
}
