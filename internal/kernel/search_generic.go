package kernel

import (
	"math"
	"unsafe"
)

// dabsMaxGeneric is the reference for AbsMax. The comparison is false for NaN.
func dabsMaxGeneric(n int, x *float64) (at int, size float64) {
	for i, v := range unsafe.Slice(x, n) {
		if v = math.Abs(v); v > size {
			at, size = i, v
		}
	}
	return at, size
}

// daddAbsGeneric is the reference for AddAbs: four sums, as in ddotGeneric.
func daddAbsGeneric(n int, x, y *float64) float64 {
	xs, ys := unsafe.Slice(x, n), unsafe.Slice(y, n)
	var s0, s1, s2, s3 float64
	for len(xs) >= 4 && len(ys) >= 4 {
		u, v := (*[4]float64)(xs), (*[4]float64)(ys)
		a0, a1, a2, a3 := math.Abs(u[0]), math.Abs(u[1]), math.Abs(u[2]), math.Abs(u[3])
		v[0] += a0
		v[1] += a1
		v[2] += a2
		v[3] += a3
		s0 += a0
		s1 += a1
		s2 += a2
		s3 += a3
		xs, ys = xs[4:], ys[4:]
	}
	for i, v := range xs {
		v = math.Abs(v)
		ys[i] += v
		s0 += v
	}
	return (s0 + s1) + (s2 + s3)
}
