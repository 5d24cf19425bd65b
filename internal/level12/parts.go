package level12

import (
	"math"

	"gonum.org/v1/gonum/blas"
)

// pieces returns in how many pieces a matrix of so many rows comes where each contributes to all of a vector: how many does not
// depend on goroutines, so that the sum of the contributions does not either. For at least 128 rows each, and 16 pieces or fewer, that
// sum costs a thirtieth of the work, or less.
func pieces(rows int) int { return min(max(rows/128, 1), 16) }

// A parts cuts the rows of a triangle of order n into pieces of about as many elements each.
type parts struct {
	ul       blas.Uplo
	n, count int
}

func partsOf(ul blas.Uplo, n int) parts { return parts{ul, n, pieces(n)} }

// begin returns the first row of piece i, a multiple of blockRows, and n for i = count. Of a lower triangle the first
// x·n rows have x² of the elements.
func (p parts) begin(i int) int {
	x := math.Sqrt(float64(i) / float64(p.count))
	if p.ul == blas.Upper {
		x = 1 - math.Sqrt(float64(p.count-i)/float64(p.count))
	}
	if i == p.count {
		return p.n
	}
	return int(x*float64(p.n)) / blockRows * blockRows
}

// columns returns the range of columns that piece i touches.
func (p parts) columns(i int) (from, to int) {
	if p.ul == blas.Upper {
		return p.begin(i), p.n
	}
	return 0, p.begin(i + 1)
}

// before returns the number of elements of the rows before row i, which is where that begins if they are packed.
func (p parts) before(i int) int {
	if p.ul == blas.Upper {
		return i * (2*p.n - i + 1) / 2
	}
	return i * (i + 1) / 2
}
