package scaleout

import (
	"context"
	"fmt"
	"slices"

	"blskernel/scaleout/internal/beamfile"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	register.DoFn3x1[context.Context, []byte, func(Shard), error](&matchFn{})
	register.Emitter1[Shard]()
}

// Match lists the files of patterns, globs of Beam's file systems, and returns a PCollection<Shard>,
// shuffled so that any worker may get any shard. The n-th file of targets has the labels or targets of
// the n-th file of patterns. Files of a pattern come in the order of their names, patterns in the order
// given.
//
//	panics: without a pattern, and for a scheme whose file system is not linked into the program.
//	errors, of the pipeline: a pattern without a file; a folder of this machine; a file of two
//	patterns, which would be learned twice; another number of targets than of files.
func Match(s beam.Scope, patterns, targets []string) beam.PCollection {
	s = s.Scope("scaleout.Match")
	if len(patterns) == 0 {
		panic("scaleout: no file is given")
	}
	for _, pattern := range slices.Concat(patterns, targets) {
		filesystem.ValidateScheme(pattern)
	}
	shards := beam.ParDo(s, &matchFn{Patterns: patterns, Targets: targets}, beam.Impulse(s))
	return beam.Reshuffle(s, shards)
}

// A matchFn lists files.
type matchFn struct {
	Patterns, Targets []string
}

// ProcessElement emits the shards.
func (fn *matchFn) ProcessElement(ctx context.Context, _ []byte, emit func(Shard)) error {
	paths, err := list(ctx, fn.Patterns)
	if err != nil {
		return err
	}
	targets, err := list(ctx, fn.Targets)
	if err != nil {
		return err
	}
	if len(fn.Targets) > 0 && len(targets) != len(paths) {
		return fmt.Errorf("scaleout: %d files of samples and %d of targets: each file of samples has to have one of targets, in the same order", len(paths), len(targets))
	}
	for i, path := range paths {
		shard := Shard{Path: path}
		if len(targets) > 0 {
			shard.Targets = targets[i]
		}
		emit(shard)
	}
	return nil
}

// list returns the files of the patterns.
func list(ctx context.Context, patterns []string) ([]string, error) {
	var paths []string
	by := map[string]string{} // the pattern of each file, by its identity
	for _, pattern := range patterns {
		files, err := beamfile.List(ctx, pattern)
		if err != nil {
			return nil, fmt.Errorf("scaleout: listing %s: %w", pattern, err)
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("scaleout: no file matches %s", pattern)
		}
		for _, file := range files {
			same := beamfile.Resolve(file)
			if before, twice := by[same]; twice {
				return nil, fmt.Errorf("scaleout: the file %s is named twice, by %s and by %s, and would be learned twice", file, before, pattern)
			}
			by[same] = pattern
		}
		paths = append(paths, files...)
	}
	return paths, nil
}
