package speed

import (
	"slices"
	"strconv"
)

// A Result is the measurement of a job with one number of threads.
type Result struct {
	Op      string  `json:"op"`
	Args    string  `json:"case,omitempty"`
	N       int     `json:"n"`           // the order of the operands
	Threads int     `json:"threads"`     // as given to blskernel.SetThreads: 0 is the default
	Flops   float64 `json:"flops"`       // of one call
	Rounds  int     `json:"rounds"`      // over which the medians below are taken
	Peak    float64 `json:"peak_gflops"` // of the CPU with that many threads
	// Backends has one element for each backend of the comparison, in its order, and then one for
	// each opponent of the case that was timed.
	Backends []Timing `json:"backends"`
}

// A Timing is the outcome of one backend or opponent.
type Timing struct {
	Backend string  `json:"backend"` // with the routines of an opponent from LAPACK, as in "openblas/dgetrs"
	Seconds float64 `json:"seconds"` // of one call
	GFLOPS  float64 `json:"gflops"`  // 1e-9 flops per second
	OfPeak  float64 `json:"of_peak"` // the speed as a fraction of the peak in the same round
	// Ratio is the speed of the first backend divided by the speed of this one, in the same round.
	// It is absent for the first.
	Ratio float64 `json:"ratio,omitempty"`
	// OverOne is the speed divided by the speed on one thread, in the same round. It is absent if
	// Threads is 1 or one thread is not measured.
	OverOne float64 `json:"over_one,omitempty"`
}

// ThreadsName returns "default" for 0, and otherwise the number.
func ThreadsName(threads int) string {
	if threads == 0 {
		return "default"
	}
	return strconv.Itoa(threads)
}

// newResult returns the medians over the rounds of lane l of a job. lanes are all lanes of the job.
func newResult(j Job, l *lane, lanes []*lane) Result {
	r := Result{
		Op: j.Case.Op, Args: j.Case.Args, N: j.N, Threads: l.threads,
		Flops: j.Case.Flops(j.N), Rounds: len(l.peaks), Peak: Median(l.peaks),
	}
	one := slices.IndexFunc(lanes, func(l *lane) bool { return l.threads == 1 })
	for i, c := range l.contenders {
		t := Timing{Backend: c.problem.name(c.backend), Seconds: Median(c.seconds)}
		t.GFLOPS = r.Flops / t.Seconds / 1e9
		var ofPeak, ratio, overOne []float64
		for round, took := range c.seconds {
			ofPeak = append(ofPeak, r.Flops/took/1e9/l.peaks[round])
			ratio = append(ratio, took/l.contenders[0].seconds[round])
			if one >= 0 {
				overOne = append(overOne, lanes[one].contenders[i].seconds[round]/took)
			}
		}
		t.OfPeak = Median(ofPeak)
		if i > 0 {
			t.Ratio = Median(ratio)
		}
		if one >= 0 && l.threads != 1 {
			t.OverOne = Median(overOne)
		}
		r.Backends = append(r.Backends, t)
	}
	return r
}

// Median returns the median of x, which must not be empty. For an even number of elements it is the
// mean of the middle two.
func Median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	h := len(x) / 2
	if len(x)%2 == 1 {
		return x[h]
	}
	return (x[h-1] + x[h]) / 2
}
