package speed

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// TestQuiet waits for another thread that is busy for a while.
func TestQuiet(t *testing.T) {
	for _, tc := range []struct{ busy, want time.Duration }{
		{0, 0}, {time.Microsecond, quietStep}, {100 * time.Millisecond, 100 * time.Millisecond}, {time.Hour, maxQuiet},
	} {
		var wall time.Duration
		busy := func() int {
			if wall < tc.busy {
				return 2
			}
			return 1
		}
		waitQuiet(busy, func() time.Duration { return wall }, func(step time.Duration) { wall += step })
		if wall != tc.want {
			t.Errorf("busy for %v: returns after %v; want %v", tc.busy, wall, tc.want)
		}
	}
	Quiet() // with the real clock
}

// TestBusyThreads starts a goroutine that spins, and waits until its thread is counted.
func TestBusyThreads(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells the states of threads")
	}
	var stop atomic.Bool
	defer stop.Store(true)
	go func() {
		for !stop.Load() {
		}
	}()
	for began := time.Now(); busyThreads() < 2; {
		if time.Since(began) > time.Minute {
			t.Fatal("a spinning thread is not seen")
		}
	}
}
