package backends

import (
	"slices"
	"testing"

	"blskernel"
)

// Every usable backend is run once, pure by On on its own kernel and by OnKernels on each.
func TestOn(t *testing.T) {
	var on, kernels []string
	On(t, func(t *testing.T, b blskernel.Backend) { on = append(on, b.Name()) })
	slices.Sort(on)
	if !slices.Equal(on, blskernel.Names()) {
		t.Errorf("On ran %q of %q", on, blskernel.Names())
	}
	OnKernels(t, func(t *testing.T, b blskernel.Backend) { kernels = append(kernels, b.Name()) })
	var all []string
	for _, b := range All(t) {
		if b.Name() != "pure/generic" || !testing.Short() || len(all) == 0 {
			all = append(all, b.Name())
		}
	}
	if !slices.Equal(kernels, all) {
		t.Errorf("OnKernels ran %q of %q", kernels, all)
	}
}
