package lapack

import (
	"blskernel"
	"blskernel/internal/block"
	"blskernel/internal/lapack"
	"blskernel/mat"
)

// norm1Packed returns the 1-norm of a, or an *ElementError for its first element that is NaN or
// infinite.
func norm1Packed(bk blskernel.Backend, routine string, a *mat.SymPacked) (float64, error) {
	n, ap := a.SymmetricDim(), a.RawSymPacked().Data
	norm := lapack.Lansy(lapack.On(bk), n, block.Packed(n, ap, 0, 0))
	if isFinite(norm) {
		return norm, nil
	}
	return norm, checkFinitePacked(bk, routine, n, ap, ErrNotFinite) // nil where only the sum overflows
}

// packedCopy returns a copy of a.
func packedCopy(a *mat.SymPacked) *mat.SymPacked {
	var c mat.SymPacked
	c.CopySym(a)
	return &c
}

// copyFactor copies the packed factor to dst, gives dst the order n, and returns its storage.
func copyFactor(dst *mat.SymPacked, n int, ap []float64) []float64 {
	checkShape(dst.IsEmpty() || dst.SymmetricDim() == n)
	dst.CopySym(mat.NewSymPacked(n, ap))
	return dst.RawSymPacked().Data
}

// baseOrder returns the order up to which triangles are done in a workspace.
func baseOrder(set int) int {
	if set > 0 {
		return set
	}
	return lapack.Base
}
