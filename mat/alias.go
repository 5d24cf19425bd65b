package mat

import (
	"unsafe"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// unaliased returns a, or a copy of it where dst is the same matrix. It panics with the text of
// gonum if they overlap in part.
func unaliased(dst, a *Dense) *Dense {
	d, x := dst.RawMatrix(), a.RawMatrix()
	if !overlap(used(d), used(x)) {
		return a
	}
	d0, x0 := address(d.Data), address(x.Data)
	if d0 == x0 && d.Rows == x.Rows && d.Cols == x.Cols && d.Stride == x.Stride {
		return mat.DenseCopyOf(a)
	}
	if d.Stride == x.Stride && disjointColumns(d0, x0, d.Cols, x.Cols, d.Stride) {
		return a
	}
	panic(regionOverlap)
}

// regionOverlap is gonum's text.
const regionOverlap = "mat: bad region: overlap"

// checkApart panics if a and b have elements in common.
func checkApart(a, b []float64) {
	if overlap(a, b) {
		panic(regionOverlap)
	}
}

// overlap tells whether the address ranges of a and b have a common part.
func overlap(a, b []float64) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	const size = unsafe.Sizeof(float64(0))
	a0, b0 := address(a), address(b)
	return a0 < b0+uintptr(len(b))*size && b0 < a0+uintptr(len(a))*size
}

func address(x []float64) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(x))) }

// used returns the elements from the first to the last one of m.
func used(m blas64.General) []float64 {
	if m.Rows == 0 || m.Cols == 0 {
		return nil
	}
	return m.Data[:(m.Rows-1)*m.Stride+m.Cols]
}

// disjointColumns tells whether two views of one matrix with the given stride, whose address ranges
// overlap, hold different columns of it.
func disjointColumns(a, b uintptr, aCols, bCols, stride int) bool {
	const size = unsafe.Sizeof(float64(0))
	if a > b {
		a, b, aCols, bCols = b, a, bCols, aCols
	}
	offset := int((b-a)/size) % stride
	return offset >= aCols && offset+bCols <= stride
}

// reuseDense gives an empty dst the size r×c and panics if dst has another size. It panics too if an empty
// dst keeps storage, since a Reset, in which one of the operands lies: ReuseAs would clear that.
func reuseDense(dst *Dense, r, c int, operands ...[]float64) {
	if dst.IsEmpty() {
		if r > 0 && c > 0 {
			if kept := dst.RawMatrix().Data; cap(kept) >= r*c {
				for _, x := range operands {
					checkApart(kept[:r*c], x)
				}
			}
			dst.ReuseAs(r, c)
		}
		return
	}
	if dr, dc := dst.Dims(); dr != r || dc != c {
		panic(mat.ErrShape)
	}
}
