package mat

import (
	"blskernel/internal/io/memory"

	"gonum.org/v1/gonum/mat"
)

// Dense is an alias for gonum's dense row-major matrix, so functions of both packages accept it.
type Dense = mat.Dense

// NewDense returns an r×c matrix on data, row-major with r*c elements, or on new zeroed storage if data
// is nil, as gonum's mat.NewDense does. New storage of 4 MiB or more may use pages of 2 MiB
// (docs/performance.md). If only one triangle is written, such pages take more memory than small ones.
func NewDense(r, c int, data []float64) *Dense {
	if data == nil && r > 0 && c > 0 {
		data = memory.Zeros(r * c)
	}
	return mat.NewDense(r, c, data)
}
