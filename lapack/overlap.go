package lapack

import (
	"unsafe"

	"blskernel/mat"

	"gonum.org/v1/gonum/blas/blas64"
)

// overlap reports whether a and b have an element in common. Of matrices whose rows are not equally far
// apart it says so where the one begins between the first and the last element of the other.
func overlap(a, b blas64.General) bool {
	if a.Rows == 0 || a.Cols == 0 || b.Rows == 0 || b.Cols == 0 {
		return false
	}
	at, bt := address(a), address(b)
	if bt < at {
		a, b, at, bt = b, a, bt, at
	}
	offset := (bt - at) / unsafe.Sizeof(float64(0))
	if offset >= uintptr((a.Rows-1)*a.Stride+a.Cols) {
		return false
	}
	if a.Stride != b.Stride {
		return true
	}
	// Views of one matrix: apart only if the columns of b lie between those of a and the next row.
	column := int(offset) % a.Stride
	return column < a.Cols || column+b.Cols > a.Stride
}

// checkOverlap panics if dst and b overlap and are not the same matrix.
func checkOverlap(dst, b *mat.Dense) {
	x, y := dst.RawMatrix(), b.RawMatrix()
	if dst != b && (address(x) != address(y) || x.Stride != y.Stride) && overlap(x, y) {
		panic(solveAliased)
	}
}

const solveAliased = "lapack: the solution overlaps the right-hand sides in part"

// address returns where the first element of a is.
func address(a blas64.General) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(a.Data))) }
