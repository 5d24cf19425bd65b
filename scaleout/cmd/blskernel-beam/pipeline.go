package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"blskernel/blsupdate"
	"blskernel/scaleout"
	"blskernel/scaleout/internal/beamfile"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	register.DoFn3x1[context.Context, []byte, func(*string) bool, error](&badFn{})
}

// build makes the pipeline.
func (set *settings) build() *beam.Pipeline {
	p, s := beam.NewPipelineWithRoot()
	set.read.Model = set.model
	opt := scaleout.Options{
		Model: set.model, Lambda: set.lambda, FanIn: set.fanIn, SkipBad: set.read.SkipBad,
		Software: "blskernel-beam " + version(), Created: set.created,
		States: set.files, // at most: a bundle has at least one file
	}
	if set.runner == "prism" { // makes few bundles of many files, so one level of merging is enough
		opt.States = max(1, opt.FanIn)
	}
	shards := scaleout.Match(s, set.patterns, set.targets)
	var batches, model beam.PCollection
	batches, opt.Bad = scaleout.Read(s, shards, set.read)
	if set.method == blsupdate.QR {
		model = scaleout.FitQR(s, batches, opt)
	} else {
		model = scaleout.FitGram(s, batches, opt)
	}
	scaleout.Write(s, set.out, model)
	if set.badOut != "" {
		beam.ParDo0(s.Scope("bad rows and files"), &badFn{Path: set.badOut}, beam.Impulse(s), beam.SideInput{Input: opt.Bad})
	}
	return p
}

// version returns the version that this program was built from, or "unknown".
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "unknown"
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
		return fmt.Errorf("scaleout: --bad-out %s: %w", fn.Path, err)
	}
	return nil
}

var digits = regexp.MustCompile(`\d+`)

// sortKey pads the numbers in a line, so that line 10 of a file comes after line 9.
func sortKey(line string) string {
	return digits.ReplaceAllStringFunc(line, func(n string) string { return fmt.Sprintf("%020s", n) })
}
