package factor

import (
	"math"

	"blskernel/internal/linalg/block"

	"gonum.org/v1/gonum/blas"
)

// Rescale multiplies the triangle ul of the rows×cols matrix A, or all of A if ul is blas.All, by s².
// It multiplies by s twice, because s² may overflow. Flop counts of callers omit this.
func Rescale(s float64, ul blas.Uplo, rows, cols int, a block.Matrix) {
	for i := 0; s != 1 && i < rows; i++ {
		from, to := rowOf(ul, cols, i)
		row := a.Elements(i, from, to)
		for j, v := range row {
			row[j] = v * s * s
		}
	}
}

// ScaleRows computes A = by·A for the m×n matrix a, row by row.
func ScaleRows(bk Backend, by float64, m, n int, a block.Matrix) {
	for i := range m {
		bk.Dscal(n, by, a.Elements(i, 0, n), 1)
	}
}

// Scale divides the m×n matrix A by 2^exponent if its largest magnitude is at least 2^limit, or nonzero
// and below 2^-limit. It returns the largest magnitude before the division. If an element is not
// finite, A stays unchanged, exponent is 0, and largest is NaN or the largest finite magnitude.
func Scale(bk Backend, limit, m, n int, a block.Matrix) (exponent int, largest float64) {
	for i := range m {
		_, size := bk.AbsMax(a.Elements(i, 0, n))
		largest = max(largest, size)
	}
	exponent = Exponent(limit, largest)
	if exponent == 0 && largest != 0 && IsFinite(largest) {
		return 0, largest
	}
	if NotFinite(bk, blas.All, m, n, a) != nil {
		return 0, math.NaN()
	}
	if exponent != 0 {
		ScaleRows(bk, math.Ldexp(1, -exponent), m, n, a)
	}
	return exponent, largest
}

// Exponent returns the exponent that Scale chooses for the given limit and largest magnitude.
func Exponent(limit int, largest float64) int {
	switch _, e := math.Frexp(largest); { // 0 for an infinity
	case e > limit:
		return e - limit
	case e <= -limit && largest != 0:
		return e - 1 + limit
	}
	return 0
}
