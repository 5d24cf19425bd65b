package backends

import (
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/linalg/backend"
	"blskernel/internal/testutil"
)

// TestOn checks that every usable backend runs once, and pure on each of its kernels with OnKernels.
func TestOn(t *testing.T) {
	t.Setenv(testutil.EnvOnly, "")
	var on, kernels []string
	On(t, func(t *testing.T, b blskernel.Backend) { on = append(on, b.Name()) })
	slices.Sort(on)
	if !slices.Equal(on, blskernel.Names()) {
		t.Errorf("On ran %q, want %q", on, blskernel.Names())
	}
	OnKernels(t, func(t *testing.T, b blskernel.Backend) { kernels = append(kernels, b.Name()) })
	var short, all, listed []string
	for _, k := range backend.Kernels() {
		if k != "generic" || testutil.Long() || len(all) == 0 {
			short = append(short, "pure/"+k)
		}
		all = append(all, "pure/"+k)
	}
	if slices.Contains(on, "openblas") {
		short, all = append(short, "openblas"), append(all, "openblas")
	}
	for _, b := range All(t) {
		listed = append(listed, b.Name())
	}
	if !slices.Equal(kernels, short) || !slices.Equal(listed, all) {
		t.Errorf("OnKernels ran %q, want %q; All returned %q, want %q", kernels, short, listed, all)
	}
}

// TestOnly checks that EnvOnly leaves out the other backend.
func TestOnly(t *testing.T) {
	pure := len(backend.Kernels())
	if !testutil.Long() && pure > 1 {
		pure--
	}
	every := len(backend.Kernels())
	for only, want := range map[string][4]int{"pure": {1, pure, every, every}, "openblas": {}} {
		if only == "openblas" && slices.Contains(blskernel.Names(), only) {
			want = [4]int{1, 1, 1, 0}
		}
		t.Setenv(testutil.EnvOnly, only)
		var ran [4]int
		On(t, func(*testing.T, blskernel.Backend) { ran[0]++ })
		OnKernels(t, func(*testing.T, blskernel.Backend) { ran[1]++ })
		ran[2] = len(All(t))
		t.Run("pure", func(t *testing.T) { ran[3] = len(Pure(t)) })
		if ran != want {
			t.Errorf("%s=%s: On, OnKernels, All and Pure give %v backends, want %v", testutil.EnvOnly, only, ran, want)
		}
	}
}
