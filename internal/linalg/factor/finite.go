package factor

import (
	"sync/atomic"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/floats"

	"gonum.org/v1/gonum/blas"
)

// An Element is a matrix element that is NaN or infinite.
type Element struct {
	Row, Col int
	Value    float64
}

// A Pivot is a pivot at which a factorization failed. If Value is finite, it is an exact zero on the
// diagonal; otherwise the elimination overflowed.
type Pivot struct {
	Index int
	Value float64
}

// Singular reports whether the pivot was zero rather than the result of an overflow.
func (p *Pivot) Singular() bool { return IsFinite(p.Value) }

// NotFinite returns the first element, row by row, that is NaN or infinite in the triangle ul of the
// rows×cols matrix a; blas.All stands for all of a. It returns nil if there is none.
func NotFinite(bk Backend, ul blas.Uplo, rows, cols int, a block.Matrix) *Element {
	const worthThreads = 1 << 13
	if rows*cols >= worthThreads {
		var failed atomic.Bool
		// A nanosecond suffices for six elements. For a triangle this is twice the time needed.
		bk.BlockRows(rows, 1+cols/6, func(i, end int) {
			for ; i < end && !failed.Load(); i++ {
				if from, to := rowOf(ul, cols, i); !floats.Finite(a.Elements(i, from, to)) {
					failed.Store(true)
				}
			}
		})
		if !failed.Load() {
			return nil
		}
	}
	for i := range rows {
		from, to := rowOf(ul, cols, i)
		if bad := NotFiniteInRow(i, from, a.Elements(i, from, to)); bad != nil {
			return bad
		}
	}
	return nil
}

// NotFiniteInRow returns the first non-finite element of row, or nil. row[0] is element (i, from).
func NotFiniteInRow(i, from int, row []float64) *Element {
	if j := floats.FirstNonFinite(row); j >= 0 {
		return &Element{i, from + j, row[j]}
	}
	return nil
}

// CheckTriangle checks the upper triangle of the n×n matrix u row by row. For the first row with a NaN,
// an infinity or a zero on the diagonal, it returns the first non-finite element or, if there is none,
// the zero pivot. If there is no such row, it returns nil, nil.
func CheckTriangle(n int, u block.Matrix) (*Element, *Pivot) {
	for i := range n {
		row := u.Elements(i, i, n)
		if bad := NotFiniteInRow(i, i, row); bad != nil {
			return bad, nil
		}
		if row[0] == 0 {
			return nil, &Pivot{Index: i}
		}
	}
	return nil, nil
}
