package kernel

import "math"

// fma returns x·y + z in one rounding. Without the instruction it is two: in software one would take a
// hundred times as long, and the results of such a CPU are not those of others anyway (32 bits, or an
// amd64 older than 2013).
func fma(x, y, z float64) float64 {
	if hasFMA {
		return math.FMA(x, y, z)
	}
	return float64(x*y) + z
}
