package kernel

// dtrsmGeneric is the reference for Solve.
func dtrsmGeneric(m, n int, t *float64, rowT, colT int, d *float64, x *float64, ldx int) {
	for j := range m {
		xj := element(x, j*ldx)
		if d != nil {
			dscalGeneric(n, *element(d, j), xj)
		}
		for i := j + 1; i < m; i++ {
			daxpyGeneric(n, -*element(t, i*rowT+j*colT), xj, element(x, i*ldx))
		}
	}
}

// dtrmmGeneric is the reference for Multiply.
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
