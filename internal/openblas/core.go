//go:build cgo && linux && (amd64 || arm64)

package openblas

import "C" // Without cgo the build tag alone must not select this file: the functions it calls are not there.

import (
	"slices"

	"blskernel/internal/cpu"
)

// coresBeforeAVX2 are OpenBLAS's names of the x86 CPUs that have no AVX2 or no fused multiply-adds.
var coresBeforeAVX2 = []string{
	"Katmai", "Coppermine", "Northwood", "Prescott", "Banias", "Atom", "Core2", "Penryn", "Dunnington", "Nehalem",
	"Sandybridge", "Athlon", "Opteron", "Opteron_SSE3", "Barcelona", "Bobcat", "Nano", "Bulldozer", "Piledriver", "Steamroller",
}

// betterCores returns the values of OPENBLAS_CORETYPE that a CPU with these features can have, the best first, where OpenBLAS
// has taken the kernels of core; none where those will do. OpenBLAS goes by the number of the model: what is newer than the
// library gets the kernels of a Pentium 4, which are slower by a factor of seven (OpenBLAS 0.3.21 on an Intel Xeon of model 207).
func betterCores(core string, features []string) (better []string) {
	has := func(all ...string) bool {
		return !slices.ContainsFunc(all, func(f string) bool { return !slices.Contains(features, f) })
	}
	if !slices.Contains(coresBeforeAVX2, core) || !has("FMA3", "AVX2") {
		return nil
	}
	if has("AVX512F", "AVX512DQ", "AVX512BW", "AVX512VL") {
		better = append(better, "SkylakeX") // which old versions do not know
	}
	return append(better, "Haswell")
}

// openBest is openAs with the kernels that the CPU can run, also where OpenBLAS does not know it. A choice of the environment
// stays, and so do the kernels of a library that cannot be opened again, or not closed, since the program is linked with it.
func openBest(name string) string {
	if reason := openAs(name, ""); reason != "" || coreChosen() {
		return reason
	}
	for _, core := range betterCores(openedCore(), cpu.Features()) {
		closeOpened()
		if openAs(name, core) != "" {
			return openAs(name, "")
		}
		if betterCores(openedCore(), cpu.Features()) == nil {
			break
		}
	}
	return ""
}
