package blas12

// A Share calls do for ranges that together are 0 to parts-1, from several goroutines if parts that
// take so many nanoseconds each are worth it. All have ended their work when it returns.
type Share func(parts, nanoseconds int, do func(from, to int))

// leastShared is the number of bytes of a matrix below which a call stays with its goroutine: what
// passes in ten microseconds, for which no other goroutine is woken. A call above it makes a function
// of itself, which is allocated.
const leastShared = 10_000 * bytesPerNanosecond

// bytesPerNanosecond is how much of a matrix passes in a nanosecond where it is in a cache that the
// cores share: memory is slower, and then more work is worth sharing than is shared.
const bytesPerNanosecond = 64

// shared reports whether a call that passes over so many numbers is to be offered to other goroutines.
func (r *Routines) shared(numbers int) bool { return r.share != nil && numbers >= leastShared/8 }

// nanoseconds is about what a pass over so many numbers takes.
func nanoseconds(numbers int) int { return numbers / (bytesPerNanosecond / 8) }

// overRows offers the m rows of a matrix of n columns.
func (r *Routines) overRows(m, n int, do func(from, to int)) {
	const least = 4096 // numbers, for a part to take longer than to take it
	height := (least + n - 1) / n
	r.share((m+height-1)/height, nanoseconds(height*n), func(from, to int) { do(from*height, min(to*height, m)) })
}

// leastColumns is the number of columns below which rows are not cut: then as much is read of one row
// after another as the hardware foresees.
const leastColumns = 128

// overColumns offers the n columns of a matrix of m rows.
func (r *Routines) overColumns(m, n int, do func(from, to int)) {
	parts := n / leastColumns
	r.share(parts, nanoseconds(m*leastColumns), func(from, to int) {
		end := n
		if to < parts {
			end = to * leastColumns
		}
		do(from*leastColumns, end)
	})
}
