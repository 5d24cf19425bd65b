//go:build cgo && linux && (amd64 || arm64)

package blskernel

import "C" // Without cgo the build tag alone must not select this file: the functions it calls are not there.

import (
	"os"
	"slices"

	"blskernel/internal/kernel"
)

// envCoreType names OpenBLAS's own environment variable for the CPU whose kernels it takes.
const envCoreType = "OPENBLAS_CORETYPE"

// coresBeforeAVX2 are OpenBLAS's names of the x86 CPUs that have no AVX2 or no fused multiply-adds.
var coresBeforeAVX2 = []string{
	"Katmai", "Coppermine", "Northwood", "Prescott", "Banias", "Atom", "Core2", "Penryn", "Dunnington", "Nehalem",
	"Sandybridge", "Athlon", "Opteron", "Opteron_SSE3", "Barcelona", "Bobcat", "Nano", "Bulldozer", "Piledriver", "Steamroller",
}

// betterCore returns the value of OPENBLAS_CORETYPE for a CPU with these features, on which OpenBLAS has taken the kernels of
// core; nothing where they do. OpenBLAS goes by the number of the model: what is newer than the library gets the kernels of
// a Pentium 4, which are slower by a factor of seven (OpenBLAS 0.3.21 on an Intel Xeon of model 207).
func betterCore(core string, features []string) string {
	has := func(all ...string) bool {
		return !slices.ContainsFunc(all, func(f string) bool { return !slices.Contains(features, f) })
	}
	switch {
	case !slices.Contains(coresBeforeAVX2, core):
		return ""
	case has("FMA3", "AVX2", "AVX512F", "AVX512DQ", "AVX512BW", "AVX512VL"):
		return "SkylakeX"
	case has("FMA3", "AVX2"):
		return "Haswell"
	default:
		return ""
	}
}

// openBest is open, with the kernels that the CPU can run where OpenBLAS does not know it. A choice of the environment stays.
func openBest(name string) string {
	reason := open(name)
	core := ""
	if reason == "" {
		core = betterCore(openedCore(), kernel.Features())
	}
	if _, chosen := os.LookupEnv(envCoreType); chosen || core == "" {
		return reason
	}
	// The variable is read when the library is loaded, and never again.
	if os.Setenv(envCoreType, core) != nil {
		return reason
	}
	defer os.Unsetenv(envCoreType)
	closeOpened()
	return open(name)
}
