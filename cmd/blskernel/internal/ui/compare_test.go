package ui

import (
	"testing"
)

func TestRidge(t *testing.T) {
	for _, tc := range []struct{ in, out string }{
		{"0", "0"}, {"2^-30", "2^-30"}, {"9.313225746154785e-10", "2^-30"}, {"1e-6", "1e-06"}, {"0.5", "0.5"}, {"1", "1"}, {"2", "2"},
		{"2^0", "1"}, {"2^-1074", "5e-324"}, {"2^-1000", "2^-1000"}, {"0.1", "0.1"}, {"3e300", "3e+300"},
	} {
		var r Ridge
		if err := r.Set(tc.in); err != nil || r.String() != tc.out {
			t.Errorf("%s becomes %s (%v); want %s", tc.in, &r, err, tc.out)
		}
		var again Ridge
		if err := again.Set(r.String()); err != nil || again != r {
			t.Errorf("%s is read as %v (%v); want %v", &r, float64(again), err, float64(r))
		}
	}
	for _, bad := range []string{"", "x", "-1", "NaN", "Inf", "1e999", "2^", "2^x", "2^1024", "2^-1.5"} {
		r := Ridge(7)
		if err := r.Set(bad); err == nil || r != 7 {
			t.Errorf("%q is taken for %v (%v)", bad, float64(r), err)
		}
	}
}
