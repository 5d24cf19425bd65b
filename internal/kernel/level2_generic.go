package kernel

import "unsafe"

// dgemvNGeneric is the reference for GemvN: one inner product for each row.
func dgemvNGeneric(m, n int, alpha float64, a *float64, lda int, x *float64, beta float64, y *float64, incY int) {
	for i := range m {
		s := alpha * ddotGeneric(n, element(a, i*lda), x)
		if beta != 0 {
			s += beta * *element(y, i*incY)
		}
		*element(y, i*incY) = s
	}
}

// dgemvTGeneric is the reference for GemvT. Four rows share each load and store of y.
func dgemvTGeneric(m, n int, alpha float64, a *float64, lda int, x *float64, incX int, beta float64, y *float64) {
	ys := unsafe.Slice(y, n)
	switch beta {
	case 0:
		clear(ys)
	case 1:
	default:
		dscalGeneric(n, beta, y)
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
		daxpyGeneric(n, alpha**element(x, i*incX), element(a, i*lda), y)
	}
}

// dgerGeneric is the reference for Ger: one Axpy for each row. Short rows, for which a call costs too
// much, are taken four at a time.
func dgerGeneric(m, n int, alpha float64, x *float64, incX int, y, a *float64, lda int) {
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
		daxpyGeneric(n, alpha**element(x, i*incX), y, element(a, i*lda))
	}
}

// ddotxaxpyfGeneric is the reference for Dotxaxpyf. Four rows at a time share the loads of x and of y.
func ddotxaxpyfGeneric(m, n int, alpha float64, a *float64, lda, step int, x, u, y, v *float64) {
	xs, ys, us, vs := unsafe.Slice(x, n), unsafe.Slice(y, n), unsafe.Slice(u, m), unsafe.Slice(v, m)
	at := 0
	row := func() []float64 {
		r := unsafe.Slice(element(a, at), n)
		at += lda
		lda += step
		return r
	}
	i := 0
	for ; i+4 <= m; i += 4 {
		r0, r1, r2, r3 := row(), row(), row(), row()
		t0, t1, t2, t3 := alpha*us[i], alpha*us[i+1], alpha*us[i+2], alpha*us[i+3]
		var s0, s1, s2, s3 float64
		for j, e := range xs {
			w := ys[j]
			s0 += r0[j] * e
			w += t0 * r0[j]
			s1 += r1[j] * e
			w += t1 * r1[j]
			s2 += r2[j] * e
			w += t2 * r2[j]
			s3 += r3[j] * e
			w += t3 * r3[j]
			ys[j] = w
		}
		vs[i] += alpha * s0
		vs[i+1] += alpha * s1
		vs[i+2] += alpha * s2
		vs[i+3] += alpha * s3
	}
	for ; i < m; i++ {
		r, t := row(), alpha*us[i]
		var s float64
		for j, e := range xs {
			s += r[j] * e
			ys[j] += t * r[j]
		}
		vs[i] += alpha * s
	}
}
