package mat

import (
	"unsafe"

	"gonum.org/v1/gonum/mat"
)

// unaliased returns a, or a copy of it where dst is the same matrix. It panics with the text of
// gonum if they overlap in part.
func unaliased(dst, a *Dense) *Dense {
	d, x := dst.RawMatrix(), a.RawMatrix()
	if len(d.Data) == 0 || len(x.Data) == 0 {
		return a
	}
	const size = unsafe.Sizeof(float64(0))
	d0, x0 := uintptr(unsafe.Pointer(&d.Data[0])), uintptr(unsafe.Pointer(&x.Data[0]))
	d1, x1 := d0+uintptr((d.Rows-1)*d.Stride+d.Cols)*size, x0+uintptr((x.Rows-1)*x.Stride+x.Cols)*size
	if d1 <= x0 || x1 <= d0 {
		return a
	}
	if d0 == x0 && d.Rows == x.Rows && d.Cols == x.Cols && d.Stride == x.Stride {
		return mat.DenseCopyOf(a)
	}
	if d.Stride == x.Stride && disjointColumns(d0, x0, d.Cols, x.Cols, d.Stride) {
		return a
	}
	panic("mat: destination overlaps an operand in part")
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

// reuseDense gives an empty dst the size r×c and panics if dst has another size.
func reuseDense(dst *Dense, r, c int) {
	if dst.IsEmpty() {
		if r > 0 && c > 0 {
			dst.ReuseAs(r, c)
		}
		return
	}
	if dr, dc := dst.Dims(); dr != r || dc != c {
		panic(mat.ErrShape)
	}
}
