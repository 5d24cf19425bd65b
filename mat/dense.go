package mat

import "gonum.org/v1/gonum/mat"

// Dense is gonum's dense row-major matrix, by alias: what callers have already is what this
// package takes, and what it returns goes straight into gonum.
type Dense = mat.Dense

// NewDense is gonum's mat.NewDense: an r×c matrix on data (row-major, len r*c), or on new zeroed
// storage where data is nil.
func NewDense(r, c int, data []float64) *Dense { return mat.NewDense(r, c, data) }
