package workers

import (
	"testing"
	"time"
)

// TestGain checks that groups without a gain pause the team, longer each time, and others do not.
func TestGain(t *testing.T) {
	a := gain{least: 1.1}
	const now = time.Hour
	group := func(ratio float64, took time.Duration) {
		a.add(true, time.Duration(ratio*float64(took)), took, now)
	}
	group(1.9, 2*judged)
	if a.paused(now) || a.pause != 0 {
		t.Errorf("a pause of %v after a gain", a.pause)
	}
	group(0.5, judgedEarly)
	group(1.9, judged)
	group(1, judged)
	group(1, judged/2)
	if a.paused(now) {
		t.Error("a pause after one failure")
	}
	group(1, judged/2)
	for want := firstPause; want < 4*longestPause; want *= 2 {
		if most := min(want, longestPause); !a.paused(now) || a.pause != most {
			t.Errorf("a pause of %v, now: %v; want %v", a.pause, a.paused(now), most)
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
	if a.paused(now) {
		t.Error("a pause does not end")
	}
}

// TestGainMeasures checks that every fourth short group is measured, and all after a long one.
func TestGainMeasures(t *testing.T) {
	var a gain
	for i, want := range []bool{true, false, false, false, true, false, false, false, true, true} {
		if got := a.due(); got != want {
			t.Errorf("group %d is measured: %v", i, got)
		}
		took := shortGroup / 2
		if i >= 7 {
			took = 2 * shortGroup
		}
		a.add(a.due(), 1, took, 0)
	}
}
