package scaleout

import "github.com/apache/beam/sdks/v2/go/pkg/beam"

// The counters of a pipeline, which runners report under MetricsNamespace. If bundles are repeated, a
// runner that distinguishes attempts reports two sums: over all attempts (Beam's
// CounterResult.Attempted), and over the attempts whose outputs it used (Committed). No result of a
// pipeline depends on a counter.
const (
	MetricsNamespace = "blskernel"

	// MetricRows counts the samples that states have learned.
	MetricRows = "rows"
	// MetricBad counts the rows that are set aside.
	MetricBad = "bad"
	// MetricDropped counts the rows that are left out because of a missing cell, and MetricFilled
	// the missing cells that are filled in. MetricUnknown, followed by the name of a column of
	// words, counts the words of the column that the model does not know.
	MetricDropped = "dropped"
	MetricFilled  = "filled"
	MetricUnknown = "unknown "
)

var (
	rowsCounter    = beam.NewCounter(MetricsNamespace, MetricRows)
	badCounter     = beam.NewCounter(MetricsNamespace, MetricBad)
	droppedCounter = beam.NewCounter(MetricsNamespace, MetricDropped)
	filledCounter  = beam.NewCounter(MetricsNamespace, MetricFilled)
)
