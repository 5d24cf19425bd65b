package scaleout

import (
	"fmt"
	"math"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// Options are the settings of FitGram and FitQR. Model must be given, and Lambda is a ridge of 0 unless
// it is.
type Options struct {
	// Model is the path, of any file system that Beam knows, of a model file that has the feature maps:
	// one by `blskernel train` on a sample of the data. What that model has learned is not part of the
	// fit. The program that builds the pipeline reads the file, and each process of the workers does,
	// once, and refuses it if it is not the same to the byte.
	Model string

	// Lambda is the ridge of the fit, which enters once, whatever the number of shards; negative for
	// that of Model.
	Lambda float64

	// FanIn is the number of states that Merge makes one of on each level of its tree, on average and
	// at least 2; 0 for 8.
	FanIn int

	// States is about how many states there are to merge, for which the tree gets the lowest height
	// that keeps to FanIn: at most one for each bundle, so not more than shards. 0 for 64. Another
	// number costs speed alone.
	States int

	// Batch is the number of rows of a batch that the model file is to name, by which `blskernel
	// update` goes on; 0 for that of Model. How batches of the pipeline are made is in ReadOptions.
	Batch int

	// SkipBad is the number of lines that Bad may have; with more the fit is an error before the model
	// is solved.
	SkipBad int64

	// Bad is what Read has returned beside the batches. Where it is not given SkipBad is not looked at.
	Bad beam.PCollection

	// Created is the time that the model file names as that of its creation. It is part of what the
	// pipeline is built of, so that a step that is run again writes the same bytes. Zero for the time
	// at which the pipeline is built.
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
		return o, fmt.Errorf("scaleout: no model: name the file that has the feature maps")
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
