package lapack

// LogDet returns log|det A| and the sign of det A, 1 or -1: det A = sign*exp(log), which itself often
// overflows or underflows. It is the determinant of a matrix within the backward error of A,
// rounded by no more than about (4n + |log|)u, u = 2⁻⁵³. The sign is that of (-1)^negative with
// Inertia's number of negative eigenvalues. It takes O(n) time. For n = 0 the result is 0, 1. LogDet
// panics if the receiver is empty.
func (f *LDLT) LogDet() (log, sign float64) {
	f.mustHold()
	p := unitProduct()
	for k := 0; k < f.n; k++ {
		e := f.d.e[k]
		if e == 0 {
			p.multiply(f.d.d[k])
			continue
		}
		// The determinant of the block is e²(d₀/e d₁/e - 1), whose square is split from it since
		// it may overflow; the difference is without cancellation, as |d₀d₁| is well below e².
		p.multiply(e)
		p.multiply(e)
		p.multiply(f.d.d[k]/e*(f.d.d[k+1]/e) - 1)
		k++
	}
	return p.log()
}
