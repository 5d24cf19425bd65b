package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"blskernel/blsupdate"
	"blskernel/scaleout"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	register.DoFn4x0[context.Context, []byte, func(*scaleout.Shard) bool, func(scaleout.Shard)](&shareFn{})
	register.Iter1[scaleout.Shard]()
}

// build makes the pipeline. few says that the runner makes few bundles of many shards, so that one
// level of merging does.
//
//	errors: those of the options, and of a model that cannot be read.
func (set *settings) build(few bool) (*beam.Pipeline, error) {
	reading, err := set.read()
	if err != nil {
		return nil, err
	}
	p := beam.NewPipeline()
	s := p.Root()
	method, opt := set.fit()
	opt.States = set.files // at most, since a bundle has at least one
	if few {
		opt.States = max(1, opt.FanIn)
	}
	shards := scaleout.Match(s, set.patterns, set.targets)
	var model beam.PCollection
	if set.workers == 1 {
		batches, bad, err := scaleout.TryRead(s, shards, reading)
		if err != nil {
			return nil, err
		}
		opt.Bad = bad
		fit := scaleout.TryFitGram
		if method == blsupdate.QR {
			fit = scaleout.TryFitQR
		}
		if model, err = fit(s, batches, opt); err != nil {
			return nil, err
		}
	} else if model, err = set.branches(s, shards, reading, method, &opt); err != nil {
		return nil, err
	}
	scaleout.Write(s, set.out, model)
	if set.badOut != "" {
		writeBad(s, set.badOut, opt.Bad)
	}
	return p, nil
}

// branch names the scope of a branch, from 0.
func branch(i int) string { return fmt.Sprintf("branch %d", i) }

// branches fits the model along as many branches as there are workers: each reads its share of the
// shards and makes one state of them, in a scope of its own, and the states of all are solved together.
func (set *settings) branches(s beam.Scope, shards beam.PCollection, reading scaleout.ReadOptions, method blsupdate.Method, opt *scaleout.Options) (beam.PCollection, error) {
	var states, bad []beam.PCollection
	for i := range set.workers {
		s := s.Scope(branch(i))
		share := beam.ParDo(s, &shareFn{Index: i, Of: set.workers}, beam.Impulse(s), beam.SideInput{Input: shards})
		batches, skipped, err := scaleout.TryRead(s, beam.Reshuffle(s, share), reading)
		if err != nil {
			return beam.PCollection{}, err
		}
		states = append(states, scaleout.Merge(s, scaleout.States(s, method, batches, *opt), *opt))
		bad = append(bad, skipped)
	}
	opt.Bad = beam.Flatten(s, bad...)
	return scaleout.Solve(s, beam.Flatten(s, states...), *opt), nil
}

// A shareFn hands out the shards of a branch: every n-th, in the order of their paths, so that a branch
// that is run again has the same.
type shareFn struct {
	Index, Of int
}

// ProcessElement hands out shards.
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
