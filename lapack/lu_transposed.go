package lapack

import "blskernel"

// dgetrf overwrites the n×n a by the factors of P Aᵀ = L U, as a library that has storage by columns
// computes them; see LU.
func dgetrf(library blskernel.ColumnMajorLAPACK, n int, a []float64, lda int, swap []int) *PivotError {
	ipiv := make([]int32, n)
	zero := library.Dgetrf(n, n, a, lda, ipiv) - 1
	// What overflows makes a row of what is left infinite or NaN, and so the diagonal, at the latest
	// when that row becomes a pivot.
	for k := range n {
		d := a[k*lda+k]
		switch {
		case !isFinite(d):
			return &PivotError{Routine: "Dgetrf", Index: k, Pivot: d, Err: ErrNotFinite}
		case k == zero:
			return &PivotError{Routine: "Dgetrf", Index: k, Pivot: d, Err: ErrSingular}
		}
		swap[k] = int(ipiv[k]) - 1
	}
	return nil
}

// dgetri overwrites those factors by A⁻¹.
func dgetri(library blskernel.ColumnMajorLAPACK, n int, a []float64, lda int, swap []int) {
	ipiv := make([]int32, n)
	for k, s := range swap {
		ipiv[k] = int32(s + 1)
	}
	library.Dgetri(n, a, lda, ipiv, make([]float64, dgetriColumns*n))
}

// dgetriColumns is the number of columns for which dgetri wants a workspace.
const dgetriColumns = 64
