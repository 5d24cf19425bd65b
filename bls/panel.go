package bls

import (
	"context"
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

// eachPanel calls f(from, to) for the rows 0 to l, panel by panel of the given number of rows, until f
// returns an error or ctx is done, which is looked at before each.
func eachPanel(ctx context.Context, l, rows int, f func(from, to int) error) error {
	for from := 0; from < l; from += rows {
		if err := stopped(ctx); err != nil {
			return err
		}
		if err := f(from, min(from+rows, l)); err != nil {
			return err
		}
	}
	return nil
}

// parallelGrain is the number of elements that is worth a goroutine: some ten microseconds of the
// cheapest of the loops here.
const parallelGrain = 1 << 13

// parallelRows calls f(from, to) on parts of the rows 0 to n, of the given number of elements each, on
// at most blskernel.Threads() goroutines, and returns when all are done. f must treat every
// row without regard to the others in its part, so that the number of threads makes no difference.
func parallelRows(n, cols int, f func(from, to int)) {
	parts := min(blskernel.Threads(), n, n*cols/parallelGrain)
	if parts <= 1 {
		f(0, n)
		return
	}
	var wg sync.WaitGroup
	for p := 1; p < parts; p++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			f(p*n/parts, (p+1)*n/parts)
		}()
	}
	f(0, n/parts)
	wg.Wait()
}
