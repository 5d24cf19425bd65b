package lapack

import "math"

// LogDet returns log|det A| and the sign of det A: det A = sign*exp(log), which itself often overflows
// or underflows. It is the determinant of a matrix within the backward error of A, rounded by no more
// than about (n + |log|)u, u = 2⁻⁵³; to n u cond(A) the two differ. It takes O(n) time. For n = 0 the
// result is 0, 1. LogDet panics if the receiver is empty.
func (f *LU) LogDet() (log, sign float64) {
	f.mustHold()
	p := unitProduct()
	for k, s := range f.swap {
		d := f.lu.Data[k*f.lu.Stride+k]
		if s != k {
			d = -d
		}
		p.multiply(d)
	}
	return p.log()
}

// GrowthFactor returns max|u_ij| / max|a_ij|, by how much the elements of A grew in the elimination,
// and 1 for n = 0. The backward error of the factorization and of solutions is bounded by about n u
// times this number, relative to A and in practice without the n (Higham, Accuracy and Stability of
// Numerical Algorithms, sections 9.3 and 9.4). It can be as large as 2ⁿ⁻¹; it is less than 100 for
// nearly every matrix that is not made to show it, and where it is not, Refine or QR is worth its
// price. U is that of Aᵀ where LU factors the transpose. It takes n²/2 comparisons. GrowthFactor
// panics if the receiver is empty. (LAPACK's dgesvx returns the reciprocal, and of the growth in
// single columns if A is singular.)
func (f *LU) GrowthFactor() float64 {
	f.mustHold()
	n := f.Dim()
	if n == 0 {
		return 1
	}
	umax := 0.0
	for i := range n {
		row := f.lu.Data[i*f.lu.Stride : i*f.lu.Stride+n]
		if f.transposed() {
			row = row[:i+1]
		} else {
			row = row[i:]
		}
		umax = max(umax, math.Abs(row[largestAt(row)]))
	}
	return umax / f.amax
}
