package kernel

import "math"

// fma returns x·y + z in one rounding. Without the instruction it is two: in software one would take a
// hundred times as long, and docs/reproducibility.md leaves such CPUs out (32 bits, wasm, mips, or an
// amd64 older than 2013).
func fma(x, y, z float64) float64 {
	if hasFMA {
		return math.FMA(x, y, z)
	}
	return float64(x*y) + z
}
