package kernel

import "math"

// fma returns x·y + z, rounded once. On a CPU without a fused multiply-add it rounds twice, because an
// FMA in software would take a hundred times as long. docs/reproducibility.md excludes these CPUs
// (32-bit CPUs, wasm, mips, and amd64 CPUs from before 2013).
func fma(x, y, z float64) float64 {
	if hasFMA {
		return math.FMA(x, y, z)
	}
	return float64(x*y) + z
}
