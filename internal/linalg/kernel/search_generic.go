package kernel

import (
	"math"
	"unsafe"
)

// dabsMaxGeneric is the reference for AbsMax. It skips NaN, for which the comparison is false.
func dabsMaxGeneric(n int, x *float64) (at int, size float64) {
	for i, v := range unsafe.Slice(x, n) {
		if v = math.Abs(v); v > size {
			at, size = i, v
		}
	}
	return at, size
}

func daddAbsGeneric(n int, x, y *float64) float64 {
	var s [16]float64
	whole := n &^ 15
	for i := 0; i < whole; i += inCache {
		part := min(inCache, whole-i)
		for l := 0; l < 16; l += 4 {
			addAbsLanes((*[4]float64)(s[l:]), part, element(x, i+l), element(y, i+l))
		}
	}
	xs, ys := unsafe.Slice(x, n)[whole:], unsafe.Slice(y, n)[whole:]
	var rest [2]float64
	for i, v := range xs {
		v = math.Abs(v)
		ys[i] += v
		if i < len(xs)&^3 {
			s[i%4] += v
		} else {
			rest[i%2] += v
		}
	}
	for width := 8; width >= 4; width /= 2 {
		for l := range width {
			s[l] += s[l+width]
		}
	}
	return ((s[0] + rest[0]) + (s[1] + rest[1])) + (s[2] + s[3])
}

// addAbsLanes adds the magnitudes of x[i:i+4] to y[i:i+4] and to the lanes s, for i = 0, 16, ... < n.
func addAbsLanes(s *[4]float64, n int, x, y *float64) {
	s0, s1, s2, s3 := s[0], s[1], s[2], s[3]
	for i := 0; i < n; i += 16 {
		u, v := (*[4]float64)(unsafe.Pointer(element(x, i))), (*[4]float64)(unsafe.Pointer(element(y, i)))
		a0, a1, a2, a3 := math.Abs(u[0]), math.Abs(u[1]), math.Abs(u[2]), math.Abs(u[3])
		s0, s1, s2, s3 = s0+a0, s1+a1, s2+a2, s3+a3
		v[0], v[1], v[2], v[3] = v[0]+a0, v[1]+a1, v[2]+a2, v[3]+a3
	}
	s[0], s[1], s[2], s[3] = s0, s1, s2, s3
}
