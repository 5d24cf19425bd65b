package scaleout

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"blskernel/blsupdate"
	"blskernel/dataset/stream"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// Options are the settings of a fit. Model and Out are required; a Lambda of 0 means no ridge. Paths
// name files on Beam's file systems, such as "gs://bucket/x.npy"; a path without a scheme is local. A
// field with the name of a field of stream.Options has the same meaning, for every file.
type Options struct {
	// Model is the path of the model file with the feature maps, the labels and the inputs:
	// `blskernel train` makes it from a sample of the data. The fit does not include the rows that
	// this model has learned. The program that builds the pipeline reads the file. Each worker
	// process reads it once, and fails if the file has changed.
	Model string

	// Out is the path of the model file to write. An existing file is replaced as a whole.
	Out string

	// Method is Gram, which is the default, or QR, whose errors grow with the condition number of
	// the nodes instead of its square.
	Method blsupdate.Method

	// Lambda is the ridge of the fit, added once. A negative value stands for the ridge of Model.
	Lambda float64

	// States is the approximate number of states, which determines the height of the tree that
	// merges them. There is at most one state for each bundle, so at most as many states as files.
	// 0 means 64. States affects only the speed.
	States int

	// SkipBad is the maximum number of bad rows to set aside; more are an error. BadOut is the path
	// of a file that lists these rows; if BadOut is empty, no list is written.
	SkipBad int64
	BadOut  string

	// KnownLabels makes a row bad if the model lacks its label, instead of adding a new class.
	KnownLabels bool

	// Created is the time of creation in the model file. The pipeline fixes it, so that a repeated
	// step writes the same bytes. Zero means the current time.
	Created time.Time

	// Software is the name and version of the program that the model file records. Empty means
	// "blskernel/scaleout".
	Software string

	// Batch is the number of rows in a batch. 0 means 4096, or fewer if their inputs exceed 32 MiB.
	Batch int

	Format     stream.Format // the format of the sample files, not of the target files
	Comma      rune          // between the cells of CSV files; 0 detects it from the first line
	InputArray string        // the name of the input array in .npz files

	// Header says whether CSV files begin with the names of their columns. Set stream.HeaderAbsent
	// if they do not: HeaderAuto treats a first line with a bad number as names.
	Header stream.Header

	// Inputs and Targets choose the columns, by default by the names in the model, in any order. A
	// model without names takes every column but the targets as an input. Columns given here keep
	// their order, unless they have the names of the model: then they take the order of the model.
	Inputs, Targets []string

	Exclude []string // columns that are not inputs
}

const (
	defaultStates   = 64
	defaultSoftware = "blskernel/scaleout"
	maxBatch        = 4096
	batchBytes      = 32 << 20
)

// resolve returns the options with defaults for zero fields. It panics if an option is invalid.
func (o Options) resolve() Options {
	o.Method = cmp.Or(o.Method, blsupdate.Gram)
	switch {
	case o.Model == "":
		panic(fmt.Errorf("scaleout: Options.Model is empty; want the path of the model file with the feature maps"))
	case o.Out == "":
		panic(fmt.Errorf("scaleout: Options.Out is empty; want the path of the model file to write"))
	case o.Method != blsupdate.Gram && o.Method != blsupdate.QR:
		panic(fmt.Errorf("scaleout: Options.Method is %v; want gram or qr", o.Method))
	case math.IsNaN(o.Lambda) || math.IsInf(o.Lambda, 0):
		panic(fmt.Errorf("scaleout: Options.Lambda is %v; want a finite number; a negative one stands for the ridge of the model", o.Lambda))
	case o.States < 0:
		panic(fmt.Errorf("scaleout: Options.States is %d; want 0 or more", o.States))
	case o.SkipBad < 0:
		panic(fmt.Errorf("scaleout: Options.SkipBad is %d; want 0 or more", o.SkipBad))
	case o.Batch < 0 || o.Batch > math.MaxInt32:
		panic(fmt.Errorf("scaleout: Options.Batch is %d; want 0 to %d", o.Batch, math.MaxInt32))
	}
	filesystem.ValidateScheme(o.Out)
	if o.BadOut != "" {
		filesystem.ValidateScheme(o.BadOut)
	}
	o.States = cmp.Or(o.States, defaultStates)
	o.Software = cmp.Or(o.Software, defaultSoftware)
	if o.Created.IsZero() {
		o.Created = time.Now()
	}
	o.Created = o.Created.UTC()
	return o
}

// rows returns the number of rows in a batch with d inputs per row.
func (o *Options) rows(d int) int {
	return cmp.Or(o.Batch, max(1, min(maxBatch, batchBytes/(8*d))))
}
