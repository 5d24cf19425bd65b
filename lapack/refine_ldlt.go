package lapack

import "blskernel/mat"

// Refine improves the solution x of A X = B, for the matrix a that was factored and the right-hand
// sides b, by one step of iterative refinement, and returns bounds of its errors: see Cholesky.Refine,
// whose sizes, flops, errors and panics it has. (LAPACK: dsprfs.)
func (f *LDLT) Refine(x *mat.Dense, a *mat.SymPacked, b *mat.Dense) (ErrorBounds, error) {
	f.mustHold()
	return refinePacked(f.Backend, "Dsprfs", f.Dim(), x, a, b, f.solve)
}
