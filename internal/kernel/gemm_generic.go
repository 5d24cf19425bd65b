package kernel

import "unsafe"

// generic is the portable kernel. Its 2×4 tile fits into sixteen scalar registers: eight accumulators,
// four elements of B, one of A, and products; a tile of twelve spills. Eight independent sums also hide
// the latency of an addition (3 or 4 cycles, two begun in each).
var generic = Kernel{
	Name:      "generic",
	MR:        2,
	NR:        4,
	Speed:     8,
	Available: func() bool { return true },
	Gemm:      dgemmGeneric_2x4,
	Solve:     dtrsmGeneric,
	Multiply:  dtrmmGeneric,
	Copy:      dcopyGeneric,
	Transpose: dtransposeGeneric,
	Peak:      dpeakGeneric,
	PeakWidth: 8,
	Dot:       ddotGeneric,
	Axpy:      daxpyGeneric,
	Scal:      dscalGeneric,
	AbsMax:    dabsMaxGeneric,
	AddAbs:    daddAbsGeneric,
	GemvN:     dgemvNGeneric,
	GemvT:     dgemvTGeneric,
	Ger:       dgerGeneric,
	Dotxaxpyf: ddotxaxpyfGeneric,
	Tanh:      dtanhGeneric,
	Exp:       dexpGeneric,
}

// dgemmGeneric_2x4 is the reference for all kernels: C = alpha·A·B + C as in the package comment, MR =
// 2, NR = 4.
func dgemmGeneric_2x4(m, n, k int, alpha float64, a *float64, rowA, colA int, formA Form, b *float64, rowB, panelB int, store Store, c *float64, ldc int) {
	closer := 0 // two rows have one distance, so PackedRows makes no difference
	if formA == PackedColumns {
		closer = 1
	}
	for n > 0 {
		if m == 2 && n >= 4 {
			tileGeneric(k, alpha, a, rowA, colA, closer, b, rowB, store, c, ldc)
		} else {
			edgeGeneric(m, min(n, 4), k, alpha, a, rowA, colA, closer, b, rowB, store, c, ldc)
		}
		if n -= 4; n > 0 {
			b, c = element(b, panelB), element(c, 4)
		}
	}
}

// element is the address of element i of the array that begins at x.
func element(x *float64, i int) *float64 {
	return (*float64)(unsafe.Add(unsafe.Pointer(x), 8*i))
}

// tileGeneric computes a whole tile. It unrolls two steps of the sum, because the loop's own arithmetic
// would take a third of the time. Addresses are a fixed base and an offset, so that no pointer leaves
// its array.
func tileGeneric(k int, alpha float64, a *float64, rowA, colA, closer int, b *float64, rowB int, store Store, c *float64, ldc int) {
	var c00, c01, c02, c03, c10, c11, c12, c13 float64
	a1 := element(a, rowA)
	i, j := 0, 0
	for ; k >= 2; k -= 2 {
		y := (*[4]float64)(unsafe.Pointer(element(b, j)))
		x0, x1 := *element(a, i), *element(a1, i)
		c00 += x0 * y[0]
		c01 += x0 * y[1]
		c02 += x0 * y[2]
		c03 += x0 * y[3]
		c10 += x1 * y[0]
		c11 += x1 * y[1]
		c12 += x1 * y[2]
		c13 += x1 * y[3]
		i += colA
		colA -= closer
		j += rowB

		y = (*[4]float64)(unsafe.Pointer(element(b, j)))
		x0, x1 = *element(a, i), *element(a1, i)
		c00 += x0 * y[0]
		c01 += x0 * y[1]
		c02 += x0 * y[2]
		c03 += x0 * y[3]
		c10 += x1 * y[0]
		c11 += x1 * y[1]
		c12 += x1 * y[2]
		c13 += x1 * y[3]
		i += colA
		colA -= closer
		j += rowB
	}
	if k > 0 {
		y := (*[4]float64)(unsafe.Pointer(element(b, j)))
		x0, x1 := *element(a, i), *element(a1, i)
		c00 += x0 * y[0]
		c01 += x0 * y[1]
		c02 += x0 * y[2]
		c03 += x0 * y[3]
		c10 += x1 * y[0]
		c11 += x1 * y[1]
		c12 += x1 * y[2]
		c13 += x1 * y[3]
	}
	r0, r1 := (*[4]float64)(unsafe.Pointer(c)), (*[4]float64)(unsafe.Pointer(element(c, ldc)))
	if store != Overwrite { // Add and AddPacked are the same for two rows
		r0[0] += alpha * c00
		r0[1] += alpha * c01
		r0[2] += alpha * c02
		r0[3] += alpha * c03
		r1[0] += alpha * c10
		r1[1] += alpha * c11
		r1[2] += alpha * c12
		r1[3] += alpha * c13
		return
	}
	r0[0] = alpha * c00
	r0[1] = alpha * c01
	r0[2] = alpha * c02
	r0[3] = alpha * c03
	r1[0] = alpha * c10
	r1[1] = alpha * c11
	r1[2] = alpha * c12
	r1[3] = alpha * c13
}

// edgeGeneric computes a tile of up to two rows, element by element.
func edgeGeneric(m, n, k int, alpha float64, a *float64, rowA, colA, closer int, b *float64, rowB int, store Store, c *float64, ldc int) {
	for i := range m {
		for j := range n {
			var s float64
			for p := range k {
				s += *element(a, i*rowA+p*colA-closer*(p*(p-1)/2)) * *element(b, p*rowB+j)
			}
			if z := element(c, i*ldc+j); store == Overwrite {
				*z = alpha * s
			} else {
				*z += alpha * s
			}
		}
	}
}
