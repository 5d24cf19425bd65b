package kernel

import "unsafe"

func dcopyGeneric(m, n int, src *float64, lds, stepS int, dst *float64, ldd, stepD int) {
	from, to := 0, 0
	for range m {
		copy(unsafe.Slice(element(dst, to), n), unsafe.Slice(element(src, from), n))
		from, to = from+lds, to+ldd
		lds, ldd = lds+stepS, ldd+stepD
	}
}

// dtransposeGeneric is the reference for Transpose. It writes dst row by row, because a cache miss
// costs more for a store than for a load.
func dtransposeGeneric(m, n int, src *float64, lds, step int, dst *float64, ldd int) {
	for j := range n {
		row := unsafe.Slice(element(dst, j*ldd), m)
		at, distance := j, lds
		for i := range row {
			row[i] = *element(src, at)
			at, distance = at+distance, distance+step
		}
	}
}

// transposeBy returns a Transpose that calls whole, for which m and n must be multiples of w. For other
// m and n, the last blocks of w overlap earlier blocks. dtransposeGeneric handles m < w or n < w.
func transposeBy(w int, whole func(m, n int, src *float64, lds, step int, dst *float64, ldd int)) func(m, n int, src *float64, lds, step int, dst *float64, ldd int) {
	return func(m, n int, src *float64, lds, step int, dst *float64, ldd int) {
		if m < w || n < w {
			dtransposeGeneric(m, n, src, lds, step, dst, ldd)
			return
		}
		mw, nw := m-m%w, n-n%w
		whole(mw, nw, src, lds, step, dst, ldd)
		if n > nw {
			whole(mw, w, element(src, n-w), lds, step, element(dst, (n-w)*ldd), ldd)
		}
		if m > mw {
			i := m - w // the first of the last w rows
			row, down := i*lds+i*(i-1)/2*step, lds+i*step
			whole(w, nw, element(src, row), down, step, element(dst, i), ldd)
			if n > nw {
				whole(w, w, element(src, row+n-w), down, step, element(dst, (n-w)*ldd+i), ldd)
			}
		}
	}
}
