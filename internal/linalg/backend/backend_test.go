package backend_test

import (
	"testing"

	"blskernel"
	"blskernel/internal/linalg/backend"
	"blskernel/internal/testutil"

	"gonum.org/v1/gonum/blas"
)

type named struct {
	blas.Float64
	name string
}

func (n named) Name() string { return n.name }

// TestColumnMajor checks what nil and a backend without its own LAPACK resolve to.
func TestColumnMajor(t *testing.T) {
	pure, err := blskernel.Lookup("pure")
	testutil.NoError(t, err)
	for _, b := range []blskernel.Backend{pure, named{}} {
		if l, ok := backend.ColumnMajor(b); ok || l != nil {
			t.Errorf("ColumnMajor(%v) = %v, %v", b, l, ok)
		}
	}
	own, ok := backend.ColumnMajor(nil)
	if l, has := blskernel.Default().(backend.ColumnMajorLAPACK); ok != has || own != l {
		t.Error("ColumnMajor(nil) is not that of Default()")
	}
	if backend.Or(nil) != blskernel.Default() {
		t.Error("Or(nil) is not Default()")
	}
}

type wrapper struct{ blskernel.Backend }

func (w wrapper) Unwrap() blskernel.Backend { return w.Backend }

// What the pure backend offers also works through a wrapper. A foreign backend offers none of it.
func TestPure(t *testing.T) {
	kernels := backend.Kernels()
	if len(kernels) == 0 || kernels[len(kernels)-1] != "generic" {
		t.Errorf("kernels %q", kernels)
	}
	for _, k := range kernels {
		b, err := blskernel.Lookup("pure/" + k)
		testutil.NoError(t, err)
		if mc, kc, nc, ok := backend.BlockSizes(wrapper{b}); !ok || min(mc, kc, nc) < 1 {
			t.Errorf("%s: block sizes %d, %d, %d, %t", k, mc, kc, nc, ok)
		}
		if p := backend.Peak(wrapper{b}, 1, nil); !(p > 1e7) {
			t.Errorf("%s: %v flop/s", k, p)
		}
	}
	if _, _, _, ok := backend.BlockSizes(named{}); ok {
		t.Error("a foreign backend has block sizes")
	}
}
