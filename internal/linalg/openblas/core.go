//go:build cgo && linux && (amd64 || arm64)

package openblas

import "C" // so that Go skips this file, like open.go, if -tags cgo is set without a C compiler

import (
	"slices"

	"blskernel/internal/linalg/cpu"
)

// coresBeforeAVX2 lists OpenBLAS's names for x86 CPUs without AVX2 or fused multiply-adds.
var coresBeforeAVX2 = []string{
	"Katmai", "Coppermine", "Northwood", "Prescott", "Banias", "Atom", "Core2", "Penryn", "Dunnington", "Nehalem",
	"Sandybridge", "Athlon", "Opteron", "Opteron_SSE3", "Barcelona", "Bobcat", "Nano", "Bulldozer", "Piledriver", "Steamroller",
}

// betterCores returns the values of OPENBLAS_CORETYPE, best first, that suit a CPU with these features
// better than core, the type that OpenBLAS chose. It returns none if core suits the CPU. OpenBLAS
// chooses by model number, so a CPU newer than the library gets the slow kernels of a Pentium 4
// (OpenBLAS 0.3.21 on an Intel Xeon of model 207).
func betterCores(core string, features []string) (better []string) {
	has := func(all ...string) bool {
		return !slices.ContainsFunc(all, func(f string) bool { return !slices.Contains(features, f) })
	}
	if !slices.Contains(coresBeforeAVX2, core) || !has("FMA3", "AVX2") {
		return nil
	}
	if has("AVX512F", "AVX512DQ", "AVX512BW", "AVX512VL") {
		better = append(better, "SkylakeX") // unknown to old versions
	}
	return append(better, "Haswell")
}

// openBest is openAs with the best kernels for the CPU, even if OpenBLAS does not recognize the CPU. It
// keeps kernels that the environment selects. It also keeps the kernels of a library that the program
// is linked with, since that library cannot be reopened.
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
