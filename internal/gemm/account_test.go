package gemm

import (
	"testing"
	"time"
)

// The pool is left alone after groups without gain, longer each time, and not after groups with one.
func TestAccount(t *testing.T) {
	var a account
	group := func(gain float64, took time.Duration) {
		a.begin()
		a.workers.Store(int64(gain*float64(took)) / 2)
		a.add(time.Duration(gain*float64(took)/2), took)
	}
	defer func(saved float64) { leastGain = saved }(leastGain)
	leastGain = 1.1
	group(1.9, 2*judged)
	if a.paused() || a.pause != 0 {
		t.Errorf("a pause of %v after a gain", a.pause)
	}
	group(0.5, judgedEarly)
	group(1.9, judged)
	group(1, judged)
	group(1, judged/2)
	if a.paused() {
		t.Error("a pause after one failure")
	}
	group(1, judged/2)
	for want := firstPause; want < 4*longestPause; want *= 2 {
		if most := min(want, longestPause); !a.paused() || a.pause != most {
			t.Errorf("a pause of %v, now: %v; want %v", a.pause, a.paused(), most)
		}
		if a.until.Store(0); want < longestPause {
			group(0.5, judgedEarly) // it does harm
		} else {
			group(1, judged)
		}
	}
	group(1.5, judged)
	if a.pause != 0 {
		t.Errorf("a pause of %v after a gain", a.pause)
	}
	a.until.Store(1)
	if a.paused() {
		t.Error("a pause does not end")
	}
}

// Every fourth short group is measured, and every group after a long one.
func TestAccountMeasures(t *testing.T) {
	var a account
	var got []bool
	for i := range 10 {
		took := shortGroup / 2
		if i >= 7 {
			took = 2 * shortGroup
		}
		got = append(got, a.begin())
		a.add(1, took)
	}
	for i, want := range []bool{true, false, false, false, true, false, false, false, true, true} {
		if got[i] != want {
			t.Errorf("group %d is measured: %v", i, got[i])
		}
	}
}
