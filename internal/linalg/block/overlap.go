package block

import (
	"unsafe"

	"blskernel/internal/io/memory"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Overlap reports whether a and b share an element. If their strides differ, it reports whether one
// begins between the first and the last element of the other.
func Overlap(a, b blas64.General) bool {
	if a.Rows == 0 || a.Cols == 0 || b.Rows == 0 || b.Cols == 0 {
		return false
	}
	at, bt := Address(a.Data), Address(b.Data)
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
	// Views of one matrix are disjoint only if the columns of b fit to the right of a's columns.
	column := int(offset) % a.Stride
	return column < a.Cols || column+b.Cols > a.Stride
}

// Same reports whether a and b have the same elements in the same places.
func Same(a, b blas64.General) bool {
	return Address(a.Data) == Address(b.Data) && a.Rows == b.Rows && a.Cols == b.Cols && (a.Stride == b.Stride || a.Rows == 1)
}

// Reuse resizes an empty dst to r×c. If dst is not empty and has another size, Reuse panics with
// mat.ErrShape. An empty dst may keep storage from before a Reset; if that overlaps an operand, Reuse
// panics with the text overlap, since resizing dst would clear the operand.
func Reuse(dst *mat.Dense, r, c int, overlap string, operands ...blas64.General) {
	if !dst.IsEmpty() {
		if dr, dc := dst.Dims(); dr != r || dc != c {
			panic(mat.ErrShape)
		}
		return
	}
	if kept := dst.RawMatrix().Data; cap(kept) >= r*c {
		for _, x := range operands {
			if Overlap(Storage(kept[:r*c]), x) {
				panic(overlap)
			}
		}
	}
	if r > 0 && c > 0 {
		dst.ReuseAs(r, c)
	}
}

// PickRows returns a copy of the given rows of m, in the given order, or nil if m is nil. rows must not
// be empty.
func PickRows(m *mat.Dense, rows []int) *mat.Dense {
	if m == nil {
		return nil
	}
	_, cols := m.Dims()
	out := mat.NewDense(len(rows), cols, memory.Zeros(len(rows)*cols))
	for to, from := range rows {
		out.SetRow(to, m.RawRowView(from))
	}
	return out
}

// Pick returns a copy of the given rows of all, with n elements per row, or nil if all is empty.
func Pick[T any](all []T, n int, rows []int) []T {
	if len(all) == 0 {
		return nil
	}
	out := make([]T, 0, n*len(rows))
	for _, i := range rows {
		out = append(out, all[i*n:(i+1)*n]...)
	}
	return out
}

// Storage returns x as a matrix of one row, for Overlap.
func Storage(x []float64) blas64.General {
	return blas64.General{Rows: 1, Cols: len(x), Stride: len(x), Data: x}
}

// Address returns the address of the first element of x.
func Address(x []float64) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(x))) }
