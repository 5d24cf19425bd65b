// Package dense has small operations on dense matrices that the methods share: views, copies, norms
// and singular values.
package dense

import (
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// scaleRows returns m with row i multiplied by factors[i], in new storage.
func ScaleRows(m *mat.Dense, factors []float64) *mat.Dense {
	out := gonummat.DenseCopyOf(m)
	for i, f := range factors {
		row := out.RawRowView(i)
		for j := range row {
			row[j] *= f
		}
	}
	return out
}

// transposedTriangle returns the transpose of the upper triangle of r, with zeros above its diagonal.
func TransposedTriangle(r *mat.Dense) *mat.Dense {
	raw := r.RawMatrix()
	n := raw.Rows
	t := make([]float64, n*n)
	const tile = 32 // by tiles, so that what is read of a row and written of a column stays in the cache
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

// rowRange returns rows from to to-1 of m, which shares its storage.
func RowRange(m *mat.Dense, from, to int) *mat.Dense {
	_, cols := m.Dims()
	return m.Slice(from, to, 0, cols).(*mat.Dense)
}

// columnsOf returns the number of columns of m.
func Cols(m *mat.Dense) int {
	_, cols := m.Dims()
	return cols
}

// pickColumns returns copies of some columns of m.
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

// beside returns [A, H].
func Beside(a, h *mat.Dense) *mat.Dense {
	var both mat.Dense
	both.Augment(a, h)
	return &both
}

// multipleOfIdentity returns f I of order k.
func ScaledIdentity(k int, f float64) *mat.Dense {
	m := mat.NewDense(k, k, nil)
	for i := range k {
		m.Set(i, i, f)
	}
	return m
}

// identityPacked returns I of order n.
func IdentityPacked(n int) *mat.SymPacked {
	m := mat.NewSymPacked(n, nil)
	m.AddDiagonal(1)
	return m
}

// compact returns the elements of m, row-major and without gaps, in new storage.
func Compact(m *mat.Dense) []float64 {
	r, c := m.Dims()
	raw := m.RawMatrix()
	dst := make([]float64, r*c)
	for i := range r {
		copy(dst[i*c:(i+1)*c], raw.Data[i*raw.Stride:i*raw.Stride+c])
	}
	return dst
}

// rowsOf returns the number of rows of m.
func Rows(m *mat.Dense) int {
	rows, _ := m.Dims()
	return rows
}

// cloneSym returns a copy of s.
func CloneSym(s *mat.SymPacked) *mat.SymPacked {
	c := new(mat.SymPacked)
	c.CopySym(s)
	return c
}
