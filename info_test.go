package blskernel

import (
	"strings"
	"testing"

	"blskernel/internal/testutil"
)

type wrapper struct{ Backend }

func (w wrapper) Unwrap() Backend { return w.Backend }

// Describe describes the backend under wrappers, and gives a reason only for the selected one.
func TestDescribe(t *testing.T) {
	for _, name := range append(Names(), "pure/generic") {
		b, err := Lookup(name)
		testutil.NoError(t, err)
		info := Describe(b)
		if info.Name != name || Describe(wrapper{wrapper{b}}) != info {
			t.Errorf("%s is %+v, and wrapped %+v", name, info, Describe(wrapper{wrapper{b}}))
		}
		if openblas := name == "openblas"; (info.Library != "") != openblas || openblas && info.Version == "" || !openblas && info.Kernel == "" {
			t.Errorf("%+v", info)
		}
		if (info.Reason != "") != (b == Default()) {
			t.Errorf("%s: reason %q; the selected backend is %s", name, info.Reason, Default().Name())
		}
	}
	if info := Describe(nil); info != Describe(Default()) {
		t.Errorf("Describe(nil) = %+v", info)
	}
	if b, err := Lookup("pure/generic"); err != nil || !strings.HasPrefix(Describe(b).Kernel, "generic") {
		t.Errorf("pure/generic: %v, %v", b, err)
	}
}

func TestPeak(t *testing.T) {
	for _, threads := range []int{1, 2} {
		if p := Peak(threads); !(p > 1e7) {
			t.Errorf("%d threads: %v flop/s", threads, p)
		}
	}
	testutil.MustPanic(t, "blskernel: Peak needs at least one thread", func() { Peak(0) })
}
