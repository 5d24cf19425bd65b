package kernel

import "unsafe"

// dgemvNGeneric is the reference for GemvN: one inner product for each row.
func dgemvNGeneric(m, n int, alpha float64, a *float64, lda int, x *float64, beta float64, y *float64, incY int) {
	for i := range m {
		z, old := element(y, i*incY), 0.0
		if beta != 0 {
			old = beta * *z
		}
		*z = fma(alpha, ddotGeneric(n, element(a, i*lda), x), old)
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
			v = fma(t0, r0[j], v)
			v = fma(t1, r1[j], v)
			v = fma(t2, r2[j], v)
			v = fma(t3, r3[j], v)
			ys[j] = v
		}
	}
	for ; i < m; i++ {
		daxpyGeneric(n, alpha**element(x, i*incX), element(a, i*lda), y)
	}
}

// dgerGeneric is the reference for Ger: one Axpy for each row. It takes short rows four at a time,
// because a call for each row would cost too much.
func dgerGeneric(m, n int, alpha float64, x *float64, incX int, y, a *float64, lda int) {
	ys := unsafe.Slice(y, n)
	i := 0
	for ; n < 32 && i+4 <= m; i += 4 {
		t0, t1 := alpha**element(x, i*incX), alpha**element(x, (i+1)*incX)
		t2, t3 := alpha**element(x, (i+2)*incX), alpha**element(x, (i+3)*incX)
		r0, r1 := unsafe.Slice(element(a, i*lda), n), unsafe.Slice(element(a, (i+1)*lda), n)
		r2, r3 := unsafe.Slice(element(a, (i+2)*lda), n), unsafe.Slice(element(a, (i+3)*lda), n)
		for j, v := range ys {
			r0[j] = fma(t0, v, r0[j])
			r1[j] = fma(t1, v, r1[j])
			r2[j] = fma(t2, v, r2[j])
			r3[j] = fma(t3, v, r3[j])
		}
	}
	for ; i < m; i++ {
		daxpyGeneric(n, alpha**element(x, i*incX), y, element(a, i*lda))
	}
}

func ddotxaxpyfGeneric(m, n int, alpha float64, a *float64, lda, step int, x, u, y, v *float64) {
	us, vs := unsafe.Slice(u, m), unsafe.Slice(v, m)
	for i, t := range us {
		var s [8]float64
		whole := n &^ 7
		dotAxpyLanes(&s, whole, alpha*t, a, x, y)
		if rest := n - whole; rest > 0 {
			var r, e, z [8]float64
			own := unsafe.Slice(element(y, whole), rest)
			copy(r[:], unsafe.Slice(element(a, whole), rest))
			copy(e[:], unsafe.Slice(element(x, whole), rest))
			copy(z[:], own)
			dotAxpyLanes(&s, 8, alpha*t, &r[0], &e[0], &z[0])
			copy(own, z[:])
		}
		vs[i] = fma(alpha, sumLanes(&s), vs[i])
		if i+1 < m { // otherwise the address could be beyond the array
			a = element(a, lda)
			lda += step
		}
	}
}

// dotAxpyLanes adds row[i]·x[i] to s[i%8] and t·row[i] to y[i] for i < n. n is a multiple of eight.
func dotAxpyLanes(s *[8]float64, n int, t float64, row, x, y *float64) {
	rs, xs, ys := unsafe.Slice(row, n), unsafe.Slice(x, n), unsafe.Slice(y, n)
	for half := 0; half < 8; half += 4 {
		w := (*[4]float64)(s[half:])
		s0, s1, s2, s3 := w[0], w[1], w[2], w[3]
		for i := half; i < n; i += 8 {
			r, e, z := (*[4]float64)(rs[i:]), (*[4]float64)(xs[i:]), (*[4]float64)(ys[i:])
			s0 = fma(r[0], e[0], s0)
			z[0] = fma(t, r[0], z[0])
			s1 = fma(r[1], e[1], s1)
			z[1] = fma(t, r[1], z[1])
			s2 = fma(r[2], e[2], s2)
			z[2] = fma(t, r[2], z[2])
			s3 = fma(r[3], e[3], s3)
			z[3] = fma(t, r[3], z[3])
		}
		w[0], w[1], w[2], w[3] = s0, s1, s2, s3
	}
}

func dsymvGeneric(upper bool, m int, alpha float64, a *float64, lda, step int, x, y *float64) {
	xs, ys := unsafe.Slice(x, m), unsafe.Slice(y, m)
	for i, v := range xs {
		first, end := 0, i
		if upper {
			first, end = i+1, m
		}
		t, s := alpha*v, 0.0
		for j := first; j < end; j++ {
			e := *element(a, j)
			s += float64(e * xs[j])
			ys[j] += float64(t * e)
		}
		ys[i] += float64(alpha * (float64(*element(a, i)*v) + s))
		if i+1 < m { // otherwise the address could be beyond the array
			a = element(a, lda)
			lda += step
		}
	}
}

// symvOf returns a Symv that calls upper or lower for SymvRows rows, and dsymvGeneric for fewer.
func symvOf(upper, lower func(alpha float64, a *float64, lda, step int, x, y *float64)) func(isUpper bool, m int, alpha float64, a *float64, lda, step int, x, y *float64) {
	return func(isUpper bool, m int, alpha float64, a *float64, lda, step int, x, y *float64) {
		switch {
		case m < SymvRows:
			dsymvGeneric(isUpper, m, alpha, a, lda, step, x, y)
		case isUpper:
			upper(alpha, a, lda, step, x, y)
		default:
			lower(alpha, a, lda, step, x, y)
		}
	}
}
