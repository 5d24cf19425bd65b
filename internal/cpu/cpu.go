// Package cpu describes the CPU of this machine: its name, its instruction sets and its caches.
package cpu

import (
	"cmp"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// Name returns the CPU's own name, or "unknown" where the CPU does not give one.
func Name() string { return cmp.Or(strings.TrimSpace(cpuid.CPU.BrandName), "unknown") }

// relevant lists the instruction sets on which a float64 kernel can depend, oldest first.
var relevant = []cpuid.FeatureID{
	cpuid.SSE2, cpuid.SSE3, cpuid.SSSE3, cpuid.SSE4, cpuid.SSE42,
	cpuid.AVX, cpuid.FMA3, cpuid.AVX2,
	cpuid.AVX512F, cpuid.AVX512DQ, cpuid.AVX512BW, cpuid.AVX512VL,
}

// Features returns the names of the instruction sets that kernels can use and that this CPU and its
// operating system support, oldest first. It is empty except on x86.
func Features() []string {
	var names []string
	for _, f := range relevant {
		if cpuid.CPU.Supports(f) {
			names = append(names, f.String())
		}
	}
	return names
}

// Caches are the sizes in bytes of the data caches that one core can use.
type Caches struct {
	L1D, L2, L3 int
}

// Sizes assumed where the CPU does not report them: the smallest that are common among 64-bit CPUs.
// Blocks that are too small for a cache cost a few per cent, blocks that are too large cost much more.
const (
	fallbackL1D = 32 << 10
	fallbackL2  = 256 << 10
	fallbackL3  = 2 << 20
)

// CacheSizes returns the sizes of this machine's caches. Some virtual machines and most CPUs other than
// x86 do not report them: then L1D is 32 KiB, L2 256 KiB and L3 2 MiB.
func CacheSizes() Caches {
	c := cpuid.CPU.Cache
	return Caches{
		L1D: known(c.L1D, fallbackL1D),
		L2:  known(c.L2, fallbackL2),
		L3:  known(c.L3, fallbackL3),
	}
}

// known returns size, or the fallback where size is 0 or -1, cpuid's two ways to say unknown.
func known(size, fallback int) int {
	if size <= 0 {
		return fallback
	}
	return size
}
