package speed

import (
	"testing"
	"time"
)

// TestQuiet has a process that spins for a while, by a clock of which each step takes 1 ms.
func TestQuiet(t *testing.T) {
	for _, tc := range []struct {
		spins, want time.Duration
	}{{0, time.Millisecond}, {100 * time.Millisecond, 101 * time.Millisecond}, {time.Hour, quietMost}} {
		var wall, work time.Duration
		waitQuiet(func() time.Duration { return work }, func() time.Duration { return wall }, func(time.Duration) {
			if wall < tc.spins {
				work += time.Millisecond
			}
			wall += time.Millisecond
			work += 30 * time.Microsecond
		})
		if wall != tc.want {
			t.Errorf("spinning for %v: returns after %v; want %v", tc.spins, wall, tc.want)
		}
	}
	Quiet() // by the real clocks
}
