package flagvalue

import "testing"

func TestParseRidge(t *testing.T) {
	for text, want := range map[string]float64{"0": 0, "0e5": 0, "1e-6": 1e-6, "2^-30": 0x1p-30, "2^0": 1, "2.5": 2.5} {
		if got, err := ParseRidge(text); err != nil || got != want {
			t.Errorf("%q is %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1", "NaN", "Inf", "2^", "2^x", "2^2000", "2^-2000", "1e-400", "x"} {
		if got, err := ParseRidge(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}
