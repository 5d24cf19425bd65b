package faults

import (
	"fmt"
	"runtime"
	"testing"
	"time"
)

// Patience is the time that a reader may take for an input before Bounded considers the reader hung.
const Patience = time.Minute

// others bounds the bytes that the runtime, package testing and a fuzzing worker allocate while f runs.
const others = 1 << 16

// Allocated calls f and returns the number of bytes that the process allocates meanwhile, freed or not.
func Allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Bounded calls f, which reads n bytes of input, and fails the test if the process allocates more than
//
//	perByte n + constant
//
// bytes meanwhile, freed or not, plus 64 KiB for others. If f has not returned after Patience, the
// process panics and prints the stacks of all goroutines: a fuzzing process then saves the input.
func Bounded(t testing.TB, n int, perByte, constant uint64, f func()) {
	t.Helper()
	alarm := time.AfterFunc(Patience, func() {
		panic(fmt.Sprintf("%s: reading an input of %d bytes takes more than %v", t.Name(), n, Patience))
	})
	defer alarm.Stop()
	if got, most := Allocated(f), perByte*uint64(n)+constant+others; got > most {
		t.Errorf("%d bytes allocated for an input of %d bytes; want at most %d", got, n, most)
	}
}
