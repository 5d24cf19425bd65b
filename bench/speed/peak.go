package speed

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"blskernel/internal/kernel"
)

// A peak measures the limit of a kernel: fused multiply-adds on registers only.
type peak struct {
	k     kernel.Kernel
	n     int // steps of the loop in one measurement
	clock func() time.Duration
}

// KernelPeak returns a function that measures the GFLOP/s of fused multiply-adds on registers, by the given
// number of threads together, with the instructions of a kernel. A nil clock means the wall's; CPUTime is right
// for one thread. The error is that of an unknown kernel.
func KernelPeak(name string, clock func() time.Duration) (func(threads int) float64, error) {
	k, err := kernel.Lookup(name)
	if err != nil {
		return nil, err
	}
	if clock == nil {
		began := time.Now()
		clock = func() time.Duration { return time.Since(began) }
	}
	p := &peak{k: k, n: 1 << 10, clock: clock}
	// The least of three times counts, so that one interruption does not make the loop too short.
	for min(p.loop(), p.loop(), p.loop()) < DefaultMinTime/2 {
		p.n *= 2
	}
	return p.gflops, nil
}

// loop returns the time of the loop. The numbers converge to 2.
func (p *peak) loop() time.Duration {
	began := p.clock()
	p.k.Peak(p.n, 0.5, 1)
	return p.clock() - began
}

// gflops times each of the threads by itself while all are at work, so that starting them does not count.
func (p *peak) gflops(threads int) float64 {
	if threads == 1 {
		return p.speed()
	}
	speeds := make([]float64, threads)
	var ready atomic.Int64
	var done sync.WaitGroup
	for i := range speeds {
		done.Add(1)
		go func() {
			defer done.Done()
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			ready.Add(1)
			for ready.Load() < int64(threads) {
				runtime.Gosched()
			}
			speeds[i] = p.speed()
		}()
	}
	done.Wait()
	var sum float64
	for _, s := range speeds {
		sum += s
	}
	return sum
}

// speed returns the GFLOP/s of one thread.
func (p *peak) speed() float64 {
	return 2 * float64(p.k.PeakWidth) * float64(p.n) / p.loop().Seconds() / 1e9
}
