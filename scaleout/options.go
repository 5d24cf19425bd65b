package scaleout

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"blskernel/dataset/stream"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// Options are the settings of FitGram and FitQR. Model is required; the zero Lambda is a ridge of 0.
type Options struct {
	// Model is the path, in any file system of Beam, of the model file with the feature maps:
	// `blskernel train` makes it from a sample of the data. The fit does not include what it has
	// learned. The program that builds the pipeline reads the file, and each worker process reads
	// it once and refuses another one.
	Model string

	// Lambda is the ridge of the fit, added once; negative for that of Model.
	Lambda float64

	// FanIn is the mean number of states that Merge adds into one on each level of its tree, at
	// least 2; 0 for 8.
	FanIn int

	// States is about the number of states, which determines the height of the tree: at most one
	// for each bundle, so at most the number of shards. 0 for 64. It affects only the speed.
	States int

	// SkipBad is the most lines that Bad may have; more are an error before the model is solved.
	SkipBad int64

	// Bad is the second result of Read. Without it SkipBad has no effect.
	Bad beam.PCollection

	// Created is the time of creation in the model file. The pipeline fixes it, so that a repeated
	// step writes the same bytes. Zero for the present time.
	Created time.Time

	// Software is the program that the model file names, with its version; empty for
	// "blskernel/scaleout".
	Software string
}

const (
	defaultFanIn    = 8
	defaultStates   = 64
	defaultSoftware = "blskernel/scaleout"
)

// resolve returns the options with the defaults in place of zeros. It panics if they are invalid.
func (o Options) resolve() Options {
	checkOptions(o.Model, o.SkipBad)
	switch {
	case math.IsNaN(o.Lambda) || math.IsInf(o.Lambda, 0):
		panic(fmt.Errorf("scaleout: lambda is %v; want a finite number, negative for that of the model", o.Lambda))
	case o.FanIn < 0 || o.FanIn == 1:
		panic(fmt.Errorf("scaleout: the fan-in is %d; want 2 or more, or 0 for %d", o.FanIn, defaultFanIn))
	case o.States < 0:
		panic(fmt.Errorf("scaleout: the number of states is %d; want 0 or more", o.States))
	}
	o.FanIn = cmp.Or(o.FanIn, defaultFanIn)
	o.States = cmp.Or(o.States, defaultStates)
	o.Software = cmp.Or(o.Software, defaultSoftware)
	if o.Created.IsZero() {
		o.Created = time.Now()
	}
	o.Created = o.Created.UTC()
	return o
}

// ReadOptions select the data of the shards. Model is required. Fields with names of stream.Options
// have the same meaning, for every shard.
type ReadOptions struct {
	// Model is the model file of Options: it has the labels and the inputs, with their names.
	Model string

	// Batch is the number of rows of a batch; 0 for 4096, or fewer if their inputs take more than
	// 32 MB.
	Batch int

	// SkipBad is the most bad rows and files that Read sets aside in a shard. With 0 the first is
	// an error, and each file is read once. Else each is read twice, first to be checked, so that
	// nothing of a damaged file is learned, and the nodes of each sample are computed twice.
	// Options.SkipBad bounds the sum over all shards.
	SkipBad int64

	// KnownLabels makes a label that is none of the model's a bad row. Else it is a new class,
	// unless the model file is of version 1.
	KnownLabels bool

	Format     stream.Format // of the samples, not of files of targets
	Comma      rune          // of texts
	InputArray string        // of .npz files

	// Header is that of texts. Set stream.HeaderAbsent if they have none: HeaderAuto takes a first
	// line with a bad number for the names of the columns.
	Header stream.Header

	// Inputs and Targets choose the columns. By default they are those with the names of the model,
	// in any order; a model without names takes all but the targets as inputs. Given columns keep
	// their order, unless their names are those of the model: then they take its order.
	Inputs, Targets []string

	Exclude []string // columns that are no inputs
}

const (
	mostBatch  = 4096
	batchBytes = 32 << 20
)

// rows returns the number of rows of a batch of d inputs.
func (o *ReadOptions) rows(d int) int {
	return cmp.Or(o.Batch, max(1, min(mostBatch, batchBytes/(8*d))))
}

// checkOptions panics if options that Options and ReadOptions share are invalid.
func checkOptions(model string, skipBad int64) {
	switch {
	case model == "":
		panic(fmt.Errorf("scaleout: no model; name the file with the feature maps"))
	case skipBad < 0:
		panic(fmt.Errorf("scaleout: the limit of bad rows and files is %d; want 0 or more", skipBad))
	}
}
