package scaleout

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"blskernel/scaleout/internal/beamfile"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

// A Shard is one file of samples, with a separate file of targets if there is one. Paths name files on
// Beam's file systems, such as "gs://bucket/x.npy"; a path without a scheme is local.
type Shard struct {
	Path    string // of the samples
	Targets string // of their labels or targets; empty if these are in Path
}

func init() {
	beam.RegisterType(reflect.TypeFor[Shard]())
	register.DoFn3x1[context.Context, []byte, func(Shard), error](&matchFn{})
	register.Emitter1[Shard]()
}

// match returns a PCollection<Shard> of the files that match patterns and targets. The result is
// shuffled, so that any worker may get any shard.
func match(s beam.Scope, patterns, targets []string) beam.PCollection {
	if len(patterns) == 0 {
		panic("scaleout: no patterns; give at least one pattern that names files")
	}
	for _, pattern := range slices.Concat(patterns, targets) {
		filesystem.ValidateScheme(pattern)
	}
	shards := beam.ParDo(s, &matchFn{Patterns: patterns, Targets: targets}, beam.Impulse(s))
	return beam.Reshuffle(s, shards)
}

type matchFn struct {
	Patterns, Targets []string
}

// ProcessElement emits the shards that Shards returns.
func (fn *matchFn) ProcessElement(ctx context.Context, _ []byte, emit func(Shard)) error {
	shards, err := Shards(ctx, fn.Patterns, fn.Targets)
	for _, shard := range shards {
		emit(shard)
	}
	return err
}

// Shards returns the files that Fit would read for these patterns and targets, so that a program can
// check them before it runs a pipeline.
//
//	errors: a fault of a file system, a pattern that matches no file, a local folder, a file that
//	two patterns match, or different numbers of sample files and target files.
func Shards(ctx context.Context, patterns, targets []string) ([]Shard, error) {
	paths, err := list(ctx, patterns)
	if err != nil {
		return nil, err
	}
	labels, err := list(ctx, targets)
	if err != nil {
		return nil, err
	}
	if len(targets) > 0 && len(labels) != len(paths) {
		return nil, fmt.Errorf("scaleout: the numbers of sample files and target files are %d and %d: give one target file for each sample file, in the same order",
			len(paths), len(labels))
	}
	shards := make([]Shard, len(paths))
	for i, path := range paths {
		shards[i].Path = path
		if len(targets) > 0 {
			shards[i].Targets = labels[i]
		}
	}
	return shards, nil
}

func list(ctx context.Context, patterns []string) ([]string, error) {
	var paths []string
	patternOf := map[string]string{} // each file, by its resolved path
	for _, pattern := range patterns {
		files, err := beamfile.List(ctx, pattern)
		if err != nil {
			return nil, fmt.Errorf("scaleout: listing %s: %w", pattern, err)
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("scaleout: no file matches %s: correct the pattern", pattern)
		}
		for _, file := range files {
			same := beamfile.Resolve(file)
			if before, twice := patternOf[same]; twice {
				return nil, fmt.Errorf("scaleout: the patterns %s and %s both name the file %s, which would be learned twice: name it once", before, pattern, file)
			}
			patternOf[same] = pattern
		}
		paths = append(paths, files...)
	}
	return paths, nil
}
