package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
)

// level is how improbable a sign test has to find as many rounds below the tolerance as there were, if
// nothing were lost.
const level = 0.01

// mostRepeated is how many groups are measured again in an attempt, those that lost the most.
const mostRepeated = 8

// longer is how many times the rounds of the first attempt later ones have.
const longer = 3

// A verdict is what is said of a cell.
type verdict string

const (
	kept     verdict = "kept"
	cleared  verdict = "cleared"  // suspicious at first, and not when it was measured again
	doubtful verdict = "doubtful" // suspicious to the end, without being certain
	lost     verdict = "lost"
	busy     verdict = "busy"    // it could not be measured, at first or again: others had the CPUs
	unknown  verdict = "unknown" // there is no baseline
)

// An outcome is what was measured of a cell.
type outcome struct {
	cell
	base     ratios
	now      ratios  // medians of the last attempt
	share    float64 // of its ratio that it has kept, by the reference that is kinder; 0 without a baseline
	rounds   int     // of all attempts
	attempts int
	verdict  verdict
}

// A gate compares with baselines.
type gate struct {
	groups   []group
	baseline map[cell]ratios
	measure  func(ctx context.Context, g group, kernels []string, rounds int) (map[string]series, error)
	kernels  []string

	rounds, attempts int
	tolerance        float64
	log              io.Writer // of what comes now
}

// suspect is a cell under way. The sign test has the rounds of what was measured again only: among many
// cells those of the first attempt are suspicious by choice.
type suspect struct {
	outcome
	again series
}

// run measures every group, and again what is suspicious.
func (g *gate) run(ctx context.Context) ([]outcome, error) {
	var cells []*suspect
	for i, gr := range g.groups {
		fmt.Fprintf(g.log, "gate: %d of %d: %s, threads %d\n", i+1, len(g.groups), gr.task.name, gr.threads)
		measured, err := g.measure(ctx, gr, g.kernels, g.rounds)
		if err != nil {
			return nil, err
		}
		for _, k := range g.kernels {
			of, ok := measured[k]
			if !ok {
				continue
			}
			c := cell{gr.task.name, gr.threads, k}
			s := &suspect{outcome: outcome{cell: c, base: g.baseline[c], verdict: unknown}}
			if s.base != (ratios{}) {
				s.verdict = kept
			}
			g.judge(s, of, kept)
			cells = append(cells, s)
		}
	}
	for range g.attempts - 1 {
		if err := g.repeat(ctx, cells); err != nil {
			return nil, err
		}
	}
	var all []outcome
	for _, s := range cells {
		switch {
		case s.verdict != doubtful:
		case s.attempts >= g.attempts && g.certain(s):
			s.verdict = lost
		case s.attempts == 1 && s.share >= 1-g.tolerance: // others were looked at again in its place
			s.verdict = kept
		}
		all = append(all, s.outcome)
	}
	return all, nil
}

// judge adds an attempt to a cell, which is doubtful if it is suspicious, and otherwise as given.
func (g *gate) judge(s *suspect, of series, otherwise verdict) {
	s.attempts++
	s.rounds += len(of[byPeak])
	if len(of[byPeak]) == 0 {
		if s.verdict != unknown {
			s.verdict = busy
		}
		return
	}
	s.share = 0
	compared := false
	for r := range references {
		if s.attempts > 1 || g.attempts == 1 {
			s.again[r] = append(s.again[r], of[r]...)
		}
		if s.now[r] = 0; len(of[r]) == 0 {
			continue
		}
		s.now[r] = median(of[r])
		if s.base[r] == 0 {
			continue
		}
		s.share = max(s.share, s.now[r]/s.base[r]) // or NaN
		compared = true
	}
	switch {
	case s.verdict == unknown:
	case compared && !(s.share >= g.enough(s.attempts)):
		s.verdict = doubtful
	default:
		s.verdict = otherwise
	}
}

