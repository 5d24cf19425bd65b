package blas12

// A Share splits [0, parts) across goroutines if that is worth it for parts of the given nanoseconds
// each, calls do for each range, and waits.
type Share func(parts, nanoseconds int, do func(from, to int))

// minShared is the number of bytes of a matrix below which a call stays on its goroutine: a pass of
// ten microseconds over a matrix in a cache that the cores share.
const minShared = 640_000

// bytesPerNanosecond is the rate of a pass over a matrix in memory. In the caches a pass takes a
// quarter of that time, and two threads pay from ten microseconds on: no operand is packed first.
const bytesPerNanosecond = 16

// shared reports whether a pass over the given elements is shared with other goroutines.
func (r *Routines) shared(numbers int) bool { return r.share != nil && numbers >= minShared/8 }

// nanoseconds returns the approximate time of a pass over the given elements.
func nanoseconds(numbers int) int { return numbers / (bytesPerNanosecond / 8) }

// overRows shares the m rows of a matrix of n columns.
func (r *Routines) overRows(m, n int, do func(from, to int)) {
	const least = 4096 // numbers, for a part to take longer than to take it
	height := (least + n - 1) / n
	r.share((m+height-1)/height, nanoseconds(height*n), func(from, to int) { do(from*height, min(to*height, m)) })
}

// minColumns is the number of columns below which rows are not cut, so that the hardware prefetches
// along them.
const minColumns = 128

// overColumns shares the n columns of a matrix of m rows.
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

// addPieces adds the contributions of count pieces of rows to y, one after the other. contribute writes
// that of a piece to sums, of n elements, and reports which of them it wrote. Goroutines share the
// pieces if a pass over the given elements is worth it.
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

// maxPieces is the largest number of pieces.
const maxPieces = 16

// pieces returns the number of pieces of the given rows if each row contributes to a whole vector. It
// depends on the rows alone, and so does the sum. Two, four or eight threads get equally many pieces,
// and adding them up costs at most a thirtieth of the work.
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
