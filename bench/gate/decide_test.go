package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A shared is a machine that others use as well, with made-up timings.
type shared struct {
	*rand.Rand
	truth map[cell]float64 // what a kernel has kept of its ratios; 1 where there is nothing
	calls map[string]int   // by group
}

func newShared(seed uint64) *shared {
	return &shared{rand.New(rand.NewPCG(seed, 0)), map[cell]float64{}, map[string]int{}}
}

// took returns the time of something that takes a second on a machine of its own: as the machine is at
// the moment, up to 4% off, and in one of ten rounds interrupted for as long again at most.
func (s *shared) took(seconds, machine float64) float64 {
	seconds *= machine * math.Exp(0.04*s.NormFloat64())
	if s.Float64() < 0.1 {
		seconds *= 1 + s.Float64()
	}
	return seconds
}

// measure has ratios of 0.8 to the peak and 1.2 to OpenBLAS. The machine's speed is off by up to 30%
// from round to round. In one of twenty attempts there is a neighbor that costs the kernels up to 30%
// against one of the references, and in one of a hundred against both.
func (s *shared) measure(_ context.Context, g group, kernels []string, rounds int) (map[string]series, error) {
	s.calls[fmt.Sprint(g.task.name, g.threads)]++
	neighbor := [references]float64{1, 1}
	switch p := s.Float64(); {
	case p < 0.01:
		neighbor[0], neighbor[1] = 1-0.3*s.Float64(), 1-0.3*s.Float64()
	case p < 0.06:
		neighbor[s.IntN(2)] = 1 - 0.3*s.Float64()
	}
	all := map[string]series{}
	for range rounds {
		machine := 0.7 + 0.6*s.Float64()
		peak, library := s.took(0.8, machine), s.took(1.2, machine)
		for _, k := range kernels {
			speed, ok := s.truth[cell{g.task.name, g.threads, k}]
			if !ok {
				speed = 1
			}
			of := all[k]
			took := s.took(1/speed, machine)
			of[byPeak] = append(of[byPeak], neighbor[0]*peak/took)
			of[byOpenBLAS] = append(of[byOpenBLAS], neighbor[1]*library/took)
			all[k] = of
		}
	}
	return all, nil
}

// gated returns a gate of n groups with one and two threads on two kernels, on a machine.
func gated(n int, s *shared) *gate {
	g := &gate{
		baseline: map[cell]ratios{}, measure: s.measure, kernels: []string{"wide", "narrow"},
		rounds: 9, attempts: 3, tolerance: 0.1, log: io.Discard,
	}
	for i := range n {
		for threads := 1; threads <= 2; threads++ {
			gr := group{task{name: fmt.Sprintf("case %d", i)}, threads}
			g.groups = append(g.groups, gr)
			for _, k := range g.kernels {
				g.baseline[cell{gr.task.name, threads, k}] = ratios{0.8, 1.2}
			}
		}
	}
	return g
}

// verdicts returns the cells of each verdict.
func verdicts(t *testing.T, g *gate) map[verdict][]cell {
	t.Helper()
	all, err := g.run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	of := map[verdict][]cell{}
	for _, o := range all {
		of[o.verdict] = append(of[o.verdict], o.cell)
	}
	return of
}

// TestNoise runs the gate on unchanged code, and on code of which one kernel of 160 has become slower
// by 15%: nothing is lost in any run of the one, and exactly that in every run of the other.
func TestNoise(t *testing.T) {
	cleared := 0
	for seed := range uint64(100) {
		same := verdicts(t, gated(40, newShared(seed)))
		if len(same[lost])+len(same[doubtful]) > 0 {
			t.Errorf("seed %d: nothing has changed, lost %v, doubtful %v", seed, same[lost], same[doubtful])
		}
		cleared += len(same["cleared"])
		slow := newShared(seed + 1000)
		victim := cell{fmt.Sprintf("case %d", seed%40), 1 + int(seed%2), "narrow"}
		slow.truth[victim] = 0.85
		if got := verdicts(t, gated(40, slow)); !slices.Equal(got[lost], []cell{victim}) || len(got[doubtful]) > 0 {
			t.Errorf("seed %d: %v is slower, lost %v, doubtful %v", seed, victim, got[lost], got[doubtful])
		}
	}
	if cleared == 0 {
		t.Error("nothing was ever suspicious, so that the repetitions were not tried")
	}
}

