package testutil

import (
	"os"
	"strings"
	"testing"
)

const (
	// EnvLong names the environment variable that, with the value 1, selects the long form of
	// every test, as make verify does. Nothing else selects it.
	EnvLong = "BLSKERNEL_LONG"

	// EnvOnly names the environment variable with the only backend to test, "pure" or "openblas".
	EnvOnly = "BLSKERNEL_ONLY"

	// EnvEmulator names the environment variable with the emulator and its flags, for programs of
	// this architecture on a machine of another architecture.
	EnvEmulator = "BLSKERNEL_EMULATOR"
)

// Long reports whether the long form of the tests is selected.
func Long() bool { return os.Getenv(EnvLong) == "1" }

// Slow skips a test that takes more than a few seconds and has no short form, unless Long.
func Slow(t testing.TB) {
	t.Helper()
	if !Long() {
		t.Skipf("slow: set %s=1 to run it", EnvLong)
	}
}

// Emulated reports whether an emulator runs this program, which is then 10 to 50 times slower.
func Emulated() bool { return os.Getenv(EnvEmulator) != "" }

// NotEmulated skips the test in an emulator, unless Long.
func NotEmulated(t testing.TB, why string) {
	t.Helper()
	if Emulated() && !Long() {
		t.Skip("not emulated:", why)
	}
}

// UnderRace reports whether this program was built with the race detector.
func UnderRace() bool { return underRace }

// NotUnderRace skips the test under the race detector. It is for tests that start no goroutine, or that
// check something that the detector changes.
func NotUnderRace(t testing.TB, why string) {
	t.Helper()
	if underRace {
		t.Skip("not under the race detector:", why)
	}
}

// NeedsBackend skips a test that only concerns the named backend if EnvOnly leaves that backend out.
func NeedsBackend(t testing.TB, name string) {
	t.Helper()
	if LeftOut(t, name) {
		t.Skipf("%s=%s leaves out %s", EnvOnly, os.Getenv(EnvOnly), name)
	}
}

// LeftOut reports whether EnvOnly leaves out the backend of the given name, which may end in /KERNEL.
// Any value of EnvOnly other than "pure", "openblas" and "" fails the test.
func LeftOut(t testing.TB, name string) bool {
	t.Helper()
	only := os.Getenv(EnvOnly)
	switch only {
	case "", "pure", "openblas":
	default:
		t.Fatalf("%s=%s: want pure or openblas", EnvOnly, only)
	}
	backend, _, _ := strings.Cut(name, "/")
	return only != "" && only != backend
}
