package kernel

import "unsafe"

// generic is the portable kernel. Its 2×4 tile is what sixteen scalar registers hold: eight
// accumulators, four elements of B, one of A, and room for products; a tile of twelve spills.
// Eight independent sums also cover the latency of an addition (3 or 4 cycles, two begun in each).
var generic = Kernel{
	Name:      "generic",
	MR:        2,
	NR:        4,
	Available: func() bool { return true },
	Gemm:      gemmGeneric,
}

// gemmGeneric is the reference for all kernels: C += A·B as in the package comment, MR = 2, NR = 4.
// Four steps of p are written out, because the loop's own arithmetic would otherwise take a third of
// the time; conversion to array pointers leaves one bounds check for each panel and turn.
func gemmGeneric(kc int, a, b, c *float64, ldc int) {
	var c00, c01, c02, c03, c10, c11, c12, c13 float64
	as, bs := unsafe.Slice(a, 2*kc), unsafe.Slice(b, 4*kc)
	for len(as) >= 8 && len(bs) >= 16 {
		x, y := (*[8]float64)(as), (*[16]float64)(bs)
		c00 += x[0] * y[0]
		c01 += x[0] * y[1]
		c02 += x[0] * y[2]
		c03 += x[0] * y[3]
		c10 += x[1] * y[0]
		c11 += x[1] * y[1]
		c12 += x[1] * y[2]
		c13 += x[1] * y[3]

		c00 += x[2] * y[4]
		c01 += x[2] * y[5]
		c02 += x[2] * y[6]
		c03 += x[2] * y[7]
		c10 += x[3] * y[4]
		c11 += x[3] * y[5]
		c12 += x[3] * y[6]
		c13 += x[3] * y[7]

		c00 += x[4] * y[8]
		c01 += x[4] * y[9]
		c02 += x[4] * y[10]
		c03 += x[4] * y[11]
		c10 += x[5] * y[8]
		c11 += x[5] * y[9]
		c12 += x[5] * y[10]
		c13 += x[5] * y[11]

		c00 += x[6] * y[12]
		c01 += x[6] * y[13]
		c02 += x[6] * y[14]
		c03 += x[6] * y[15]
		c10 += x[7] * y[12]
		c11 += x[7] * y[13]
		c12 += x[7] * y[14]
		c13 += x[7] * y[15]
		as, bs = as[8:], bs[16:]
	}
	for len(as) >= 2 && len(bs) >= 4 {
		x, y := (*[2]float64)(as), (*[4]float64)(bs)
		c00 += x[0] * y[0]
		c01 += x[0] * y[1]
		c02 += x[0] * y[2]
		c03 += x[0] * y[3]
		c10 += x[1] * y[0]
		c11 += x[1] * y[1]
		c12 += x[1] * y[2]
		c13 += x[1] * y[3]
		as, bs = as[2:], bs[4:]
	}
	cs := unsafe.Slice(c, ldc+4)
	r0, r1 := (*[4]float64)(cs), (*[4]float64)(cs[ldc:])
	r0[0] += c00
	r0[1] += c01
	r0[2] += c02
	r0[3] += c03
	r1[0] += c10
	r1[1] += c11
	r1[2] += c12
	r1[3] += c13
}