// TestAllSlow has a whole library that is slower: it fails, and measures no more than the worst again.
func TestAllSlow(t *testing.T) {
	s := newShared(7)
	g := gated(40, s)
	for c := range g.baseline {
		s.truth[c] = 0.8
	}
	got := verdicts(t, g)
	if len(got[lost]) != 2*mostRepeated {
		t.Errorf("%d cells are lost; want those of %d groups", len(got[lost]), mostRepeated)
	}
	calls := 0
	for _, n := range s.calls {
		calls += n
	}
	if want := len(g.groups) + 2*mostRepeated; calls != want {
		t.Errorf("%d measurements; want %d", calls, want)
	}
}

// TestJudge has ratios without noise.
func TestJudge(t *testing.T) {
	const nan = -1 // stands for NaN
	for _, tc := range []struct {
		name           string
		base           ratios
		peak, openBLAS float64 // 0 for none
		attempts       int
		want           verdict
	}{
		{"as it was", ratios{0.8, 1.2}, 0.8, 1.2, 3, kept},
		{"a tenth less, and a little", ratios{0.8, 1.2}, 0.721, 1.081, 3, cleared},
		{"a twentieth less, and a little", ratios{0.8, 1.2}, 0.761, 1.141, 3, kept},
		{"more than a tenth less", ratios{0.8, 1.2}, 0.719, 1.079, 3, lost},
		{"faster", ratios{0.8, 1.2}, 0.9, 1.4, 3, kept},
		{"less by the peak only", ratios{0.8, 1.2}, 0.5, 1.2, 3, kept},
		{"less by OpenBLAS only", ratios{0.8, 1.2}, 0.8, 0.7, 3, kept},
		{"less by the peak, no OpenBLAS", ratios{0.8, 1.2}, 0.5, 0, 3, lost},
		{"less by the peak, OpenBLAS of another version", ratios{0.8, 0}, 0.5, 1.2, 3, lost},
		{"kept by the peak, OpenBLAS of another version", ratios{0.8, 0}, 0.8, 0.1, 3, kept},
		{"NaN", ratios{0.8, 1.2}, nan, nan, 3, lost},
		{"no baseline", ratios{}, 0.1, 0.1, 3, unknown},
		{"a single attempt", ratios{0.8, 1.2}, 0.5, 0.7, 1, lost},
	} {
		g := gated(1, newShared(1))
		g.attempts = tc.attempts
		for c := range g.baseline {
			g.baseline[c] = tc.base
		}
		g.measure = func(_ context.Context, _ group, kernels []string, rounds int) (map[string]series, error) {
			var of series
			for r, v := range []float64{tc.peak, tc.openBLAS} {
				if v == nan {
					v = math.NaN()
				}
				if v != 0 {
					of[r] = slices.Repeat([]float64{v}, rounds)
				}
			}
			all := map[string]series{}
			for _, k := range kernels {
				all[k] = of
			}
			return all, nil
		}
		if got := verdicts(t, g); len(got[tc.want]) != 4 {
			t.Errorf("%s: %v; want %s", tc.name, got, tc.want)
		}
	}
}

// TestDoubtful has a kernel that is always just below the tolerance by its median, in hardly more than
// half of the rounds.
func TestDoubtful(t *testing.T) {
	g := gated(1, newShared(1))
	g.measure = func(_ context.Context, _ group, kernels []string, rounds int) (map[string]series, error) {
		all := map[string]series{}
		for _, k := range kernels {
			var of series
			for i := range rounds {
				kept := 0.95
				if i <= rounds/2 {
					kept = 0.85
				}
				of[byPeak] = append(of[byPeak], 0.8*kept)
				of[byOpenBLAS] = append(of[byOpenBLAS], 1.2*kept)
			}
			all[k] = of
		}
		return all, nil
	}
	if got := verdicts(t, g); len(got[doubtful]) != 4 {
		t.Errorf("%v; want all of them doubtful", got)
	}
}

