package mat

import (
	"blskernel/internal/linalg/block"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// regionOverlap is gonum's text.
const regionOverlap = "mat: bad region: overlap"

// unaliased returns a, or a copy of it if dst is the same matrix. It panics if they overlap in part.
func unaliased(dst, a *Dense) *Dense {
	d, x := dst.RawMatrix(), a.RawMatrix()
	if block.Overlap(d, x) && block.Same(d, x) {
		return mat.DenseCopyOf(a)
	}
	checkApart(d, x)
	return a
}

// checkApart panics if a and b overlap.
func checkApart(a, b blas64.General) {
	if block.Overlap(a, b) {
		panic(regionOverlap)
	}
}
