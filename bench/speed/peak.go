package speed

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"blskernel/internal/kernel"
)

// A peak measures the CPU's limit: fused multiply-adds on registers only.
type peak struct {
	k kernel.Kernel
	n int // steps of the loop in one measurement
}

// newPeak finds the number of steps that take about minTime, and no less than half of it. It takes the
// best kernel of this CPU, whichever kernel the backends use: it is the CPU's limit that is wanted.
func newPeak(minTime time.Duration) (*peak, error) {
	k, err := kernel.Lookup(kernel.Names()[0])
	if err != nil {
		return nil, err
	}
	p := &peak{k: k, n: 1 << 10}
	for p.loop() < minTime/2 {
		p.n *= 2
	}
	return p, nil
}

// loop returns the time of the loop. The numbers converge to 2.
func (p *peak) loop() time.Duration {
	began := time.Now()
	p.k.Peak(p.n, 0.5, 1)
	return time.Since(began)
}

// gflops returns what the given number of threads make together, in GFLOP/s. Each of them is timed
// by itself while all are at work, so that starting them does not count.
func (p *peak) gflops(threads int) float64 {
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
			speeds[i] = 2 * float64(p.k.PeakWidth) * float64(p.n) / p.loop().Seconds() / 1e9
		}()
	}
	done.Wait()
	var sum float64
	for _, s := range speeds {
		sum += s
	}
	return sum
}