// TestFailure has measurements that fail at first or when they are repeated.
func TestFailure(t *testing.T) {
	stop := errors.New("wrong result")
	for _, after := range []int{0, 1, 2} {
		s := newShared(3)
		g := gated(1, s)
		for c := range g.baseline {
			s.truth[c] = 0.5
		}
		calls := 0
		g.measure = func(ctx context.Context, gr group, kernels []string, rounds int) (map[string]series, error) {
			if calls++; calls > after {
				return nil, stop
			}
			return s.measure(ctx, gr, kernels, rounds)
		}
		if _, err := g.run(context.Background()); err != stop {
			t.Errorf("after %d: %v", after, err)
		}
		calls = 0
		if _, err := g.baselines(context.Background()); err != stop {
			t.Errorf("baselines, after %d: %v", after, err)
		}
	}
}

// TestBaselines wants the medians of all passes, within what 27 rounds of this noise leave.
func TestBaselines(t *testing.T) {
	g := gated(3, newShared(5))
	measured, err := g.baselines(context.Background())
	if err != nil || len(measured) != len(g.baseline) {
		t.Fatalf("%d cells, %v; want %d", len(measured), err, len(g.baseline))
	}
	for c, r := range measured {
		for i, want := range (ratios{0.8, 1.2}) {
			if !(math.Abs(r[i]/want-1) <= 0.05) {
				t.Errorf("%v: %v; want about %v", c, r[i], want)
			}
		}
	}
}

// TestLog looks at what is told on the way.
func TestLog(t *testing.T) {
	var log strings.Builder
	g := gated(1, newShared(1))
	g.log = &log
	for c := range g.baseline {
		g.baseline[c] = ratios{1.6, 2.4}
	}
	if got := verdicts(t, g); len(got[lost]) != 4 {
		t.Fatal(got)
	}
	for _, line := range []string{"gate: 1 of 2: case 0, threads 1\n", "gate: again: case 0, threads 2, kernels [wide narrow]\n"} {
		if !strings.Contains(log.String(), line) {
			t.Errorf("no line %q in\n%s", line, &log)
		}
	}
}

// TestBusy has two threads that never get their CPUs: they are not judged, and have no baselines, which is told of each.
func TestBusy(t *testing.T) {
	s := newShared(1)
	g := gated(2, s)
	g.measure = func(ctx context.Context, gr group, kernels []string, rounds int) (map[string]series, error) {
		all, err := s.measure(ctx, gr, kernels, rounds)
		if gr.threads == 2 {
			for k := range all {
				all[k] = series{}
			}
		}
		return all, err
	}
	if got := verdicts(t, g); len(got[busy]) != 4 || len(got[kept])+len(got[cleared]) != 4 {
		t.Errorf("%v", got)
	}
	var log strings.Builder
	g.log = &log
	measured, err := g.baselines(context.Background())
	if err != nil || len(measured) != 4 || strings.Count(log.String(), "warning: ") != 4 {
		t.Errorf("baselines: %v, %v\n%s", measured, err, &log)
	}
	for c := range measured {
		if c.threads == 2 {
			t.Errorf("%v has a baseline", c)
		}
	}
	g.groups = slices.DeleteFunc(g.groups, func(gr group) bool { return gr.threads == 1 })
	if _, err := g.baselines(context.Background()); err == nil || !strings.Contains(err.Error(), "not enough rounds") {
		t.Errorf("no baseline at all: %v", err)
	}
	clear(g.baseline)
	if got := verdicts(t, g); len(got[unknown]) != 4 {
		t.Errorf("without baselines: %v", got)
	}
}
