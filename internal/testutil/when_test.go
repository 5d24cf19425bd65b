package testutil

import "testing"

// ran reports whether a test that calls need continues after the call.
func ran(t *testing.T, need func(testing.TB)) (on bool) {
	t.Run("test", func(t *testing.T) {
		need(t)
		on = true
	})
	return on
}

func TestWhen(t *testing.T) {
	emulated := func(t testing.TB) { NotEmulated(t, "") }
	openblas := func(t testing.TB) { NeedsBackend(t, "openblas") }
	for _, c := range []struct {
		name string
		env  [3]string // EnvLong, EnvEmulator, EnvOnly
		need func(testing.TB)
		want bool
	}{
		{"Slow", [3]string{}, Slow, false},
		{"Slow", [3]string{"0"}, Slow, false},
		{"Slow", [3]string{"1"}, Slow, true},
		{"NotEmulated", [3]string{}, emulated, true},
		{"NotEmulated", [3]string{"", "qemu"}, emulated, false},
		{"NotEmulated", [3]string{"1", "qemu"}, emulated, true},
		{"NeedsBackend", [3]string{}, openblas, true},
		{"NeedsBackend", [3]string{"1", "qemu", "pure"}, openblas, false},
		{"NeedsBackend", [3]string{"", "", "openblas"}, openblas, true},
		{"NotUnderRace", [3]string{}, func(t testing.TB) { NotUnderRace(t, "") }, !UnderRace()},
	} {
		for i, name := range []string{EnvLong, EnvEmulator, EnvOnly} {
			t.Setenv(name, c.env[i])
		}
		if got := ran(t, c.need); got != c.want {
			t.Errorf("%s with %q: runs %t, want %t", c.name, c.env, got, c.want)
		}
	}
}
