package kernel

import "unsafe"

// ddotGeneric is the reference for Dot. Only four lanes fit into registers: with eight, the compiler
// spills some. The code therefore passes over each part of the vectors eight times, while it is in L1.
func ddotGeneric(n int, x, y *float64) float64 {
	var s [lanes]float64
	whole := n &^ (lanes - 1)
	for i := 0; i < whole; i += inCache {
		part := min(inCache, whole-i)
		dotLanes(s[:], part, element(x, i), element(y, i))
	}
	for width := lanes / 2; width >= 8; width /= 2 {
		for l := range width {
			s[l] += s[l+width]
		}
	}
	first := (*[8]float64)(s[:])
	eights := (n - whole) &^ 7
	if eights > 0 { // otherwise the addresses could be beyond the arrays
		dotLanes(first[:], eights, element(x, whole), element(y, whole))
	}
	if at := whole + eights; at < n {
		var u, v [8]float64
		copy(u[:], unsafe.Slice(element(x, at), n-at))
		copy(v[:], unsafe.Slice(element(y, at), n-at))
		dotLanes(first[:], 8, &u[0], &v[0])
	}
	return sumLanes(first)
}

// lanes is the number of partial sums in Dot. A generic loop with several passes over a vector takes
// inCache elements at a time, few enough for the L1 cache.
const (
	lanes   = 32
	inCache = 32 * lanes
)

// dotLanes adds x[i]·y[i] to lanes[i%len(lanes)] for all i < n, where n is a multiple of len(lanes).
func dotLanes(lanes []float64, n int, x, y *float64) {
	for l := 0; l+4 <= len(lanes); l += 4 {
		s := (*[4]float64)(lanes[l:])
		s0, s1, s2, s3 := s[0], s[1], s[2], s[3]
		for i := l; i < n; i += len(lanes) {
			u, v := (*[4]float64)(unsafe.Pointer(element(x, i))), (*[4]float64)(unsafe.Pointer(element(y, i)))
			s0 = fma(u[0], v[0], s0)
			s1 = fma(u[1], v[1], s1)
			s2 = fma(u[2], v[2], s2)
			s3 = fma(u[3], v[3], s3)
		}
		s[0], s[1], s[2], s[3] = s0, s1, s2, s3
	}
}

func sumLanes(s *[8]float64) float64 {
	return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]))
}

func daxpyGeneric(n int, alpha float64, x, y *float64) {
	xs, ys := unsafe.Slice(x, n), unsafe.Slice(y, n)
	for len(xs) >= 4 && len(ys) >= 4 {
		u, v := (*[4]float64)(xs), (*[4]float64)(ys)
		v[0] = fma(alpha, u[0], v[0])
		v[1] = fma(alpha, u[1], v[1])
		v[2] = fma(alpha, u[2], v[2])
		v[3] = fma(alpha, u[3], v[3])
		xs, ys = xs[4:], ys[4:]
	}
	for i, v := range xs {
		ys[i] = fma(alpha, v, ys[i])
	}
}

func dscalGeneric(n int, alpha float64, x *float64) {
	xs := unsafe.Slice(x, n)
	for len(xs) >= 4 {
		u := (*[4]float64)(xs)
		u[0] *= alpha
		u[1] *= alpha
		u[2] *= alpha
		u[3] *= alpha
		xs = xs[4:]
	}
	for i := range xs {
		xs[i] *= alpha
	}
}

// drotGeneric is the reference for Rot. Loading four pairs before any store saves a fifth of the time.
func drotGeneric(n int, h11, h12, h21, h22 float64, x, y *float64) {
	xs, ys := unsafe.Slice(x, n), unsafe.Slice(y, n)
	for len(xs) >= 4 {
		u, v := (*[4]float64)(xs), (*[4]float64)(ys)
		u0, u1, u2, u3, v0, v1, v2, v3 := u[0], u[1], u[2], u[3], v[0], v[1], v[2], v[3]
		u[0], v[0] = float64(h11*u0)+float64(h12*v0), float64(h21*u0)+float64(h22*v0)
		u[1], v[1] = float64(h11*u1)+float64(h12*v1), float64(h21*u1)+float64(h22*v1)
		u[2], v[2] = float64(h11*u2)+float64(h12*v2), float64(h21*u2)+float64(h22*v2)
		u[3], v[3] = float64(h11*u3)+float64(h12*v3), float64(h21*u3)+float64(h22*v3)
		xs, ys = xs[4:], ys[4:]
	}
	for i, u := range xs {
		v := ys[i]
		xs[i], ys[i] = float64(h11*u)+float64(h12*v), float64(h21*u)+float64(h22*v)
	}
}
