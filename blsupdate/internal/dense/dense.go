// Package dense has the operations on dense matrices that the methods share.
package dense

import (
	"blskernel"
	"blskernel/internal/io/codec"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/floats"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonummat "gonum.org/v1/gonum/mat"
)

// Gemm computes C = alpha op(A) op(B) + beta C, where tA and tB select the op of A and B.
func Gemm(on blskernel.Backend, tA, tB blas.Transpose, alpha float64, a, b *mat.Dense, beta float64, c *mat.Dense) {
	ra, rb, rc := a.RawMatrix(), b.RawMatrix(), c.RawMatrix()
	k := ra.Cols
	if tA == blas.Trans {
		k = ra.Rows
	}
	on.Dgemm(tA, tB, rc.Rows, rc.Cols, k, alpha, ra.Data, ra.Stride, rb.Data, rb.Stride, beta, rc.Data, rc.Stride)
}

// Sprk computes S = alpha AᵀA + beta S.
func Sprk(on blskernel.PackedProducts, alpha float64, a *mat.Dense, beta float64, s *mat.SymPacked) {
	raw := a.RawMatrix()
	on.Dsprk(blas.Trans, raw.Cols, raw.Rows, alpha, raw.Data, raw.Stride, beta, s.RawSymPacked().Data)
}

// Gemmtp computes S = alpha A Bᵀ + beta S, where A Bᵀ is symmetric.
func Gemmtp(on blskernel.PackedProducts, alpha float64, a, b *mat.Dense, beta float64, s *mat.SymPacked) {
	ra, rb := a.RawMatrix(), b.RawMatrix()
	on.Dgemmtp(blas.NoTrans, blas.Trans, ra.Rows, ra.Cols, alpha, ra.Data, ra.Stride, rb.Data, rb.Stride, beta,
		s.RawSymPacked().Data)
}

// Rows and Cols return the numbers of rows and columns of m.
func Rows(m *mat.Dense) int { return m.RawMatrix().Rows }
func Cols(m *mat.Dense) int { return m.RawMatrix().Cols }

// RowRange returns rows [from, to) of m, which share the storage of m.
func RowRange(m *mat.Dense, from, to int) *mat.Dense {
	return m.Slice(from, to, 0, Cols(m)).(*mat.Dense)
}

// Copy returns a contiguous copy of m.
func Copy(m *mat.Dense) *mat.Dense {
	if m.IsEmpty() {
		return new(mat.Dense)
	}
	c := mat.NewDense(Rows(m), Cols(m), nil)
	c.Copy(m)
	return c
}

// CopySym returns a copy of s.
func CopySym(s *mat.SymPacked) *mat.SymPacked {
	c := new(mat.SymPacked)
	c.CopySym(s)
	return c
}

// CodeSym writes or reads the triangle of a symmetric n×n matrix, which errors call what.
func CodeSym(x *codec.Coder, what string, s **mat.SymPacked, n int) {
	var data []float64
	if !x.Reading() {
		data = (*s).RawSymPacked().Data
	}
	if x.Floats(what, &data, block.PackedLen(n)); x.Reading() && !x.Failed() {
		*s = mat.NewSymPacked(n, data)
	}
}

// Compact returns the elements of m in row-major order, in new storage.
func Compact(m *mat.Dense) []float64 { return Copy(m).RawMatrix().Data }

// Finite reports whether all elements of the matrices are finite.
func Finite(ms ...*mat.Dense) bool {
	for _, m := range ms {
		for i := range Rows(m) {
			if !floats.Finite(m.RawRowView(i)) {
				return false
			}
		}
	}
	return true
}

// Beside returns [A, H].
func Beside(a, h *mat.Dense) *mat.Dense {
	var both mat.Dense
	both.Augment(a, h)
	return &both
}

// Bordered returns the symmetric matrix [S E; Eᵀ C], where E is k×p.
func Bordered(s *mat.SymPacked, e *mat.Dense, c *mat.SymPacked) *mat.SymPacked {
	k, p := e.Dims()
	data, old := make([]float64, 0, block.PackedLen(k+p)), s.RawSymPacked().Data
	for i := range k {
		data = append(append(data, old[:k-i]...), e.RawRowView(i)...)
		old = old[k-i:]
	}
	return mat.NewSymPacked(k+p, append(data, c.RawSymPacked().Data...))
}

// Place copies src into the block of dst that starts at element (i, j).
func Place(dst *mat.Dense, i, j int, src *mat.Dense) {
	rows, cols := src.Dims()
	dst.Slice(i, i+rows, j, j+cols).(*mat.Dense).Copy(src)
}

// ScaleRows multiplies row i of m by factors[i].
func ScaleRows(m *mat.Dense, factors []float64) {
	for i, f := range factors {
		Scale(f, m.RawRowView(i))
	}
}

// DivideColumns divides column j of m by units[j].
func DivideColumns(m *mat.Dense, units []float64) {
	for i := range Rows(m) {
		row := m.RawRowView(i)
		for j, u := range units {
			row[j] /= u
		}
	}
}

// Equilibrated returns a copy of m with its columns divided by the Powers of lengths.
func Equilibrated(m *mat.Dense, lengths []float64) *mat.Dense {
	scaled := Copy(m)
	units, _ := Powers(lengths)
	DivideColumns(scaled, units)
	return scaled
}

// Triangle returns a k×k matrix of zeros, to hold a triangle. Its pages have 4 KiB instead of the 2 MiB
// of package mat, so the half that is never written takes little memory.
func Triangle(k int) *mat.Dense { return gonummat.NewDense(k, k, nil) }

// ScaledIdentity returns f I of order k, stored like the result of Triangle.
func ScaledIdentity(k int, f float64) *mat.Dense {
	m := Triangle(k)
	for i := range k {
		m.Set(i, i, f)
	}
	return m
}

// IdentityPacked returns I of order n.
func IdentityPacked(n int) *mat.SymPacked {
	m := mat.NewSymPacked(n, nil)
	m.AddDiagonal(1)
	return m
}

// Transposed returns a copy of mᵀ.
func Transposed(m *mat.Dense) *mat.Dense { return gonummat.DenseCopyOf(m.T()) }
