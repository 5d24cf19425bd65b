package rates

import (
	"math"
	"testing"

	"blskernel/blsupdate/internal/cost"
)

// TestUnsteady has probes of a machine that stands still now and then, and is slow for a while.
func TestUnsteady(t *testing.T) {
	const usual, stood, slow = 1e-3, 90e-3, 3e-3
	product := func(seconds ...float64) (all []probe) {
		for _, s := range seconds {
			all = append(all, probe{Product: s, Short: 1, Rows: 1, Stream: 1})
		}
		return all
	}
	m := &measurement{probes: product(usual, 1.1*usual, stood, usual, usual, slow, slow, usual, usual)}
	m.usual = medianProbe(m.probes)
	// An operation that takes as long as ten products, but while those stand still, and five when
	// they are slow.
	const op = 10 * usual
	for _, tc := range []struct {
		name   string
		seen   []sighting
		want   float64
		steady bool
	}{
		{"steady", []sighting{{op, 0}}, op / math.Sqrt(1.1), true},
		{"stands still after it", []sighting{{op, 1}}, op / 1.1, false},
		{"stands still before it", []sighting{{op, 2}}, op, false},
		{"stands still twice, once it does not", []sighting{{op, 1}, {op, 2}, {op, 3}}, op, true},
		{"is slow", []sighting{{op / 2, 5}}, op / 6, false},
		{"becomes slow", []sighting{{op, 4}}, op, false},
		{"is slow twice, once it is not", []sighting{{op / 2, 5}, {op / 2, 5}, {op, 7}}, op, true},
		{"nothing comes after it", []sighting{{op, 8}}, op, false},
		{"was not measured", nil, 0, false},
	} {
		j := &job{kindRates: kindRates{kind: cost.GemmNN}, seen: [][]sighting{tc.seen}}
		if got := m.seconds(j, 0); !(math.Abs(got-tc.want) <= 1e-12) {
			t.Errorf("%s: %v s, want %v", tc.name, got, tc.want)
		}
		if got := m.steady(j, 0); got != tc.steady {
			t.Errorf("%s: steady is %v", tc.name, got)
		}
	}
}

// TestProbeOf has a machine on which products take twice as long as usual, and nothing else does.
func TestProbeOf(t *testing.T) {
	drift := probe{Product: 2, Short: 1, Rows: 3, Stream: 5}
	for _, tc := range []struct {
		Kind    cost.Kind
		seconds float64
		want    float64
	}{
		{cost.GemmNN, 1e-5, 1}, {cost.GemmNN, briefly, 1}, {cost.GemmNN, math.Sqrt(briefly * lengthily), math.Sqrt2}, {cost.GemmNN, lengthily, 2}, {cost.Pptrf, 1, 2},
		{cost.Spmv, 1e-5, 3}, {cost.Chud, 1, 3}, {cost.Scan, 1e-5, 5}, {cost.Stream, 1, 5},
	} {
		if got := drift.of(tc.Kind, tc.seconds); !(math.Abs(got-tc.want) <= 1e-12) {
			t.Errorf("%s of %v s takes %v times as long, want %v", tc.Kind, tc.seconds, got, tc.want)
		}
	}
}
