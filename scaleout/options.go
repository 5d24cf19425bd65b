package scaleout

import (
	"fmt"
	"math"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// Options are the settings of FitGram and FitQR. Model is required; the zero Lambda is a ridge of 0.
type Options struct {
	// Model is the path, in any file system of Beam, of the model file with the feature maps: one
	// of `blskernel train` on a sample of the data, whose learning is not part of the fit. The
	// program that builds the pipeline reads the file, and each worker process reads it once and
	// refuses any other.
	Model string

	// Lambda is the ridge of the fit, added once; negative for that of Model.
	Lambda float64

	// FanIn is the mean number of states that Merge adds into one on each level of its tree, at
	// least 2; 0 for 8.
	FanIn int

	// States is about the number of states, from which the height of the tree follows: at most one
	// for each bundle, so at most that of the shards. 0 for 64. It affects only the speed.
	States int

	// Batch is the rows of a batch that the model file names, for `blskernel update`; 0 for that of
	// Model. ReadOptions has the batches of the pipeline.
	Batch int

	// SkipBad is how many lines Bad may have; more are an error before the model is solved.
	SkipBad int64

	// Bad is the second result of Read. Without it SkipBad has no effect.
	Bad beam.PCollection

	// Created is the time of creation in the model file, fixed by the pipeline, so that a repeated
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

// resolve returns the options with each zero replaced by what it stands for.
func (o Options) resolve() (Options, error) {
	switch {
	case o.Model == "":
		return o, fmt.Errorf("scaleout: no model; name the file with the feature maps")
	case math.IsNaN(o.Lambda) || math.IsInf(o.Lambda, 0):
		return o, fmt.Errorf("scaleout: lambda is %v; want a finite number, negative for that of the model", o.Lambda)
	case o.FanIn < 0 || o.FanIn == 1:
		return o, fmt.Errorf("scaleout: the fan-in is %d; want 2 or more, or 0 for %d", o.FanIn, defaultFanIn)
	case o.States < 0:
		return o, fmt.Errorf("scaleout: the number of states is %d; want 0 or more", o.States)
	case o.Batch < 0 || o.Batch > math.MaxInt32:
		return o, fmt.Errorf("scaleout: the batches have %d rows; want 0 to %d", o.Batch, math.MaxInt32)
	case o.SkipBad < 0:
		return o, fmt.Errorf("scaleout: the limit of bad rows and files is %d; want 0 or more", o.SkipBad)
	}
	if o.FanIn == 0 {
		o.FanIn = defaultFanIn
	}
	if o.States == 0 {
		o.States = defaultStates
	}
	if o.Created.IsZero() {
		o.Created = time.Now()
	}
	o.Created = o.Created.UTC()
	if o.Software == "" {
		o.Software = defaultSoftware
	}
	return o, nil
}
