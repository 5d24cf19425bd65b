package scaleout

import (
	"errors"
	"fmt"
	"math"

	"blskernel/dataset/stream"
)

// ReadOptions select the data of the shards. Model is required; fields with names of stream.Options
// mean the same, for every shard.
type ReadOptions struct {
	// Model is the model file of Options: it has the labels and the inputs, with their names.
	Model string

	// Batch is the number of rows of a batch; 0 for 4096, or for fewer where the inputs of those
	// take more than 32 MB.
	Batch int

	// SkipBad is how many bad rows and files may be set aside in a shard. With 0 the first is an
	// error, and each file is read once. Else each is read twice, first to be checked, so that
	// nothing of a damaged file is learned; the nodes of each sample are then computed twice.
	// Options.SkipBad bounds the sum over all shards.
	SkipBad int64

	Format     stream.Format // of the samples, not of files of targets
	Comma      rune          // of texts
	InputArray string        // of .npz files

	// Header is that of texts. Set stream.HeaderAbsent if they have none: HeaderAuto takes a first
	// line with a bad number for the names of the columns.
	Header stream.Header

	// Inputs and Targets choose the columns. Without them the columns with the names of the model
	// are taken, wherever they are; without names all but the targets, in their order. Given
	// columns keep their order, unless their names are those of the model: then they take its
	// order.
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
		return errors.New("scaleout: no model; name the file with the feature maps")
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
