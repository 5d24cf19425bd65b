package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"blskernel/bench/speed"
)

func TestUndisturbed(t *testing.T) {
	for _, tc := range []struct {
		threads        int
		worked, lasted time.Duration
		want           bool
	}{
		{1, 10, 100, true}, // its clock is that of the work
		{2, 199, 100, true}, {2, 180, 100, true}, {2, 179, 100, false}, {2, 100, 100, false},
		{2, 0, 100, true}, // nobody tells
	} {
		p := &peak{threads: tc.threads, worked: tc.worked, lasted: tc.lasted}
		if got := p.undisturbed(); got != tc.want {
			t.Errorf("%+v: %v", tc, got)
		}
	}
}

// TestPeak runs the loop on two threads: it works for longer than nothing, and for no longer than two
// CPUs can.
func TestPeak(t *testing.T) {
	s, err := newStand([]string{"generic"})
	if err != nil {
		t.Fatal(err)
	}
	p := s.peak(2)
	p.Reset()
	p.Call()
	if p.lasted <= 0 || speed.CPUTime() > 0 && p.worked <= 0 {
		t.Errorf("worked for %v in %v", p.worked, p.lasted)
	}
}

// TestStepsFor has a loop of which a step takes 2 ns. Steps that take 1 ms are found also where of the
// calls with a number of steps all but one are interrupted, whichever that is.
func TestStepsFor(t *testing.T) {
	for undisturbed := range steadied {
		var clock time.Duration
		calls := 0
		got := stepsFor(func(steps int) {
			clock += 2 * time.Duration(steps)
			if calls%steadied != undisturbed {
				clock += 4 * time.Millisecond
			}
			calls++
		}, func() time.Duration { return clock }, time.Millisecond)
		if want := 1 << 19; got != want { // 2¹⁸ take 0.52 ms
			t.Errorf("all calls but that with index %d are interrupted: %d steps; want %d", undisturbed, got, want)
		}
	}
}

// TestRound looks at who is timed in which order, and when is waited for quiet before, on a clock of
// which a call of the kernel wide takes 3 µs, of narrow 5 µs, of OpenBLAS 7 µs, and of the peak 1 µs or
// later 2.
func TestRound(t *testing.T) {
	var clock time.Duration
	var order []string
	takes := func(name string, d time.Duration) speed.Contender {
		return speed.Contender{Call: func() { order = append(order, name); clock += d }, Reset: func() {}, Most: 1}
	}
	p := &peak{threads: 2}
	p.Contender = takes("peak", time.Microsecond)
	p.Call = func() {
		order = append(order, "peak")
		lasts := time.Duration(1+len(order)/8) * time.Microsecond
		clock += lasts
		p.lasted += lasts
		p.worked += 2 * lasts
	}
	r := rounder{peak: p, before: -2, entrants: []entrant{
		{call{takes("wide", 3*time.Microsecond), nil}, "wide"}, {call{takes("narrow", 5*time.Microsecond), nil}, "narrow"},
		{call{takes("openblas", 7*time.Microsecond), nil}, ""},
	}}
	r.meter = speed.Meter{MinTime: time.Nanosecond, Now: func() time.Duration { return clock }, Quiet: func() {
		before := len(order)
		r.wait()
		if len(order) != before {
			t.Error("the wait calls something")
		}
	}}
	for i := range r.entrants {
		if err := r.meter.Calibrate(context.Background(), &r.entrants[i].Contender); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.meter.Calibrate(context.Background(), &p.Contender); err != nil {
		t.Fatal(err)
	}
	for round, want := range []string{"peak wide narrow peak openblas", "openblas peak narrow wide peak"} {
		order = nil
		peak, took, undisturbed, err := r.round(context.Background(), round == 1)
		if err != nil || !undisturbed {
			t.Fatal(undisturbed, err)
		}
		order = slices.Compact(order)
		if got := strings.Join(order, " "); got != want {
			t.Errorf("round %d: %s; want %s", round, got, want)
		}
		// Of the two times of the peak the mean is taken.
		for i, w := range []float64{3e-6, 5e-6, 7e-6} {
			if !near(took[i], w) {
				t.Errorf("round %d: %v", round, took)
			}
		}
		if !near(peak, 1e-6) && !near(peak, 1.5e-6) {
			t.Errorf("round %d: peak %v", round, peak)
		}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := errors.New("enough")
	cancel(stop)
	if _, _, _, err := r.round(ctx, false); err != stop {
		t.Errorf("cancelled: %v", err)
	}
}

// near compares up to a few roundings.
func near(a, b float64) bool { return a >= b*(1-1e-14) && a <= b*(1+1e-14) }
