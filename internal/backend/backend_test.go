package backend_test

import (
	"runtime"
	"testing"

	"blskernel"
	"blskernel/internal/backend"

	"gonum.org/v1/gonum/blas"
)

// Acquire keeps goroutines of the pure backend from the call to its end, and does nothing for others.
func TestAcquire(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	blskernel.SetThreads(0)
	for _, name := range blskernel.Names() {
		b, err := blskernel.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		before := runtime.NumGoroutine()
		release := backend.Acquire(b, 1e12)
		more := runtime.NumGoroutine() - before
		release()
		want := 0
		if name == "pure" {
			want = 2
		}
		if more != want {
			t.Errorf("%s: Acquire started %d goroutines, want %d", name, more, want)
		}
	}
	backend.Acquire(nil, 1)()
}

// named is a Backend of which only the name is called.
type named struct {
	blas.Float64
	name string
}

func (n named) Name() string { return n.name }

func TestColumnMajor(t *testing.T) {
	pure, err := blskernel.Lookup("pure")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []blskernel.Backend{pure, named{}} {
		if l, ok := backend.ColumnMajor(b); ok || l != nil {
			t.Errorf("ColumnMajor(%v) = %v, %v", b, l, ok)
		}
	}
	own, ok := backend.ColumnMajor(nil)
	if l, has := blskernel.Default().(backend.ColumnMajorLAPACK); ok != has || own != l {
		t.Error("ColumnMajor(nil) is not that of Default()")
	}
}

// Or resolves nil.
func TestOr(t *testing.T) {
	if backend.Or(nil) != blskernel.Default() {
		t.Error("Or(nil) is not Default()")
	}
}
