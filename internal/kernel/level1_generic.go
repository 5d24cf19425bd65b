package kernel

import "unsafe"

// ddotGeneric is the reference for Dot: four sums, to hide the latency of an addition.
func ddotGeneric(n int, x, y *float64) float64 {
	xs, ys := unsafe.Slice(x, n), unsafe.Slice(y, n)
	var s0, s1, s2, s3 float64
	for len(xs) >= 4 && len(ys) >= 4 {
		u, v := (*[4]float64)(xs), (*[4]float64)(ys)
		s0 += u[0] * v[0]
		s1 += u[1] * v[1]
		s2 += u[2] * v[2]
		s3 += u[3] * v[3]
		xs, ys = xs[4:], ys[4:]
	}
	for i, v := range xs {
		s0 += v * ys[i]
	}
	return (s0 + s1) + (s2 + s3)
}

// daxpyGeneric is the reference for Axpy.
func daxpyGeneric(n int, alpha float64, x, y *float64) {
	xs, ys := unsafe.Slice(x, n), unsafe.Slice(y, n)
	for len(xs) >= 4 && len(ys) >= 4 {
		u, v := (*[4]float64)(xs), (*[4]float64)(ys)
		v[0] += alpha * u[0]
		v[1] += alpha * u[1]
		v[2] += alpha * u[2]
		v[3] += alpha * u[3]
		xs, ys = xs[4:], ys[4:]
	}
	for i, v := range xs {
		ys[i] += alpha * v
	}
}

// dscalGeneric is the reference for Scal.
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
