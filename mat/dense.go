package mat

import (
	"blskernel/internal/io/memory"

	"gonum.org/v1/gonum/mat"
)

// Dense is gonum's dense row-major matrix, by alias: the functions of both packages share it.
type Dense = mat.Dense

// NewDense is gonum's mat.NewDense: an r×c matrix on data (row-major, len r*c), or on new zeroed
// storage where data is nil. New storage of 4 MiB and more may be in pages of 2 MiB
// (docs/performance.md); outside a triangle they take more memory than gonum's function.
func NewDense(r, c int, data []float64) *Dense {
	if data == nil && r > 0 && c > 0 {
		data = memory.Zeros(r * c)
	}
	return mat.NewDense(r, c, data)
}
