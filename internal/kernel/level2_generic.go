package kernel

import "unsafe"

// gemvNGeneric is the reference for GemvN: one inner product for each row.
func gemvNGeneric(m, n int, alpha float64, a *float64, lda int, x *float64, beta float64, y *float64, incY int) {
	for i := range m {
		s := alpha * dotGeneric(n, element(a, i*lda), x)
		if beta != 0 {
			s += beta * *element(y, i*incY)
		}
		*element(y, i*incY) = s
	}
}

// gemvTGeneric is the reference for GemvT. y takes four rows at a time, so that it is loaded and stored once
// for four products.
func gemvTGeneric(m, n int, alpha float64, a *float64, lda int, x *float64, incX int, beta float64, y *float64) {
	ys := unsafe.Slice(y, n)
	switch beta {
	case 0:
		clear(ys)
	case 1:
	default:
		scalGeneric(n, beta, y)
	}
	i := 0
	for ; i+4 <= m; i += 4 {
		t0, t1 := alpha**element(x, i*incX), alpha**element(x, (i+1)*incX)
		t2, t3 := alpha**element(x, (i+2)*incX), alpha**element(x, (i+3)*incX)
		r0, r1 := unsafe.Slice(element(a, i*lda), n), unsafe.Slice(element(a, (i+1)*lda), n)
		r2, r3 := unsafe.Slice(element(a, (i+2)*lda), n), unsafe.Slice(element(a, (i+3)*lda), n)
		for j, v := range ys {
			v += t0 * r0[j]
			v += t1 * r1[j]
			v += t2 * r2[j]
			v += t3 * r3[j]
			ys[j] = v
		}
	}
	for ; i < m; i++ {
		axpyGeneric(n, alpha**element(x, i*incX), element(a, i*lda), y)
	}
}

// gerGeneric is the reference for Ger: one Axpy for each row. Short rows, for which a call costs too much,
// are taken four at a time.
func gerGeneric(m, n int, alpha float64, x *float64, incX int, y, a *float64, lda int) {
	ys := unsafe.Slice(y, n)
	i := 0
	for ; n < 32 && i+4 <= m; i += 4 {
		t0, t1 := alpha**element(x, i*incX), alpha**element(x, (i+1)*incX)
		t2, t3 := alpha**element(x, (i+2)*incX), alpha**element(x, (i+3)*incX)
		r0, r1 := unsafe.Slice(element(a, i*lda), n), unsafe.Slice(element(a, (i+1)*lda), n)
		r2, r3 := unsafe.Slice(element(a, (i+2)*lda), n), unsafe.Slice(element(a, (i+3)*lda), n)
		for j, v := range ys {
			r0[j] += t0 * v
			r1[j] += t1 * v
			r2[j] += t2 * v
			r3[j] += t3 * v
		}
	}
	for ; i < m; i++ {
		axpyGeneric(n, alpha**element(x, i*incX), y, element(a, i*lda))
	}
}
