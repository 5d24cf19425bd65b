package factor

import (
	"blskernel"
	"blskernel/internal/linalg/block"
)

// flopsPerNanosecond is about the speed of the kernels.
const flopsPerNanosecond = 50

// Share calls do for 0 to tasks-1, each of about the given number of flops, in this order or on several
// threads. A task does all of its work on its own thread.
func (bk Backend) Share(tasks int, flops float64, do func(task int)) {
	bk.BlockRows(tasks, 1+int(flops/flopsPerNanosecond), func(from, to int) {
		for t := from; t < to; t++ {
			do(t)
		}
	})
}

// LooksAhead reports whether one thread should do the critical work of the next step, of the given
// flops, while the others do the rest. Then no thread waits for a panel or a small triangle, which
// cannot be shared. It pays if the rest is long enough, and on this module's backends only, whose
// products stay on the thread of a task.
func (bk Backend) LooksAhead(first, rest float64) bool {
	_, ours := bk.Backend.(block.Ops)
	threads := float64(blskernel.Threads())
	return ours && threads > 1 && first*(threads-1) <= rest
}

// Ahead calls first, of the given flops, and on the other threads rest for columns or rows 0 to n-1, of
// each flops each, in strips of about width. It calls one after the other unless LooksAhead.
func (bk Backend) Ahead(first func(), flops float64, n, width int, each float64, rest func(from, to int)) {
	if !bk.LooksAhead(flops, float64(n)*each) {
		first()
		rest(0, n)
		return
	}
	strips := (n + width - 1) / width
	mean := (flops + float64(float64(n)*each)) / float64(1+strips)
	bk.Share(1+strips, mean, func(task int) {
		if task == 0 {
			first()
			return
		}
		from := (task - 1) * width
		rest(from, min(from+width, n))
	})
}

// StripWidth returns the width of the strips of n columns or rows: a dozen strips, so that threads
// finish at about the same time, of enough columns for a product to reach its speed.
func StripWidth(n int) int { return min(max(48, (n/12+23)/24*24), 240) }
