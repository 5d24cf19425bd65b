package rates

import (
	"math"
	"slices"
	"time"

	"blskernel/blsupdate/internal/cost"
)

// A measurement is under way.
type measurement struct {
	workspace   *workspace
	jobs        []job
	progress    func(done float64)
	done, total float64 // seconds, roughly

	probes []probe
	probed time.Time // when the last of them was taken
	usual  probe     // the median of them, at the end of the last round
}

// probeInterval is how often the speed of the machine is looked at while rates are measured. What else runs on a shared
// machine comes and goes, and the clock rises and falls: what is measured is divided by the speed of its time.
const probeInterval = 400 * time.Millisecond

// steadiness is the factor by which two probes may differ between which the machine is taken for one that is as fast all
// the time, and slowness that by which they may be longer than usual. A machine that stands still during one of them, as
// virtual ones do while another has the processor, makes it many times as long, and would make everything in between as
// many times too fast; one that is slow for long is not as much slower in everything.
const (
	steadiness = 1.25
	slowness   = 2
)

// look takes a probe.
func (m *measurement) look() {
	m.probes = append(m.probes, m.workspace.probe())
	m.probed = time.Now()
}

// A sighting is the time of an operation.
type sighting struct {
	seconds float64
	after   int // the probe before it; the next one comes after it
}

// usually returns how long a sighting would have taken at the usual speed, and whether the machine was steady. Between two
// probes that differ it goes by the shorter one: a rate that is too low does less harm than one that no machine has.
func (m *measurement) usually(s sighting, k cost.Kind) (seconds float64, steady bool) {
	usual, before := m.usual.of(k, s.seconds), m.probes[s.after].of(k, s.seconds)
	if s.after+1 == len(m.probes) {
		return s.seconds * usual / before, false
	}
	after := m.probes[s.after+1].of(k, s.seconds)
	shorter, longer := min(before, after), max(before, after)
	if longer <= steadiness*shorter && longer <= slowness*usual {
		return s.seconds * usual / math.Sqrt(before*after), true
	}
	return s.seconds * usual / shorter, false
}

// steady tells whether a point of a job has been measured while the machine was steady.
func (m *measurement) steady(j *job, point int) bool {
	return slices.ContainsFunc(j.seen[point], func(s sighting) bool {
		_, steady := m.usually(s, j.kind)
		return steady
	})
}

// seconds returns the median time of a point at the usual speed, over what was measured while the machine was steady, or
// else over all there is, and 0 for what was not measured.
func (m *measurement) seconds(j *job, point int) float64 {
	var steady, all []float64
	for _, s := range j.seen[point] {
		seconds, ok := m.usually(s, j.kind)
		if ok {
			steady = append(steady, seconds)
		}
		all = append(all, seconds)
	}
	switch {
	case len(steady) > 0:
		return quantile(steady, 0.5)
	case len(all) > 0:
		return quantile(all, 0.5)
	}
	return 0
}
