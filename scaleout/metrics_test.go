package scaleout

import (
	"testing"

	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
)

// TestMetrics checks what a fit counts.
func TestMetrics(t *testing.T) {
	model := sampleFile(t, modelfile.Metadata{})
	_, result := shards(t, "npy", digits(), 6).fit(t, blsupdate.Gram, Options{Model: model, Lambda: testLambda, States: 64})
	s, err := partState(blsupdate.Gram, digits(), 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	size := int64(len(encoded(t, s)))
	// On the lowest of the two levels there is a state for each bundle, of at most 6, and on the
	// other at least one.
	if n := counter(result, MetricStateBytes); n < 2*size || n > 12*size {
		t.Errorf("%s is %d, and a state has %d bytes", MetricStateBytes, n, size)
	}
	if n := counter(result, MetricRows); n != int64(digits().Len()) {
		t.Errorf("%s is %d of %d", MetricRows, n, digits().Len())
	}
	if n := counter(result, MetricKernelNanoseconds); n <= 0 {
		t.Errorf("%s is %d", MetricKernelNanoseconds, n)
	}
	if n := counter(result, MetricBad); n != 0 {
		t.Errorf("%s is %d", MetricBad, n)
	}
}
