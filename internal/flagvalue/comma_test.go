package flagvalue

import "testing"

func TestParseComma(t *testing.T) {
	for text, want := range map[string]rune{"": 0, ",": ',', ";": ';', "tab": '\t', `\t`: '\t', "\t": '\t', "·": '·'} {
		if got, err := ParseComma(text); err != nil || got != want {
			t.Errorf("%q is %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{",,", "tabs", "\"", "\n", "\r", "\xff", "\ufffd"} {
		if got, err := ParseComma(text); err == nil {
			t.Errorf("%q is %q", text, got)
		}
	}
}
