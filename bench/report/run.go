package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"blskernel/bench/result"
)

// A run is all that was measured of a table at one place.
type run struct {
	setting
	place
	versions
	methods []string // in the order in which they came
	passes  []*pass
}

// joinRuns collects the tables of all files by setting and place, in order of table. Each table line
// and seed is a pass of its own, unless it goes on with one above it in the same file, so that no ratio
// is of times of two runs; of a step that was measured twice in a pass by one method the later one
// counts.
func joinRuns(files []*result.File, at places) []*run {
	type key struct {
		setting
		place
	}
	runs := map[key]*run{}
	var all []*run
	for _, f := range files {
		under := map[key]map[uint64]*pass{} // the last passes in this file
		for _, t := range f.Tables {
			if len(t.Rows) == 0 {
				continue
			}
			k := key{settingOf(t.TableHead), at.of(t.Machine)}
			r := runs[k]
			if r == nil {
				r = &run{setting: k.setting, place: k.place}
				runs[k] = r
				all = append(all, r)
			}
			r.versions.add(t.Machine.Version)
			for _, m := range t.Continued {
				r.versions.add(m.Version)
			}
			if under[k] == nil {
				under[k] = map[uint64]*pass{}
			}
			r.add(t, under[k])
		}
	}
	for _, r := range all {
		for _, p := range r.passes {
			p.shareStart()
		}
	}
	slices.SortStableFunc(all, func(a, b *run) int {
		return cmp.Or(cmp.Compare(a.table, b.table), cmp.Compare(b.scale, a.scale))
	})
	return all
}

// add adds the rows of a table to the last passes of the file, by seed, where they go on with them, and
// else to new ones.
func (r *run) add(t result.Table, under map[uint64]*pass) {
	for _, m := range t.Methods {
		if !slices.Contains(r.methods, m) {
			r.methods = append(r.methods, m)
		}
	}
	planner := t.Planner
	if !slices.Contains(t.Methods, planner) {
		planner = ""
	}
	seen := map[uint64]bool{}
	for _, row := range t.Rows {
		p := under[row.Seed]
		if p == nil || !seen[row.Seed] && row.Step <= p.last() {
			p = &pass{seed: row.Seed, planner: planner, steps: map[int]*step{}}
			under[row.Seed] = p
			r.passes = append(r.passes, p)
		}
		seen[row.Seed] = true
		p.add(row)
	}
}

// base returns the method of a variant such as improved/small.
func base(method string) string {
	name, _, _ := strings.Cut(method, "/")
	return name
}

// variants returns the methods that are the given one in some form.
func (r *run) variants(method string) []string {
	var of []string
	for _, m := range r.methods {
		if base(m) == method {
			of = append(of, m)
		}
	}
	return of
}

// planners names what the planner chose, or is empty where it was not run.
func (r *run) planners() string {
	var names []string
	for _, p := range r.passes {
		if p.planner != "" && !slices.Contains(names, p.planner) {
			names = append(names, p.planner)
		}
	}
	return strings.Join(names, " or ")
}

// last returns the last step that any pass has.
func (r *run) last() int {
	last := 0
	for _, p := range r.passes {
		last = max(last, p.last())
	}
	return last
}

// samples returns l after a step, or 0 where none has it.
func (r *run) samples(n int) int {
	for _, p := range r.passes {
		if s := p.steps[n]; s != nil {
			return s.samples
		}
	}
	return 0
}

// sums returns the sum of f over the steps from first to last, for each pass that has them all without
// an interruption.
func (r *run) sums(first, last int, f func(*step) (float64, bool)) []float64 {
	return r.sumsIf(func(p *pass) bool { return p.rebuilt(first, last) == 0 }, first, last, f)
}

// sumsAcross is sums with interrupted passes.
func (r *run) sumsAcross(first, last int, f func(*step) (float64, bool)) []float64 {
	return r.sumsIf(func(*pass) bool { return true }, first, last, f)
}

func (r *run) sumsIf(use func(*pass) bool, first, last int, f func(*step) (float64, bool)) (all []float64) {
	for _, p := range r.passes {
		if v, ok := p.sum(first, last, f); ok && use(p) {
			all = append(all, v)
		}
	}
	return all
}

// medianRatio returns the median over the passes of the ratio of two sums of steps, or NaN.
func (r *run) medianRatio(first, last int, over, under func(*step) (float64, bool)) float64 {
	var all []float64
	for _, p := range r.passes {
		v, ok := p.sum(first, last, over)
		w, too := p.sum(first, last, under)
		if ok && too && w > 0 && p.rebuilt(first, last) == 0 {
			all = append(all, v/w)
		}
	}
	return median(all)
}

// spread writes times of runs: of several the median, with the least and the most.
func spread(seconds []float64) string {
	if len(seconds) == 0 {
		return absent
	}
	if len(seconds) == 1 {
		return significant(seconds[0]) + "\u00a0s"
	}
	ends := between(seconds, significant)
	if !strings.Contains(ends, " ") {
		return fmt.Sprintf("%s\u00a0s (in each of %d runs)", ends, len(seconds))
	}
	return fmt.Sprintf("%s\u00a0s (median of %d runs, which take %s\u00a0s)", significant(median(seconds)), len(seconds), ends)
}

// against returns, for each update that has both, the time of one thing over that of another.
func (r *run) against(over, under func(*step) (float64, bool)) []float64 {
	var ratios []float64
	for n := 1; n <= r.last(); n++ {
		if v := r.medianRatio(n, n, over, under); !math.IsNaN(v) {
			ratios = append(ratios, v)
		}
	}
	return ratios
}

// missing names the passes that were interrupted, not continued, or continued with rebuilt states.
func (r *run) missing() string {
	var says []string
	for _, p := range r.passes {
		last := p.last()
		if last < r.updates {
			says = append(says, fmt.Sprintf("This run was interrupted: seed %d ends after update %d of %d.", p.seed, last, r.updates))
		}
		if n := p.rebuilt(0, last); n > 0 {
			says = append(says, fmt.Sprintf("Seed %d went on from update %d with rebuilt states; totals across that are marked, and not compared.", p.seed, n))
		}
	}
	return strings.Join(says, " ")
}

// rebuiltAt tells whether any pass has states that were built anew before a step.
func (r *run) rebuiltAt(n int) bool {
	return slices.ContainsFunc(r.passes, func(p *pass) bool { return p.steps[n] != nil && p.steps[n].rebuilt })
}
