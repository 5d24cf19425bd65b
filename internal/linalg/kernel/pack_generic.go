package kernel

import "unsafe"

func dcopyGeneric(m, n int, src *float64, lds int, dst *float64, ldd int) {
	for i := range m {
		copy(unsafe.Slice(element(dst, i*ldd), n), unsafe.Slice(element(src, i*lds), n))
	}
}

// dtransposeGeneric is the reference for Transpose. It writes dst row by row, because a cache miss
// costs more for a store than for a load.
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

// transposeBy returns a Transpose that calls whole, for which m and n must be multiples of w. For other
// m and n, the last blocks of w overlap earlier blocks. dtransposeGeneric handles m < w or n < w.
func transposeBy(w int, whole func(m, n int, src *float64, lds int, dst *float64, ldd int)) func(m, n int, src *float64, lds int, dst *float64, ldd int) {
	return func(m, n int, src *float64, lds int, dst *float64, ldd int) {
		if m < w || n < w {
			dtransposeGeneric(m, n, src, lds, dst, ldd)
			return
		}
		mw, nw := m-m%w, n-n%w
		whole(mw, nw, src, lds, dst, ldd)
		if n > nw {
			whole(mw, w, element(src, n-w), lds, element(dst, (n-w)*ldd), ldd)
		}
		if m > mw {
			whole(w, nw, element(src, (m-w)*lds), lds, element(dst, m-w), ldd)
			if n > nw {
				whole(w, w, element(src, (m-w)*lds+n-w), lds, element(dst, (n-w)*ldd+m-w), ldd)
			}
		}
	}
}
