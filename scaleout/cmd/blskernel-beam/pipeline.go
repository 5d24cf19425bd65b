package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"blskernel/scaleout"
	"blskernel/scaleout/internal/beamfile"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	register.DoFn4x0[context.Context, []byte, func(*scaleout.Shard) bool, func(scaleout.Shard)](&shareFn{})
	register.Iter1[scaleout.Shard]()
	register.DoFn3x1[context.Context, []byte, func(*string) bool, error](&badFn{})
}

// build makes the pipeline. It has a branch for each worker, which reads its share of the shards and
// makes one state of it; the model solves for the sum of all states. few says that the runner makes few
// bundles of many shards, so that one level of merging is enough.
func (set *settings) build(few bool) *beam.Pipeline {
	p := beam.NewPipeline()
	s := p.Root()
	set.read.Model = set.model
	opt := scaleout.Options{
		Model: set.model, Lambda: set.lambda, FanIn: set.fanIn, Batch: set.read.Batch, SkipBad: set.read.SkipBad,
		Software: "blskernel-beam " + version(),
		States:   set.files, // at most: a bundle has at least one file
	}
	if few {
		opt.States = max(1, opt.FanIn)
	}
	shards := scaleout.Match(s, set.patterns, set.targets)
	var states, bad []beam.PCollection
	for i := range set.workers {
		s, share := s.Scope(branch(i)), shards
		if set.workers > 1 {
			share = beam.ParDo(s, &shareFn{Index: i, Of: set.workers}, beam.Impulse(s), beam.SideInput{Input: shards})
			share = beam.Reshuffle(s, share)
		}
		batches, skipped := scaleout.Read(s, share, set.read)
		states = append(states, scaleout.Merge(s, scaleout.States(s, set.method, batches, opt), opt))
		bad = append(bad, skipped)
	}
	opt.Bad = beam.Flatten(s, bad...)
	scaleout.Write(s, set.out, scaleout.Solve(s, beam.Flatten(s, states...), opt))
	if set.badOut != "" {
		beam.ParDo0(s.Scope("bad rows and files"), &badFn{Path: set.badOut}, beam.Impulse(s), beam.SideInput{Input: opt.Bad})
	}
	return p
}

// branch returns the name of the scope of branch i, from 0.
func branch(i int) string { return fmt.Sprintf("branch %d", i) }

// A shareFn emits the shards of a branch: every n-th one in the order of their paths, so that a
// repetition emits the same.
type shareFn struct {
	Index, Of int
}

// ProcessElement emits the shards.
func (fn *shareFn) ProcessElement(_ context.Context, _ []byte, shards func(*scaleout.Shard) bool, emit func(scaleout.Shard)) {
	var all []scaleout.Shard
	for shard := (scaleout.Shard{}); shards(&shard); {
		all = append(all, shard)
	}
	slices.SortFunc(all, func(a, b scaleout.Shard) int { return strings.Compare(a.Path, b.Path) })
	for i := fn.Index; i < len(all); i += fn.Of {
		emit(all[i])
	}
}

// A badFn writes the lines about bad rows and files to a file, in order. --skip-bad bounds their
// number.
type badFn struct {
	Path string
}

// ProcessElement writes all lines.
func (fn *badFn) ProcessElement(ctx context.Context, _ []byte, bad func(*string) bool) error {
	var lines []string
	for line := ""; bad(&line); {
		lines = append(lines, line+"\n")
	}
	slices.SortFunc(lines, func(a, b string) int { return cmp.Compare(sortKey(a), sortKey(b)) })
	if err := beamfile.Write(ctx, fn.Path, bytes.NewBufferString(strings.Join(lines, ""))); err != nil {
		return fmt.Errorf("blskernel-beam: --bad-out %s: %w", fn.Path, err)
	}
	return nil
}

var digits = regexp.MustCompile(`\d+`)

// sortKey pads the numbers in a line, so that line 10 of a file comes after line 9.
func sortKey(line string) string {
	return digits.ReplaceAllStringFunc(line, func(n string) string { return fmt.Sprintf("%020s", n) })
}
