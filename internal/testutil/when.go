package testutil

import (
	"os"
	"testing"
)

const (
	// EnvLong names the environment variable that, with the value 1, asks for the long form of
	// every test, as make verify does. It is the only switch of length.
	EnvLong = "BLSKERNEL_LONG"

	// EnvOnly names the environment variable with the only backend to test, "pure" or "openblas".
	EnvOnly = "BLSKERNEL_ONLY"

	// EnvEmulator names the environment variable with the program, and its flags, that runs
	// programs of this architecture where the machine is of another.
	EnvEmulator = "BLSKERNEL_EMULATOR"
)

// Long reports whether the long form of the tests is asked for.
func Long() bool { return os.Getenv(EnvLong) == "1" }

// Slow skips a test that takes more than some seconds and has no short form, unless the long form is
// asked for.
func Slow(t testing.TB) {
	t.Helper()
	if !Long() {
		t.Skipf("slow: %s=1 runs it", EnvLong)
	}
}

// Emulated reports whether an emulator runs this program, which is then 10 to 50 times slower.
func Emulated() bool { return os.Getenv(EnvEmulator) != "" }

// NotEmulated skips the test in an emulator, unless the long form is asked for.
func NotEmulated(t testing.TB, why string) {
	t.Helper()
	if Emulated() && !Long() {
		t.Skip("not emulated:", why)
	}
}

// UnderRace reports whether the race detector watches this program.
func UnderRace() bool { return underRace }

// NotUnderRace skips the test under the race detector: it starts no goroutine, or it asserts what the
// detector changes.
func NotUnderRace(t testing.TB, why string) {
	t.Helper()
	if underRace {
		t.Skip("not under the race detector:", why)
	}
}

// NeedsBackend skips the test where EnvOnly leaves out the backend of the given name, the only one on
// which the test has something to find.
func NeedsBackend(t testing.TB, name string) {
	t.Helper()
	if LeftOut(t, name) {
		t.Skipf("%s=%s leaves out %s", EnvOnly, os.Getenv(EnvOnly), name)
	}
}

// LeftOut reports whether EnvOnly leaves out the backend of the given name. Any value of EnvOnly but
// "pure", "openblas" and nothing fails the test.
func LeftOut(t testing.TB, name string) bool {
	t.Helper()
	only := os.Getenv(EnvOnly)
	switch only {
	case "", "pure", "openblas":
	default:
		t.Fatalf("%s=%s: not pure or openblas", EnvOnly, only)
	}
	return only != "" && only != name
}
