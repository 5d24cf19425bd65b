package blskernel

import (
	"runtime"
	"testing"
)

// Hold keeps goroutines of the pure backend from the call to its end, and does nothing for others.
func TestHold(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	defer SetThreads(int(threads.Load()))
	SetThreads(0)
	for _, name := range Names() {
		b, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		before := runtime.NumGoroutine()
		release := Hold(b, 1e12)
		more := runtime.NumGoroutine() - before
		release()
		want := 0
		if name == "pure" {
			want = 2
		}
		if more != want {
			t.Errorf("%s: Hold started %d goroutines, want %d", name, more, want)
		}
	}
	Hold(nil, 1)()
}
