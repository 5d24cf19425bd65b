package speed

import (
	"time"

	"blskernel"
	"blskernel/internal/backend"
)

// KernelPeak returns a function that measures the GFLOP/s of fused multiply-adds on registers, by the given
// number of threads together, with the instructions of a kernel. A nil clock means the wall's; CPUTime is right
// for one thread. The error is that of an unknown kernel.
func KernelPeak(name string, clock func() time.Duration) (func(threads int) float64, error) {
	b, err := blskernel.Lookup("pure/" + name)
	if err != nil {
		return nil, err
	}
	return func(threads int) float64 { return backend.Peak(b, threads, clock) / 1e9 }, nil
}
