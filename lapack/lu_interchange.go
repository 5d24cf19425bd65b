package lapack

import (
	"blskernel"
	"blskernel/internal/block"
)

// exchangeTime is about how many nanoseconds it takes to exchange two rows of eight elements.
const exchangeTime = 5

// interchangeRows exchanges rows k and swap[k] of x, for k = 0, 1, ...: it multiplies x by P from the
// left. x has cols columns. (LAPACK: dlaswp.)
func interchangeRows(bk blskernel.Backend, cols int, x []float64, ldx int, swap []int) {
	inColumns(bk, cols, len(swap), func(from, to int) {
		for k, s := range swap {
			exchange(x[k*ldx+from:k*ldx+to], x[s*ldx+from:s*ldx+to])
		}
	})
}

// interchangeRowsBack multiplies x by Pᵀ from the left: it undoes interchangeRows.
func interchangeRowsBack(bk blskernel.Backend, cols int, x []float64, ldx int, swap []int) {
	inColumns(bk, cols, len(swap), func(from, to int) {
		for k := len(swap) - 1; k >= 0; k-- {
			s := swap[k]
			exchange(x[k*ldx+from:k*ldx+to], x[s*ldx+from:s*ldx+to])
		}
	})
}

// exchangeLoop is the number of elements below which a loop exchanges them sooner than a buffer, which
// is cleared first.
const exchangeLoop = 64

// exchange exchanges the elements of p and q, which are the same row or do not overlap. Where there are
// many, a buffer in the first level of cache and three copies by vectors are quicker than a loop.
func exchange(p, q []float64) {
	if len(p) == 0 || &p[0] == &q[0] {
		return
	}
	if len(p) < exchangeLoop {
		q = q[:len(p)]
		for i, v := range p {
			p[i], q[i] = q[i], v
		}
		return
	}
	var buffer [256]float64
	for len(p) > 0 {
		n := copy(buffer[:], p)
		copy(p[:n], q)
		copy(q, buffer[:n])
		p, q = p[n:], q[n:]
	}
}

// inColumns calls do for ranges that together are the columns 0 to cols-1: one range, or one for each
// goroutine if so many exchanges are worth more of them. Rows that change places are far from each
// other, and the longer what is moved is, the better it streams from memory.
func inColumns(bk blskernel.Backend, cols, exchanges int, do func(from, to int)) {
	threads := blskernel.Threads()
	width := (cols/threads + 8) / 8 * 8
	block.On(bk).BlockRows((cols+width-1)/width, exchanges*width/8*exchangeTime, block.RowFunc(func(from, to int) {
		do(from*width, min(to*width, cols))
	}))
}

// interchanged returns where the elements of a row come from when elements k and swap[k] of it are
// exchanged for k = 0, 1, ..., which multiplies the row by Pᵀ from the right, or, if back, from the
// last k to the first, which multiplies it by P.
func interchanged(swap []int, back bool) []int {
	from := make([]int, len(swap))
	for j := range from {
		from[j] = j
	}
	for k := range swap {
		if back {
			k = len(swap) - 1 - k
		}
		s := swap[k]
		from[k], from[s] = from[s], from[k]
	}
	return from
}

// permuteColumns replaces each of the m rows x of the matrix by x[from[0]], x[from[1]], ... It takes
// about a nanosecond for an element.
func permuteColumns(bk blskernel.Backend, m int, x []float64, ldx int, from []int) {
	n := len(from)
	block.On(bk).BlockRows(m, n, block.RowFunc(func(i, end int) {
		old := make([]float64, n)
		for ; i < end; i++ {
			row := x[i*ldx : i*ldx+n]
			copy(old, row)
			for j, k := range from {
				row[j] = old[k]
			}
		}
	}))
}
