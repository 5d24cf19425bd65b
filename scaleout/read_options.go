package scaleout

import (
	"errors"
	"fmt"
	"math"

	"blskernel/dataset/stream"
)

// ReadOptions say how shards are read. Model must be given; the others are those of stream.Options, by
// which every shard is read in the same way.
type ReadOptions struct {
	// Model is the model file that the samples are for: it says whether they have labels, which labels
	// there are, and how many inputs, of which names. It is that of Options.
	Model string

	// Batch is the number of rows of a batch; 0 for 4096, or for fewer where the inputs of those take
	// more than 32 MB.
	Batch int

	// SkipBad is the number of bad rows and files that are set aside in a shard before it is an error.
	// With 0 the first is one, and each file is read once; else each is read twice, first to be
	// checked, so that of a file that turns out to be damaged nothing is learned, and the nodes of each
	// sample are computed twice. Options.SkipBad is about the sum over all shards.
	SkipBad int64

	Format     stream.Format // of the samples; that of a file of targets is found by itself
	Comma      rune          // of texts
	InputArray string        // of .npz files

	// Header is that of texts. Where they have none it is better to say so, by stream.HeaderAbsent: by
	// HeaderAuto a first line with a cell that is no number is taken for the names of the columns.
	Header stream.Header

	// Inputs and Targets choose the columns. Where none are given, and the data and the model have
	// names, the columns of those names are taken, wherever they stand; else all that are no targets,
	// in their order. Columns that are given are taken in the order given, unless their names are those
	// of the model: then they are put in its order.
	Inputs, Targets []string
}

const (
	mostBatch  = 4096
	batchBytes = 32 << 20
)

// check returns an error for options that cannot be.
func (o *ReadOptions) check() error {
	switch {
	case o.Model == "":
		return errors.New("scaleout: no model: name the file that has the feature maps")
	case o.Batch < 0 || o.Batch > math.MaxInt32:
		return fmt.Errorf("scaleout: the batches have %d rows; want 0 to %d", o.Batch, math.MaxInt32)
	case o.SkipBad < 0:
		return fmt.Errorf("scaleout: the limit of bad rows and files is %d; want 0 or more", o.SkipBad)
	}
	return nil
}

// rows returns the number of rows of a batch of d inputs.
func (o *ReadOptions) rows(d int) int {
	if o.Batch > 0 {
		return o.Batch
	}
	return max(1, min(mostBatch, batchBytes/(8*d)))
}
