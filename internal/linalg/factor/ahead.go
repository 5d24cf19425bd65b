package factor

import (
	"blskernel"
	"blskernel/internal/linalg/workers"
)

// flopsPerNanosecond is the approximate speed of the kernels on one thread.
const flopsPerNanosecond = 50

// Rows calls do(on, from, to) for ranges that together cover rows 0 to rows-1, as bk.BlockRows does.
// If do has all of its arguments in on and captures no variable, a short call allocates nothing.
func Rows[T any](bk Backend, rows, nanoseconds int, on T, do func(on T, from, to int)) {
	if !workers.Worth(rows, nanoseconds) {
		do(on, 0, rows)
		return
	}
	shared := on // on itself stays on the stack
	bk.BlockRows(rows, nanoseconds, func(from, to int) { do(shared, from, to) })
}

// Share is Rows for tasks of about the given number of flops each. A task runs entirely on the thread
// that takes it. On one thread the tasks run in order.
func Share[T any](bk Backend, tasks int, flops float64, on T, do func(on T, task int)) {
	nanoseconds := 1 + int(flops/flopsPerNanosecond)
	if !workers.Worth(tasks, nanoseconds) {
		for t := range tasks {
			do(on, t)
		}
		return
	}
	shared := on
	bk.BlockRows(tasks, nanoseconds, func(from, to int) {
		for t := from; t < to; t++ {
			do(shared, t)
		}
	})
}

// LooksAhead reports whether one thread should do the critical work of the next step while the others
// do the remaining work. The critical work takes first flops, and the remaining work rest flops. No
// thread then waits for a panel or a small triangle, whose work cannot be shared. This pays only if the
// remaining work is long enough, and if the backend keeps a task on its thread.
func (bk Backend) LooksAhead(first, rest float64) bool {
	threads := float64(blskernel.Threads())
	return bk.Ours() && threads > 1 && first*(threads-1) <= rest
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
	Share(bk, 1+strips, mean, nil, func(_ any, task int) {
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
