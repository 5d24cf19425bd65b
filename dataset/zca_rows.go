package dataset

import (
	"fmt"
	"math"

	"blskernel/blsupdate"
	"blskernel/internal/isfinite"
	"blskernel/mat"
)

// center sets the rows of panel to rows from to to-1 of x, standardized and centered.
func (z *ZCA) center(panel []float64, x *mat.Dense, from, to int) {
	d := len(z.mean)
	for i := from; i < to; i++ {
		row := panel[(i-from)*d:][:d]
		z.standardize(row, x.RawRowView(i))
		for j, m := range z.mean {
			row[j] -= m
		}
	}
}

// standardize sets dst = (x - mean(x)) / sqrt(var(x) + r).
func (z *ZCA) standardize(dst, x []float64) {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	mean := sum / float64(len(x))
	squares := 0.0
	for j, v := range x {
		dst[j] = v - mean
		squares += dst[j] * dst[j]
	}
	deviation := math.Sqrt(squares/float64(len(x)-1) + z.rows)
	for j := range dst {
		dst[j] /= deviation
	}
}

// zcaPanel returns the rows of d elements that are processed at a time: 8 MB, at least 64 rows.
func zcaPanel(d int) int { return max(64, (1<<20)/d) }

func eachZCAPanel(l, d int, f func(from, to int)) {
	for from := 0; from < l; from += zcaPanel(d) {
		f(from, min(l, from+zcaPanel(d)))
	}
}

// mostZCA bounds the elements of samples: the squares of up to 10⁸ of them add up to a number.
const mostZCA = 1e150

// checkZCASamples returns an error for the first element of x that is NaN, infinite or too large.
func checkZCASamples(x *mat.Dense) error {
	l, _ := x.Dims()
	for i := range l {
		row := x.RawRowView(i)
		if j := isfinite.First(row); j >= 0 {
			return &blsupdate.NotFiniteError{Op: "dataset", Matrix: "X", Row: i, Col: j, Value: row[j]}
		}
		for j, v := range row {
			if math.Abs(v) > mostZCA {
				return fmt.Errorf("dataset: element (%d,%d) of X is %v, beyond ±%v: %w", i, j, v, mostZCA, blsupdate.ErrOverflow)
			}
		}
	}
	return nil
}
