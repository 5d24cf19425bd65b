package scaleout

import (
	"context"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// The counters of a pipeline, which runners report under MetricsNamespace. If a bundle is repeated, a
// runner that distinguishes the attempts reports the sum of all and that of the one whose outputs are
// used: CounterResult.Attempted and Committed of Beam. No result of a pipeline depends on a counter.
const (
	MetricsNamespace = "blskernel"

	// MetricRows counts the samples that states have learned.
	MetricRows = "rows"
	// MetricBad counts the rows and files that Read sets aside, and MetricBadFiles the files among
	// them.
	MetricBad      = "bad"
	MetricBadFiles = "bad_files"
	// MetricDropped counts the rows with a missing cell that the model leaves out, and MetricFilled
	// the missing cells that it fills in. MetricUnknown begins the name of the counter of each
	// column of words, for those that the model does not know.
	MetricDropped = "dropped"
	MetricFilled  = "filled"
	MetricUnknown = "unknown "
	// MetricKernelNanoseconds is the time in features, states, mergers and the solution for the
	// weights, summed over all workers.
	MetricKernelNanoseconds = "kernel_ns"
	// MetricStateBytes counts the bytes of the encoded states that enter each level of Merge. They
	// go through the shuffle, unless a runner merges the states of a bundle before it.
	MetricStateBytes = "state_bytes"
)

var (
	rowsCounter       = beam.NewCounter(MetricsNamespace, MetricRows)
	badCounter        = beam.NewCounter(MetricsNamespace, MetricBad)
	badFilesCounter   = beam.NewCounter(MetricsNamespace, MetricBadFiles)
	droppedCounter    = beam.NewCounter(MetricsNamespace, MetricDropped)
	filledCounter     = beam.NewCounter(MetricsNamespace, MetricFilled)
	kernelCounter     = beam.NewCounter(MetricsNamespace, MetricKernelNanoseconds)
	stateBytesCounter = beam.NewCounter(MetricsNamespace, MetricStateBytes)
)

// countKernel counts the time since begun.
func countKernel(ctx context.Context, begun time.Time) {
	kernelCounter.Inc(ctx, int64(time.Since(begun)))
}
