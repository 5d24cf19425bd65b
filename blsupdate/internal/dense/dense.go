// Package dense has the operations on dense matrices that the methods share.
package dense

import (
	"blskernel"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonummat "gonum.org/v1/gonum/mat"
)

// Gemm computes C = alpha op(A) op(B) + beta C on b.
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

// Rows returns the number of rows of m.
func Rows(m *mat.Dense) int { return m.RawMatrix().Rows }

// Cols returns the number of columns of m.
func Cols(m *mat.Dense) int { return m.RawMatrix().Cols }

// RowRange returns rows [from, to) of m, which share its storage.
func RowRange(m *mat.Dense, from, to int) *mat.Dense {
	return m.Slice(from, to, 0, Cols(m)).(*mat.Dense)
}

// Copy returns a copy of m without gaps between rows.
func Copy(m *mat.Dense) *mat.Dense { return gonummat.DenseCopyOf(m) }

// CopySym returns a copy of s.
func CopySym(s *mat.SymPacked) *mat.SymPacked {
	c := new(mat.SymPacked)
	c.CopySym(s)
	return c
}

// Compact returns the elements of m by rows, in new storage.
func Compact(m *mat.Dense) []float64 { return Copy(m).RawMatrix().Data }

// Beside returns [A, H].
func Beside(a, h *mat.Dense) *mat.Dense {
	var both mat.Dense
	both.Augment(a, h)
	return &both
}

// PickColumns returns a copy of the given columns of m.
func PickColumns(m *mat.Dense, which []int) *mat.Dense {
	out := mat.NewDense(Rows(m), len(which), nil)
	for i := range Rows(m) {
		from, to := m.RawRowView(i), out.RawRowView(i)
		for j, col := range which {
			to[j] = from[col]
		}
	}
	return out
}

// Place copies src into dst, with its first element at (i, j).
func Place(dst *mat.Dense, i, j int, src *mat.Dense) {
	rows, cols := src.Dims()
	dst.Slice(i, i+rows, j, j+cols).(*mat.Dense).Copy(src)
}

// ScaleRows multiplies row from+i of m by factors[i].
func ScaleRows(m *mat.Dense, from int, factors []float64) {
	for i, f := range factors {
		row := m.RawRowView(from + i)
		for j := range row {
			row[j] *= f
		}
	}
}

// DivideRows divides row from+i of m by units[i].
func DivideRows(m *mat.Dense, from int, units []float64) {
	for i, unit := range units {
		row := m.RawRowView(from + i)
		for j := range row {
			row[j] /= unit
		}
	}
}

// DivideColumns divides column j of m by units[j].
func DivideColumns(m *mat.Dense, units []float64) {
	for i := range Rows(m) {
		row := m.RawRowView(i)
		for j, unit := range units {
			row[j] /= unit
		}
	}
}

// ScaledIdentity returns f I of order k.
func ScaledIdentity(k int, f float64) *mat.Dense {
	m := mat.NewDense(k, k, nil)
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

// TransposedTriangle returns the transpose of the upper triangle of r, with zeros above its diagonal.
func TransposedTriangle(r *mat.Dense) *mat.Dense {
	raw := r.RawMatrix()
	n := raw.Rows
	t := make([]float64, n*n)
	const tile = 32 // reads of rows and writes of columns stay in the cache
	for i0 := 0; i0 < n; i0 += tile {
		for j0 := i0; j0 < n; j0 += tile {
			for i := i0; i < min(i0+tile, n); i++ {
				for j := max(i, j0); j < min(j0+tile, n); j++ {
					t[j*n+i] = raw.Data[i*raw.Stride+j]
				}
			}
		}
	}
	return mat.NewDense(n, n, t)
}

// Transposed returns a copy of mᵀ.
func Transposed(m *mat.Dense) *mat.Dense { return gonummat.DenseCopyOf(m.T()) }
