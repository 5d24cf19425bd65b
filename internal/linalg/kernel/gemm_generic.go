package kernel

import "unsafe"

// generic is the portable kernel. Its 2×4 tile fits into sixteen scalar registers: eight accumulators,
// four elements of B, one element of A, and products. Twelve accumulators would spill. Eight
// independent sums hide the latency of an addition (3 or 4 cycles, if two start in each cycle).
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
	Rot:       drotGeneric,
	AbsMax:    dabsMaxGeneric,
	AddAbs:    daddAbsGeneric,
	GemvN:     dgemvNGeneric,
	GemvT:     dgemvTGeneric,
	Ger:       dgerGeneric,
	Dotxaxpyf: ddotxaxpyfGeneric,
	Symv:      dsymvGeneric,
	Tanh:      dtanhGeneric,
}

// dgemmGeneric_2x4 is the reference for every Gemm, with 2×4 tiles. The package comment defines Gemm.
func dgemmGeneric_2x4(m, n, k int, alpha float64, a *float64, rowA, colA int, b *float64, rowB, panelB int, store Store, c *float64, ldc int) {
	for n > 0 {
		if m == 2 && n >= 4 {
			tileGeneric(k, alpha, a, rowA, colA, b, rowB, store, c, ldc)
		} else {
			edgeGeneric(m, min(n, 4), k, alpha, a, rowA, colA, b, rowB, store, c, ldc)
		}
		if n -= 4; n > 0 {
			b, c = element(b, panelB), element(c, 4)
		}
	}
}

func element(x *float64, i int) *float64 {
	return (*float64)(unsafe.Add(unsafe.Pointer(x), 8*i))
}

func tileGeneric(k int, alpha float64, a *float64, rowA, colA int, b *float64, rowB int, store Store, c *float64, ldc int) {
	r0, r1 := (*[4]float64)(unsafe.Pointer(c)), (*[4]float64)(unsafe.Pointer(element(c, ldc)))
	var c00, c01, c02, c03, c10, c11, c12, c13 float64
	if store == Continue {
		c00, c01, c02, c03 = alpha*r0[0], alpha*r0[1], alpha*r0[2], alpha*r0[3]
		c10, c11, c12, c13 = alpha*r1[0], alpha*r1[1], alpha*r1[2], alpha*r1[3]
	}
	c00, c01, c02, c03, c10, c11, c12, c13 = sumGeneric(k, a, rowA, colA, b, rowB, c00, c01, c02, c03, c10, c11, c12, c13)
	if store == Add || store == AddPacked { // the two differ only from the third row on
		r0[0] = fma(alpha, c00, r0[0])
		r0[1] = fma(alpha, c01, r0[1])
		r0[2] = fma(alpha, c02, r0[2])
		r0[3] = fma(alpha, c03, r0[3])
		r1[0] = fma(alpha, c10, r1[0])
		r1[1] = fma(alpha, c11, r1[1])
		r1[2] = fma(alpha, c12, r1[2])
		r1[3] = fma(alpha, c13, r1[3])
		return
	}
	r0[0], r0[1], r0[2], r0[3] = alpha*c00, alpha*c01, alpha*c02, alpha*c03
	r1[0], r1[1], r1[2], r1[3] = alpha*c10, alpha*c11, alpha*c12, alpha*c13
}

// sumGeneric returns the accumulators of a 2×4 tile after adding k terms. The loop is unrolled by two,
// because its overhead would otherwise take a third of the time. Addresses are a fixed base plus an
// offset, so that no pointer leaves its array.
func sumGeneric(k int, a *float64, rowA, colA int, b *float64, rowB int, c00, c01, c02, c03, c10, c11, c12, c13 float64) (d00, d01, d02, d03, d10, d11, d12, d13 float64) {
	a1 := element(a, rowA)
	i, j := 0, 0
	for ; k >= 2; k -= 2 {
		y := (*[4]float64)(unsafe.Pointer(element(b, j)))
		x0, x1 := *element(a, i), *element(a1, i)
		c00 = fma(x0, y[0], c00)
		c01 = fma(x0, y[1], c01)
		c02 = fma(x0, y[2], c02)
		c03 = fma(x0, y[3], c03)
		c10 = fma(x1, y[0], c10)
		c11 = fma(x1, y[1], c11)
		c12 = fma(x1, y[2], c12)
		c13 = fma(x1, y[3], c13)
		i += colA
		j += rowB

		y = (*[4]float64)(unsafe.Pointer(element(b, j)))
		x0, x1 = *element(a, i), *element(a1, i)
		c00 = fma(x0, y[0], c00)
		c01 = fma(x0, y[1], c01)
		c02 = fma(x0, y[2], c02)
		c03 = fma(x0, y[3], c03)
		c10 = fma(x1, y[0], c10)
		c11 = fma(x1, y[1], c11)
		c12 = fma(x1, y[2], c12)
		c13 = fma(x1, y[3], c13)
		i += colA
		j += rowB
	}
	if k > 0 {
		y := (*[4]float64)(unsafe.Pointer(element(b, j)))
		x0, x1 := *element(a, i), *element(a1, i)
		c00 = fma(x0, y[0], c00)
		c01 = fma(x0, y[1], c01)
		c02 = fma(x0, y[2], c02)
		c03 = fma(x0, y[3], c03)
		c10 = fma(x1, y[0], c10)
		c11 = fma(x1, y[1], c11)
		c12 = fma(x1, y[2], c12)
		c13 = fma(x1, y[3], c13)
	}
	return c00, c01, c02, c03, c10, c11, c12, c13
}

// edgeGeneric computes a tile of up to two rows and four columns, element by element.
func edgeGeneric(m, n, k int, alpha float64, a *float64, rowA, colA int, b *float64, rowB int, store Store, c *float64, ldc int) {
	for i := range m {
		for j := range n {
			z, s := element(c, i*ldc+j), 0.0
			if store == Continue {
				s = alpha * *z
			}
			for p := range k {
				s = fma(*element(a, i*rowA+p*colA), *element(b, p*rowB+j), s)
			}
			if store == Add || store == AddPacked {
				*z = fma(alpha, s, *z)
			} else {
				*z = alpha * s
			}
		}
	}
}
