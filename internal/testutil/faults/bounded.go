package faults

import (
	"fmt"
	"runtime"
	"testing"
	"time"
)

// Patience is how long a reader may take for an input of a test before Bounded takes it that it hangs.
const Patience = time.Minute

// others is what else may allocate while f runs: the runtime, the testing package, a fuzzing worker
// that reports.
const others = 1 << 16

// Allocated calls f and returns the bytes that were allocated meanwhile, freed ones included, by f and
// whatever else runs.
func Allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Bounded calls f, which reads n bytes that somebody has sent, and fails the test if more than
//
//	perByte n + constant
//
// bytes are allocated meanwhile, freed ones included, and 64 KiB beside them, which others may have.
// Where f has not returned after Patience the process panics, with all goroutines: a test that hangs
// would say nothing, and a fuzzing process that panics keeps the input.
func Bounded(t testing.TB, n int, perByte, constant uint64, f func()) {
	t.Helper()
	alarm := time.AfterFunc(Patience, func() {
		panic(fmt.Sprintf("%s: %d bytes have not been read after %v", t.Name(), n, Patience))
	})
	defer alarm.Stop()
	if got, most := Allocated(f), perByte*uint64(n)+constant+others; got > most {
		t.Errorf("%d bytes allocated for an input of %d bytes, at most %d may be", got, n, most)
	}
}
