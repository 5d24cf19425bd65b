package kernel

import "unsafe"

// drotateGeneric is the reference for Rotate.
func drotateGeneric(m, k, n int, ts *float64, ldt int, a *float64, lda int) {
	for w := range m {
		for j := range k {
			t, s := *element(ts, w*ldt+2*j), *element(ts, w*ldt+2*j+1)
			x, y := unsafe.Slice(element(a, (j-w)*lda), n), unsafe.Slice(element(a, (j-w+1)*lda), n)
			for i, v := range y {
				u := fma(t, v, x[i])
				v = fma(-s, u, v)
				x[i], y[i] = fma(t, v, u), v
			}
		}
	}
}
