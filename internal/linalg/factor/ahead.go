package factor

import (
	"blskernel"
	"blskernel/internal/linalg/block"
)

// flopsPerNanosecond is the approximate speed of the kernels on one thread.
const flopsPerNanosecond = 50

// Share calls do for the tasks 0 to tasks-1, in this order on one thread or concurrently on several.
// Each task takes about the given number of flops, and runs entirely on the thread that takes it.
func (bk Backend) Share(tasks int, flops float64, do func(task int)) {
	bk.BlockRows(tasks, 1+int(flops/flopsPerNanosecond), func(from, to int) {
		for t := from; t < to; t++ {
			do(t)
		}
	})
}

// LooksAhead reports whether one thread should do the critical work of the next step while the others
// do the remaining work. The critical work takes first flops, and the remaining work rest flops. No
// thread then waits for a panel or a small triangle, whose work cannot be shared. This pays only if the
// remaining work is long enough, and if the backend is a block.Ops, which keeps a task on its thread.
func (bk Backend) LooksAhead(first, rest float64) bool {
	_, ours := bk.Backend.(block.Ops)
	threads := float64(blskernel.Threads())
	return ours && threads > 1 && first*(threads-1) <= rest
}

// Ahead calls first on one thread while the others call rest for strips of the n columns or rows, at
// most width wide. first takes the given number of flops; each is the number that rest takes per column
// or row. If LooksAhead reports false, Ahead calls first and then rest for all n.
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

// StripWidth returns the width of the strips into which to split n columns or rows. The width is about
// n/12, so that threads finish together, but at least 48, for products at full speed, and at most 240.
func StripWidth(n int) int { return min(max(48, (n/12+23)/24*24), 240) }
