package rates

import (
	"time"

	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/isfinite"
)

// prepareStream copies n/2 numbers, which reads and writes n.
func prepareStream(w *workspace, _, n, _ int) func() time.Duration {
	return w.cold(func() { copy(w.out[:n/2], w.in[:n/2]) })
}

func prepareFresh(w *workspace, _, n, _ int) func() time.Duration {
	const page = 512 // numbers
	return w.cold(func() {
		w.fresh = make([]float64, n)
		// Storage that comes from the operating system is there when it is first written to.
		for i := 0; i < n; i += page {
			w.fresh[i] = 1
		}
	})
}

// prepareScan is the mean of a look for NaN and of the norms of columns.
func prepareScan(w *workspace, _, n, _ int) func() time.Duration {
	const width = 100 // columns
	m := w.operand(max(1, n/2/width), min(n/2, width))
	return w.cold(func() {
		isfinite.First(w.in[n/2 : n])
		dense.ColumnNorms(m)
	})
}
