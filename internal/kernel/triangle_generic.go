package kernel

import "unsafe"

// dtrsmGeneric is the reference for Solve.
func dtrsmGeneric(m, n int, t *float64, rowT, colT int, d *float64, x *float64, ldx int) {
	for j := range m {
		xj := unsafe.Slice(element(x, j*ldx), n)
		if d != nil {
			scale(*element(d, j), xj)
		}
		for i := j + 1; i < m; i++ {
			addTimes(unsafe.Slice(element(x, i*ldx), n), -*element(t, i*rowT+j*colT), xj)
		}
	}
}

// dtrmmGeneric is the reference for Multiply.
func dtrmmGeneric(m, n int, t *float64, rowT, colT int, d *float64, x *float64, ldx int) {
	for j := m - 1; j >= 0; j-- {
		xj := unsafe.Slice(element(x, j*ldx), n)
		for i := j + 1; i < m; i++ {
			addTimes(unsafe.Slice(element(x, i*ldx), n), *element(t, i*rowT+j*colT), xj)
		}
		if d != nil {
			scale(*element(d, j), xj)
		}
	}
}

func scale(a float64, x []float64) {
	for i := range x {
		x[i] *= a
	}
}

// addTimes adds a·x to y.
func addTimes(y []float64, a float64, x []float64) {
	x = x[:len(y)]
	for i, v := range x {
		y[i] += a * v
	}
}
