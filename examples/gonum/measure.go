package main

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"
)

const (
	leastTime = 5 * time.Millisecond   // of a timing: short operations are repeated
	warmUp    = 100 * time.Millisecond // of a call from which on waking threads does not matter
	longTime  = 5.0                    // seconds from which on an operation is timed once
)

// The implementations of which timings are taken.
const (
	ofGonum = iota
	ofOurs
	ofNumPy
)

// A timing has the medians of the seconds of each implementation, and how many times those of ours the
// others take, as the medians of the quotients within the rounds. What is not measured is NaN.
type timing struct {
	seconds, over [3]float64
}

// compare checks that gonum's routines and ours give the same result up to rounding, and times all
// round by round in alternating order. What takes long is timed once, in the run before the rounds.
func compare(op operation, in *operands, use [2]func(), python *numPy, rounds int) (t timing, err error) {
	var all [3][]float64
	var once [3]bool
	measure := func(i int, least time.Duration) (seconds float64, result func() mat.Matrix, err error) {
		if i == ofNumPy {
			seconds, err = python.seconds(op, in.n)
			return seconds, nil, err
		}
		use[i]()
		return run(op, in, least)
	}
	var results []mat.Matrix
	for i := range all {
		seconds, result, err := measure(i, 0)
		if err != nil {
			return t, err
		}
		if result != nil {
			results = append(results, result())
		}
		if once[i] = seconds > longTime || math.IsNaN(seconds); once[i] {
			all[i] = slices.Repeat([]float64{seconds}, rounds)
		}
	}
	if err := same(results[ofGonum], results[ofOurs]); err != nil {
		return t, err
	}
	for round := range rounds {
		for turn := range all {
			i := turn
			if round%2 == 1 {
				i = len(all) - 1 - turn
			}
			if once[i] {
				continue
			}
			seconds, _, err := measure(i, leastTime)
			if err != nil {
				return t, err
			}
			all[i] = append(all[i], seconds)
		}
	}
	for i := range all {
		over := slices.Clone(all[i])
		for round := range over {
			over[round] /= all[ofOurs][round]
		}
		t.seconds[i], t.over[i] = median(all[i]), median(over)
	}
	return t, nil
}

// run returns the seconds of a call of an operation, which lasts for the least time or is repeated. The
// first of short calls, which wakes threads and fills caches, does not count.
func run(op operation, in *operands, least time.Duration) (seconds float64, result func() mat.Matrix, err error) {
	runtime.GC()
	start := time.Now()
	result, err = op.run(in)
	if took := time.Since(start); err != nil || least == 0 || took >= warmUp {
		return took.Seconds(), result, err
	}
	calls := 0
	for start = time.Now(); calls == 0 || time.Since(start) < least; calls++ {
		if result, err = op.run(in); err != nil {
			return 0, nil, err
		}
	}
	return time.Since(start).Seconds() / float64(calls), result, nil
}

// median returns the median of x.
func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	n := len(x)
	return (x[(n-1)/2] + x[n/2]) / 2
}

// tolerance bounds the relative difference of two results, in the Frobenius norm. The matrices are
// well-conditioned (κ below 10) except the random ones, of which values, triangular factors and the
// determinant are compared; κ stays below 1e5 up to order 2000.
const tolerance = 1e-9

// same returns an error unless a and b agree to tolerance.
func same(a, b mat.Matrix) error {
	var difference mat.Dense
	difference.Sub(a, b)
	if d := mat.Norm(&difference, 2) / mat.Norm(a, 2); !(d <= tolerance) {
		return fmt.Errorf("the results differ by %.2g", d)
	}
	return nil
}
