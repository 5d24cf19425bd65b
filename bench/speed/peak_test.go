package speed

import (
	"runtime"
	"testing"

	"blskernel/internal/backend"
)

// TestPeak looks for numbers: how large they are is not the test's business.
func TestPeak(t *testing.T) {
	peak, err := KernelPeak(backend.Kernels()[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, threads := range []int{1, 2, runtime.GOMAXPROCS(0) + 1} {
		if g := peak(threads); !(g > 0) {
			t.Errorf("%d threads: %v GFLOP/s", threads, g)
		}
	}
	if _, err := KernelPeak("nonsense", CPUTime); err == nil {
		t.Error("a kernel that does not exist has a peak")
	}
}
