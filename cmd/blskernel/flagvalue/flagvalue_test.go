package flagvalue

import (
	"testing"

	"blskernel/internal/io/names"
)

// check tests that parse returns the values of good, and an error for each text of bad.
func check[T comparable](t *testing.T, parse func(string) (T, error), good map[string]T, bad ...string) {
	t.Helper()
	for text, want := range good {
		if got, err := parse(text); err != nil || got != want {
			t.Errorf("%q is %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range bad {
		if got, err := parse(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

func TestParse(t *testing.T) {
	check(t, ParseComma, map[string]rune{"": 0, ",": ',', ";": ';', "tab": '\t', "TAB": '\t', `\t`: '\t', "\t": '\t', "·": '·'},
		",,", "tabs", "\"", "\n", "\r", "\xff", "\ufffd")
	check(t, ParseSign, map[string]rune{"": 0, ",": ',', "comma": ',', "Comma": ',', ".": '.', "point": '.', "space": ' ', " ": ' ', "'": '\'', "\u202f": '\u202f'},
		",,", "dot", "\xff")
	check(t, ParseRidge, map[string]float64{"0": 0, "0e5": 0, "1e-6": 1e-6, "2^-30": 0x1p-30, "2^0": 1, "2.5": 2.5},
		"", "-1", "NaN", "Inf", "2^", "2^x", "2^1024", "2^-1.5", "2^-2000", "1e999", "1e-400", "x")
}

// TestRidge checks that a ridge that is formatted and parsed again stays the same.
func TestRidge(t *testing.T) {
	for _, tc := range []struct{ in, out string }{
		{"0", "0"}, {"2^-30", "2^-30"}, {"9.313225746154785e-10", "2^-30"}, {"1e-6", "1e-06"}, {"0.5", "0.5"}, {"1", "1"}, {"2", "2"},
		{"2^0", "1"}, {"2^-1074", "5e-324"}, {"2^-1000", "2^-1000"}, {"0.1", "0.1"}, {"3e300", "3e+300"},
	} {
		v, err := ParseRidge(tc.in)
		got := names.Ridge(v)
		if again, wrong := ParseRidge(got); err != nil || got != tc.out || wrong != nil || again != v {
			t.Errorf("%s becomes %s (%v), which is %v (%v); want %s", tc.in, got, err, again, wrong, tc.out)
		}
	}
}
