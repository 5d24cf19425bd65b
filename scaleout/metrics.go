package scaleout

import (
	"context"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// The counters of a pipeline, which runners report under MetricsNamespace. Of a bundle that is run
// again runners that tell the two apart have what all attempts counted and what the one counted whose
// outputs are used: CounterResult.Attempted and Committed of Beam. No result of a pipeline depends on a
// counter.
const (
	MetricsNamespace = "blskernel"

	// MetricRows counts the samples that states have learned.
	MetricRows = "rows"
	// MetricBad counts the rows and files that were set aside, each once, as the lines of Read's
	// second result, and MetricBadFiles the files among them.
	MetricBad      = "bad"
	MetricBadFiles = "bad_files"
	// MetricKernelNanoseconds is the time in features, states, mergers and the solution for the
	// weights, without reading and what the runner does. Workers that compute at the same time
	// count each their own, so it may be more than the time that has passed.
	MetricKernelNanoseconds = "kernel_ns"
	// MetricStateBytes counts the bytes of the encoded states that are handed to each level of
	// Merge: what goes through the shuffle, or more where a runner merges states of one bundle
	// before it.
	MetricStateBytes = "state_bytes"
)

var (
	rowsCounter       = beam.NewCounter(MetricsNamespace, MetricRows)
	badCounter        = beam.NewCounter(MetricsNamespace, MetricBad)
	badFilesCounter   = beam.NewCounter(MetricsNamespace, MetricBadFiles)
	kernelCounter     = beam.NewCounter(MetricsNamespace, MetricKernelNanoseconds)
	stateBytesCounter = beam.NewCounter(MetricsNamespace, MetricStateBytes)
)

// countKernel counts the time since begun.
func countKernel(ctx context.Context, begun time.Time) {
	kernelCounter.Inc(ctx, int64(time.Since(begun)))
}
