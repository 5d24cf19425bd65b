package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

const (
	// mostBatch is the number of rows of a batch by default: enough for products of matrices to be fast.
	mostBatch = 4096
	// batchBytes bounds the inputs of a batch by default, for data with many columns.
	batchBytes = 32 << 20
)

// batchRows is the value of --batch, 0 where it is not given.
type batchRows int

func (b *batchRows) register(cmd *cobra.Command) {
	cmd.Flags().IntVar((*int)(b), "batch", 0, fmt.Sprintf("rows of a batch; 0 for %d, or for fewer where the inputs of those take more than %d MB", mostBatch, batchBytes>>20))
}

// check says whether the value can be.
func (b batchRows) check() error {
	if b < 0 || b > mostSamples {
		return usageError{fmt.Errorf("--batch is %d; want 0 to %d", b, mostSamples)}
	}
	return nil
}

// of returns the rows of a batch of data with d inputs.
func (b batchRows) of(d int) int {
	if b > 0 {
		return int(b)
	}
	return max(1, min(mostBatch, batchBytes/(8*d)))
}
