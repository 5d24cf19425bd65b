package blas12

// A Share calls do for ranges that together cover [0, parts), and returns when all calls have returned.
// It uses several goroutines if that pays for parts that take the given number of nanoseconds each.
type Share func(parts, nanoseconds int, do func(from, to int))

// minShared is the size of a matrix, in bytes, below which a call stays on the caller's goroutine. A
// pass over a matrix of this size takes ten microseconds in a cache that the cores share.
const minShared = 640_000

// bytesPerNanosecond is the rate of a pass over a matrix in memory. In caches the rate is four times as
// high. A second thread pays off from ten microseconds on, because no operand is packed.
const bytesPerNanosecond = 16

// shared reports whether goroutines share a pass over the given number of elements.
func (r *Routines) shared(numbers int) bool { return r.share != nil && numbers >= minShared/8 }

// nanoseconds returns the approximate time of a pass over the given number of elements.
func nanoseconds(numbers int) int { return numbers / (bytesPerNanosecond / 8) }

// overRows calls do for ranges of the m rows of a matrix of n columns, shared among goroutines.
func (r *Routines) overRows(m, n int, do func(from, to int)) {
	const least = 4096 // elements in a part; a smaller part costs more to hand out than to compute
	height := (least + n - 1) / n
	r.share((m+height-1)/height, nanoseconds(height*n), func(from, to int) { do(from*height, min(to*height, m)) })
}

// minColumns is the least number of columns in a range of columns, enough for prefetching along a row.
const minColumns = 128

// overColumns calls do for ranges of the n columns of a matrix of m rows, shared among goroutines.
func (r *Routines) overColumns(m, n int, do func(from, to int)) {
	parts := n / minColumns
	r.share(parts, nanoseconds(m*minColumns), func(from, to int) {
		end := n
		if to < parts {
			end = to * minColumns
		}
		do(from*minColumns, end)
	})
}

// addPieces adds the contributions of count pieces of rows to y, in order. contribute writes the
// contribution of piece i to sums, which has n elements, and returns the range that it wrote.
// Goroutines share the pieces if that pays for a pass over numbers elements of a matrix.
func (r *Routines) addPieces(count, n, numbers int, y []float64, contribute func(i int, sums []float64) (from, to int)) {
	b := take(&piecewise, count*n)
	var ranges [maxPieces][2]int
	some := func(from, to int) {
		for i := from; i < to; i++ {
			ranges[i][0], ranges[i][1] = contribute(i, b.v[i*n:(i+1)*n])
		}
	}
	if r.shared(numbers) {
		r.share(count, nanoseconds(numbers/count), some)
	} else {
		some(0, count)
	}
	for i, e := range ranges[:count] {
		r.kernel.Axpy(e[1]-e[0], 1, &b.v[i*n+e[0]], &y[e[0]])
	}
	piecewise.Put(b)
}

// maxPieces is the largest number that pieces returns.
const maxPieces = 16

// pieces returns the number of pieces for the given number of rows if each row contributes to a whole
// vector. The number, and thus the order of the sum, depends on the rows alone. Pieces divide evenly
// among two or four threads, and among eight from 512 rows on. Adding up contributions costs at most
// 1/30 of the work.
func pieces(rows int) int {
	switch {
	case rows < 256:
		return 1
	case rows < 512:
		return 4
	case rows < 2048:
		return 8
	default:
		return maxPieces
	}
}
