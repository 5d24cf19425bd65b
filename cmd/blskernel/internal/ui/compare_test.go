package ui

import (
	"testing"

	"blskernel/cmd/blskernel/flagvalue"
)

// TestRidgeText checks that a ridge that is formatted and parsed again stays the same.
func TestRidgeText(t *testing.T) {
	for _, tc := range []struct{ in, out string }{
		{"0", "0"}, {"2^-30", "2^-30"}, {"9.313225746154785e-10", "2^-30"}, {"1e-6", "1e-06"}, {"0.5", "0.5"}, {"1", "1"}, {"2", "2"},
		{"2^0", "1"}, {"2^-1074", "5e-324"}, {"2^-1000", "2^-1000"}, {"0.1", "0.1"}, {"3e300", "3e+300"},
	} {
		v, err := flagvalue.ParseRidge(tc.in)
		got := RidgeText(v)
		if again, wrong := flagvalue.ParseRidge(got); err != nil || got != tc.out || wrong != nil || again != v {
			t.Errorf("%s becomes %s (%v), which is %v (%v); want %s", tc.in, got, err, again, wrong, tc.out)
		}
	}
}
