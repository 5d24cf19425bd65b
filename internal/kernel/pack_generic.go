package kernel

import "unsafe"

// dcopyGeneric is the reference for Copy.
func dcopyGeneric(m, n int, src *float64, lds int, dst *float64, ldd int) {
	for i := range m {
		copy(unsafe.Slice(element(dst, i*ldd), n), unsafe.Slice(element(src, i*lds), n))
	}
}

// dtransposeGeneric is the reference for Transpose. It writes along the rows of dst, because a cache
// miss costs more for a store than for a load.
func dtransposeGeneric(m, n int, src *float64, lds int, dst *float64, ldd int) {
	for j := range n {
		row := unsafe.Slice(element(dst, j*ldd), m)
		at := 0
		for i := range row {
			row[i] = *element(src, at+j)
			at += lds
		}
	}
}

// transposeBy makes a Transpose of one for multiples of w; dtransposeGeneric copies the edges.
func transposeBy(w int, whole func(m, n int, src *float64, lds int, dst *float64, ldd int)) func(m, n int, src *float64, lds int, dst *float64, ldd int) {
	return func(m, n int, src *float64, lds int, dst *float64, ldd int) {
		mw, nw := m-m%w, n-n%w
		if mw > 0 && nw > 0 {
			whole(mw, nw, src, lds, dst, ldd)
		}
		if n > nw && mw > 0 {
			dtransposeGeneric(mw, n-nw, element(src, nw), lds, element(dst, nw*ldd), ldd)
		}
		if m > mw {
			dtransposeGeneric(m-mw, n, element(src, mw*lds), lds, element(dst, mw), ldd)
		}
	}
}
