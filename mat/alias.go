package mat

import (
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// regionOverlap is gonum's text.
const regionOverlap = "mat: bad region: overlap"

// unaliased returns a, or a copy of it if dst is the same matrix. It panics if they overlap in part.
func unaliased(dst, a *Dense) *Dense {
	d, x := dst.RawMatrix(), a.RawMatrix()
	if block.Overlap(d, x) && d.Rows == x.Rows && d.Cols == x.Cols && d.Stride == x.Stride && block.Address(d.Data) == block.Address(x.Data) {
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

// reuseDense gives an empty dst the size r×c and panics if dst has another size. It panics too if an
// empty dst keeps storage, since a Reset, that overlaps an operand: ReuseAs would clear the operand.
func reuseDense(dst *Dense, r, c int, operands ...blas64.General) {
	if !dst.IsEmpty() {
		if dr, dc := dst.Dims(); dr != r || dc != c {
			panic(mat.ErrShape)
		}
		return
	}
	if r == 0 || c == 0 {
		return
	}
	if kept := dst.RawMatrix().Data; cap(kept) >= r*c {
		for _, x := range operands {
			checkApart(block.Storage(kept[:r*c]), x)
		}
	}
	dst.ReuseAs(r, c)
}
