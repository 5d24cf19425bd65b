package flagvalue

import "testing"

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
