package kernel

import "unsafe"

// dtrsmGeneric is the reference for Solve. It subtracts multiples of each row from the rows below.
func dtrsmGeneric(m, n int, t *float64, rowT, colT int, d *float64, x *float64, ldx int) {
	for j := range m {
		xj, f := element(x, j*ldx), 1.0
		if d != nil {
			f = *element(d, j)
		}
		row := unsafe.Slice(xj, n)
		for c, v := range row {
			row[c] = fma(f, v, 0)
		}
		for i := j + 1; i < m; i++ {
			daxpyGeneric(n, -*element(t, i*rowT+j*colT), xj, element(x, i*ldx))
		}
	}
}

// dtrmmGeneric is the reference for Multiply. It adds multiples of each row to the rows below.
func dtrmmGeneric(m, n int, t *float64, rowT, colT int, d *float64, x *float64, ldx int) {
	for j := m - 1; j >= 0; j-- {
		xj := element(x, j*ldx)
		for i := j + 1; i < m; i++ {
			daxpyGeneric(n, *element(t, i*rowT+j*colT), xj, element(x, i*ldx))
		}
		if d != nil {
			dscalGeneric(n, *element(d, j), xj)
		}
	}
}
