package predict

import (
	"math"
	"testing"

	"blskernel/bls/model"
	"blskernel/internal/io/npy"
)

// TestNPYHeader checks that the header has the same length for any number of rows. The last one then
// fits in the place of the first.
func TestNPYHeader(t *testing.T) {
	for descr, columns := range map[string]int{npy.Text(math.MaxInt32): 0, npy.Float64: model.MaxClasses} {
		for _, rows := range []int{0, 1, 99999, math.MaxInt} {
			if h := npyHeader(descr, rows, columns); len(h) != 128 {
				t.Errorf("%q has %d bytes", h, len(h))
			}
		}
	}
}
