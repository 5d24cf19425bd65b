package names

import "testing"

type Color int

func TestNames(t *testing.T) {
	known := []string{"red", "green"}
	for v, want := range map[Color]string{0: "red", 1: "green", 2: "Color(2)", -1: "Color(-1)"} {
		if got := String(known, v); got != want {
			t.Errorf("%d is %q, want %q", int(v), got, want)
		}
	}
	if v, err := Parse[Color](known, "GREEN"); v != 1 || err != nil {
		t.Error(v, err)
	}
	const want = `names: unknown color "blue"; known are red, green`
	if _, err := Parse[Color](known, "blue"); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
