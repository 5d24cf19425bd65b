package flagvalue

import "testing"

func TestParseSign(t *testing.T) {
	for text, want := range map[string]rune{"": 0, ",": ',', "comma": ',', ".": '.', "point": '.', "space": ' ', " ": ' ', "'": '\'', "\u202f": '\u202f'} {
		if got, err := ParseSign(text); err != nil || got != want {
			t.Errorf("%q is %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{",,", "dot", "\xff"} {
		if got, err := ParseSign(text); err == nil {
			t.Errorf("%q is %q", text, got)
		}
	}
}
