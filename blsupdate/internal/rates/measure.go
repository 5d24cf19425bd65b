package rates

import (
	"cmp"
	"context"
	"os"
	"runtime"
	"slices"
	"strconv"
	"time"

	"blskernel"
	"blskernel/blsupdate/internal/cost"
	"blskernel/internal/io/interrupt"
	"blskernel/internal/io/vfs"
	"blskernel/internal/linalg/backend"
)

// Budget bounds the time of a measurement, including interrupted earlier parts.
const Budget = 18 * time.Second

const (
	rounds = 3 // measurements of each point, some seconds apart; typicalCost chooses one

	// A measurement of a point is the median of maxCalls calls, or of fewer once maxTime has
	// passed. Warm-up calls before them do not count: they allocate, wake workers and fill caches.
	maxCalls = 3
	maxTime  = 1500 * time.Microsecond
	maxWarm  = 5
	warmTime = 400 * time.Microsecond

	// peakInterval is the least time between measurements of the FMA peak. On a shared machine
	// other work comes and goes, and the clock changes, so times are relative to the latest peak.
	peakInterval = 200 * time.Millisecond

	// longestPoint bounds the time counted toward the budget for one point in one round.
	longestPoint = time.Second
)

type point struct {
	cost.Operation
	index int       // in the table of its kind
	about float64   // seconds, predicted by the built-in rates
	costs []float64 // as in the table, one for each completed round
}

type measurement struct {
	rates  *Rates
	like   *Rates  // the built-in rates, for operations that are not measured
	points []point // the shortest first, so that a slow machine leaves out the longest
	spent  time.Duration
	peaks  []float64
	looked time.Time // when the last peak was measured
}

// Measure measures the rates of b (nil means blskernel.Default()) with the current number of threads,
// and writes the rates file of this machine. It continues an interrupted measurement.
func Measure(ctx context.Context, b blskernel.Backend, progress func(done float64)) (*Rates, error) {
	return measure(ctx, b, Budget, progress)
}

func measure(ctx context.Context, b blskernel.Backend, budget time.Duration, progress func(done float64)) (*Rates, error) {
	b = backend.Or(b)
	if progress == nil {
		progress = func(float64) {}
	}
	m := newMeasurement(b)
	w := newWorkspace(b)
	for round := range rounds {
		for i := range m.points {
			p := &m.points[i]
			if len(p.costs) > round {
				continue // measured by an earlier call
			}
			if m.spent >= budget*time.Duration(round+2)/(rounds+1) { // the first round takes longest
				break
			}
			if interrupt.Check(ctx) != nil {
				m.keep()
				return nil, context.Cause(ctx)
			}
			began := time.Now()
			m.measure(w, p)
			m.spent += min(time.Since(began), longestPoint) // the process may have been suspended
			progress(float64(round*len(m.points)+i+1) / float64(rounds*len(m.points)))
		}
	}
	progress(1)
	return m.finish(), nil
}

func newMeasurement(b blskernel.Backend) *measurement {
	m := &measurement{rates: newRates(b), like: builtIn(b)}
	for kind, o := range operations {
		t := newTable(o.axes)
		m.rates.tables[kind] = t
		for i := range t.cost {
			_, s := t.point(i)
			p := point{Operation: cost.Operation{Kind: kind, M: s[0], N: s[1], K: s[2]}, index: i}
			if amount := p.Amount(); !(amount > 0 && amount <= o.maxFlops) || max(p.M*p.N, p.N*p.K, p.M*p.K) > maxNumbers {
				continue
			}
			p.about = m.like.seconds(p.Operation)
			m.points = append(m.points, p)
		}
	}
	slices.SortFunc(m.points, func(a, b point) int {
		return cmp.Or(cmp.Compare(a.about, b.about), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.index, b.index))
	})
	m.resume()
	return m
}

func (m *measurement) measure(w *workspace, p *point) {
	if time.Since(m.looked) > peakInterval {
		m.peaks = append(m.peaks, Peak())
		m.looked = time.Now()
	}
	call := w.call(p.Operation)
	if call == nil {
		return
	}
	c := typical(call) / p.Amount()
	if computes(p.Kind) {
		c *= m.peaks[len(m.peaks)-1]
	}
	p.costs = append(p.costs, rounded(c))
}

// Peak takes the best of three measurements, since workers poll for a while after a product and may
// occupy a CPU.
func Peak() float64 {
	best := 0.0
	for range 3 {
		best = max(best, blskernel.Peak(threads()))
	}
	return best
}

func threads() int { return min(blskernel.Threads(), runtime.GOMAXPROCS(0), runtime.NumCPU()) }

// rounded rounds x to three significant digits, which keeps files short.
func rounded(x float64) float64 {
	short, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 2, 64), 64)
	return short
}

// finish fills and saves the tables. Points for which there was no time get the built-in costs.
func (m *measurement) finish() *Rates {
	r := m.rates
	for _, p := range m.points {
		if len(p.costs) == 0 {
			p.costs = []float64{p.about * m.like.scale(p.Kind) / p.Amount()}
		}
		r.tables[p.Kind].cost[p.index] = p.typicalCost()
	}
	for _, t := range r.tables {
		t.fill()
	}
	if len(m.peaks) == 0 {
		m.peaks = []float64{Peak()}
	}
	r.peak = median(m.peaks)
	if r.Unsaved = r.save(vfs.OS); r.Unsaved == nil {
		name, _ := r.file()
		_ = os.Remove(name + unfinished)
	}
	return r
}

// typicalCost returns the median of the rounds, or the minimum for new storage. A virtual machine may
// have to get pages back from its host, which takes many times as long but is rare in updates.
func (p *point) typicalCost() float64 {
	if p.Kind == cost.Fresh {
		return slices.Min(p.costs)
	}
	return median(p.costs)
}

const unfinished = ".part"

// A part is the content of the file of an unfinished measurement.
type part struct {
	Key   string
	Spent time.Duration
	Peaks []float64
	Costs [][]float64 // the costs of each point, by rounds
}

// keep saves the measurements so far. If that fails, the next call measures them again.
func (m *measurement) keep() {
	f := part{Key: m.rates.key(), Spent: m.spent, Peaks: m.peaks}
	for _, p := range m.points {
		f.Costs = append(f.Costs, p.costs)
	}
	_ = m.rates.write(vfs.OS, unfinished, f)
}

func (m *measurement) resume() {
	var f part
	if m.rates.read(unfinished, &f) != nil || f.Key != m.rates.key() || len(f.Costs) != len(m.points) ||
		!positive(f.Peaks) || !positive(slices.Concat(f.Costs...)) || f.Spent < 0 || f.Spent > Budget {
		return
	}
	m.spent, m.peaks = f.Spent, f.Peaks
	for i := range m.points {
		m.points[i].costs = f.Costs[i]
	}
}

func typical(call func() time.Duration) float64 {
	for began, n := time.Now(), 0; n == 0 || n < maxWarm && time.Since(began) < warmTime; n++ {
		call()
	}
	var times []float64
	for began := time.Now(); len(times) == 0 || len(times) < maxCalls && time.Since(began) < maxTime; {
		times = append(times, call().Seconds())
	}
	return max(median(times), 1e-9)
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}
