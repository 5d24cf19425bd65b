package speed

import (
	"runtime"
	"testing"
	"time"
)

// TestPeak looks for numbers: how large they are is not the test's business.
func TestPeak(t *testing.T) {
	p, err := newPeak(time.Microsecond)
	if err != nil {
		t.Fatal(err)
	}
	for _, threads := range []int{1, 2, runtime.GOMAXPROCS(0) + 1} {
		if g := p.gflops(threads); !(g > 0) {
			t.Errorf("%d threads: %v GFLOP/s", threads, g)
		}
	}
}
