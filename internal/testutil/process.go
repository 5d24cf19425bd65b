package testutil

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Self returns a command that starts this test program again, in the emulator if there is one, with
// args and with env added to the environment without its variables BLSKERNEL_*.
func Self(env []string, args ...string) *exec.Cmd {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	words := append(append(strings.Fields(os.Getenv(EnvEmulator)), exe), args...)
	cmd := exec.Command(words[0], words[1:]...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "BLSKERNEL_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

// Processors sets GOMAXPROCS to n until the test ends.
func Processors(t testing.TB, n int) {
	saved := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(saved) })
}

// Eventually waits until ok returns true. After a minute it fails the test; the message has what and
// the stacks of all goroutines.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not after a minute: %s\n%s", what, stacks())
		}
	}
}
