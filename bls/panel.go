package bls

import (
	"sync"

	"blskernel"
)

// panelElements bounds a panel of rows to 8 MB in general: enough rows for Dgemm to run at full
// speed, few enough that a workspace of that size is of no account beside X and A.
const panelElements = 1 << 20

// enhancePanel is the number of rows whose enhancement nodes are computed at a time. It bounds how long a
// context that is done has to wait, and no more: these rows need no workspace.
const enhancePanel = 1 << 16

// panelRows returns the number of rows, 16 to 4096, of a panel with the given number of columns. It
// depends on nothing else, so the order in which sums over samples are formed is always the same.
func panelRows(cols int) int { return max(16, min(4096, panelElements/cols)) }

// parallelGrain is the number of elements that is worth a goroutine: some ten microseconds of the
// cheapest of the loops here.
const parallelGrain = 1 << 13

// parallelRows calls f(from, to) on parts of the rows 0 to n, of the given number of elements each, on
// at most blskernel.Threads() goroutines, and returns when all are done. f must treat every
// row without regard to the others in its part, so that the number of threads makes no difference. If one panics
// parallelRows does, with the value of the first, when all are done.
func parallelRows(n, cols int, f func(from, to int)) {
	parts := min(blskernel.Threads(), n, n*cols/parallelGrain)
	if parts <= 1 {
		f(0, n)
		return
	}
	var all sync.WaitGroup
	var once sync.Once
	var failed any
	part := func(p int) {
		defer all.Done()
		defer func() {
			if v := recover(); v != nil {
				once.Do(func() { failed = v })
			}
		}()
		f(p*n/parts, (p+1)*n/parts)
	}
	all.Add(parts)
	for p := 1; p < parts; p++ {
		go part(p)
	}
	part(0)
	all.Wait()
	if failed != nil {
		panic(failed)
	}
}