// enough returns the share that clears a cell in an attempt. In the first, of few rounds, a cell is
// looked at again from half of the tolerance on, so that noise in its favor does not hide what it has
// lost.
func (g *gate) enough(attempt int) float64 {
	if attempt == 1 && g.attempts > 1 {
		return 1 - g.tolerance/2
	}
	return 1 - g.tolerance
}

// certain tells whether, by every reference, so many rounds are below the tolerance as there hardly
// would be if it were kept.
func (g *gate) certain(s *suspect) bool {
	for r, of := range s.again {
		if s.base[r] == 0 || len(of) == 0 {
			continue
		}
		below := 0
		for _, v := range of {
			if !(v >= (1-g.tolerance)*s.base[r]) {
				below++
			}
		}
		if !(signTest(below, len(of)) <= level) {
			return false
		}
	}
	return true
}

// repeat measures the groups again in which cells are doubtful, on the kernels of those.
func (g *gate) repeat(ctx context.Context, cells []*suspect) error {
	type key struct {
		name    string
		threads int
	}
	of := map[key][]*suspect{}
	var order []key
	suspects := slices.DeleteFunc(slices.Clone(cells), func(s *suspect) bool { return s.verdict != doubtful })
	slices.SortStableFunc(suspects, func(a, b *suspect) int {
		// What has been measured again before goes on, as long as it is suspicious.
		return cmp.Or(cmp.Compare(b.attempts, a.attempts), cmp.Compare(a.share, b.share))
	})
	for _, s := range suspects {
		k := key{s.name, s.threads}
		if of[k] == nil {
			if len(order) == mostRepeated {
				continue
			}
			order = append(order, k)
		}
		of[k] = append(of[k], s)
	}
	for _, gr := range g.groups {
		again := of[key{gr.task.name, gr.threads}]
		if len(again) == 0 {
			continue
		}
		kernels := slices.DeleteFunc(slices.Clone(g.kernels), func(k string) bool {
			return !slices.ContainsFunc(again, func(s *suspect) bool { return s.kernel == k })
		})
		fmt.Fprintf(g.log, "gate: again: %s, threads %d, kernels %v\n", gr.task.name, gr.threads, kernels)
		measured, err := g.measure(ctx, gr, kernels, longer*g.rounds)
		if err != nil {
			return err
		}
		for _, s := range again {
			g.judge(s, measured[s.kernel], cleared)
		}
	}
	return nil
}

// passes is how often everything is measured for a baseline, at different times.
const passes = 3

// baselines returns the medians over the rounds of all passes, of the cells that could be measured, and tells which could
// not. It is an error where none could.
func (g *gate) baselines(ctx context.Context) (map[cell]ratios, error) {
	all := map[cell]series{}
	for pass := range passes {
		for i, gr := range g.groups {
			fmt.Fprintf(g.log, "gate: pass %d of %d, %d of %d: %s, threads %d\n", pass+1, passes, i+1, len(g.groups), gr.task.name, gr.threads)
			measured, err := g.measure(ctx, gr, g.kernels, g.rounds)
			if err != nil {
				return nil, err
			}
			for k, of := range measured {
				c := cell{gr.task.name, gr.threads, k}
				sum := all[c]
				for r := range references {
					sum[r] = append(sum[r], of[r]...)
				}
				all[c] = sum
			}
		}
	}
	medians := map[cell]ratios{}
	var busy []cell
	for c, of := range all {
		if len(of[byPeak]) == 0 {
			busy = append(busy, c)
			continue
		}
		var m ratios
		for r := range references {
			if len(of[r]) > 0 {
				m[r] = median(of[r])
			}
		}
		medians[c] = m
	}
	if len(medians) == 0 {
		return nil, errors.New("there were not enough rounds in which no other process had the CPUs")
	}
	slices.SortFunc(busy, func(a, b cell) int { return cmp.Compare(a.String(), b.String()) })
	for _, c := range busy {
		fmt.Fprintf(g.log, "gate: warning: %v: others had the CPUs in too many rounds: it has the baseline that it had, or none\n", c)
	}
	return medians, nil
}
