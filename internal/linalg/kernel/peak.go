package kernel

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// peakTime is the minimum duration of one measurement of the peak.
const peakTime = time.Millisecond

// MeasurePeak measures fused multiply-adds in registers, with the instructions of k. It returns the sum
// of the flops per second of all threads. clock returns the time elapsed; nil means the wall clock.
func MeasurePeak(k Kernel, threads int, clock func() time.Duration) float64 {
	if clock == nil {
		began := time.Now()
		clock = func() time.Duration { return time.Since(began) }
	}
	loop := func(steps int) time.Duration {
		began := clock()
		k.Peak(steps, 0.5, 1)
		return clock() - began
	}
	steps := peakSteps(k.Name, loop)
	speed := func() float64 { return 2 * float64(k.PeakWidth) * float64(steps) / loop(steps).Seconds() }
	if threads == 1 {
		return speed()
	}
	var sum float64
	var mu sync.Mutex
	var ready atomic.Int64
	var done sync.WaitGroup
	for range threads {
		done.Add(1)
		go func() {
			defer done.Done()
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			ready.Add(1)
			for ready.Load() < int64(threads) {
				runtime.Gosched()
			}
			s := speed()
			mu.Lock()
			defer mu.Unlock()
			sum += s
		}()
	}
	done.Wait()
	return sum
}

var stepsOf sync.Map // maps the name of a kernel to the steps of its loop

// peakSteps returns a number of steps, a power of two, for which loop takes at least peakTime. The
// shortest of three runs counts, so that an interruption does not lead to too few steps.
func peakSteps(kernel string, loop func(steps int) time.Duration) int {
	if steps, ok := stepsOf.Load(kernel); ok {
		return steps.(int)
	}
	steps := 1 << 10
	for min(loop(steps), loop(steps), loop(steps)) < peakTime {
		steps *= 2
	}
	stepsOf.Store(kernel, steps)
	return steps
}
