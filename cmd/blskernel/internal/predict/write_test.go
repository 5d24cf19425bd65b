package predict

import (
	"math"
	"testing"

	"blskernel/bls/model"
	"blskernel/internal/io/npy"
)

// TestNPYHeader has headers of the same length for all numbers of rows, so that the last one fits into
// the place of the first.
func TestNPYHeader(t *testing.T) {
	for descr, columns := range map[string]int{npy.Text(math.MaxInt32): 0, npy.Float64: model.MaxClasses} {
		for _, rows := range []int{0, 1, 99999, math.MaxInt} {
			if h := npyHeader(descr, rows, columns); len(h) != 128 {
				t.Errorf("%q has %d bytes", h, len(h))
			}
		}
	}
}
