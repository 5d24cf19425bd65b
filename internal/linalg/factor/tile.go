package factor

import (
	"math"

	"blskernel/internal/linalg/block"

	"gonum.org/v1/gonum/blas"
)

// A Tile is a small upper triangle that plain loops process.
type Tile [TileOrder][TileOrder]float64

// Load copies the triangle ul of the n×n dense block a, n <= TileOrder; a lower triangle is transposed.
func (t *Tile) Load(ul blas.Uplo, n int, a block.Matrix) {
	for i := range n {
		if ul == blas.Upper {
			copy(t[i][i:n], a.Elements(i, i, n))
			continue
		}
		for j, v := range a.Elements(i, 0, i+1) {
			t[j][i] = v
		}
	}
}

// Store copies the tile back to the triangle ul of a.
func (t *Tile) Store(ul blas.Uplo, n int, a block.Matrix) {
	for i := range n {
		if ul == blas.Upper {
			copy(a.Elements(i, i, n), t[i][i:n])
			continue
		}
		row := a.Elements(i, 0, i+1)
		for j := range row {
			row[j] = t[j][i]
		}
	}
}

// Factor overwrites the leading n×n triangle of a symmetric A with the U of A = UᵀU. It returns -1, or
// the index of the first pivot that is not positive and finite, which stays on the diagonal.
func (t *Tile) Factor(n int) int {
	for i := range n {
		ri := &t[i]
		d := ri[i]
		if !(d > 0 && d <= math.MaxFloat64) {
			return i
		}
		d = math.Sqrt(d)
		ri[i] = d
		// The reciprocal of a square root neither overflows nor is subnormal.
		d = 1 / d
		for j := i + 1; j < n; j++ {
			ri[j] *= d
		}
		for k := i + 1; k < n; k++ {
			rk, f := &t[k], ri[k]
			for j := k; j < n; j++ {
				rk[j] -= float64(f * ri[j])
			}
		}
	}
	return -1
}

// invert overwrites the leading n×n triangle U with V = U⁻¹, column by column, from V U = I:
// v_ij = -(v_ii u_ij + ... + v_i,j-1 u_j-1,j)/u_jj.
func (t *Tile) invert(n int) {
	for j := range n {
		d := t[j][j]
		t[j][j] = 1 / d
		for i := range j {
			ri := &t[i]
			s := 0.0
			for k := i; k < j; k++ {
				s += float64(ri[k] * t[k][j])
			}
			ri[j] = -s / d
		}
	}
}

// SolveSymmetric solves U X = G for the symmetric X. U is the leading n×n triangle of t, and x holds
// the upper triangle of G; X overwrites both triangles of x. Since X is symmetric, the upper triangle
// of G suffices, and the rows are computed from the last to the first:
//
//	x_ij = (g_ij - u_i,i+1 x_i+1,j - ...)/u_ii for j >= i.
func (t *Tile) SolveSymmetric(n int, x *Tile) {
	for i := n - 1; i >= 0; i-- {
		ti, xi := &t[i], &x[i]
		d := 1 / ti[i]
		s := xi[i]
		for j := i + 1; j < n; j++ {
			xj, v := &x[j], xi[j]
			for k := i + 1; k < n; k++ {
				v -= float64(ti[k] * xj[k])
			}
			v *= d
			xi[j], xj[i] = v, v
			s -= float64(ti[j] * v)
		}
		xi[i] = s * d
	}
}

// LoadUpper copies the triangle ul of the n×n matrix a to the upper triangle of the dense block w; a
// lower triangle is transposed.
func LoadUpper(w block.Matrix, ul blas.Uplo, n int, a block.Matrix) {
	if ul == blas.Lower {
		transposeTriangle(ul, n, w, a)
		return
	}
	block.CopyUpper(w, a, n)
}

// StoreUpper copies the upper triangle of w back to the triangle ul of a.
func StoreUpper(a block.Matrix, ul blas.Uplo, n int, w block.Matrix) {
	if ul == blas.Lower {
		transposeTriangle(blas.Upper, n, a, w)
		return
	}
	block.CopyUpper(a, w, n)
}

// transposeTriangle copies the transpose of the triangle ul of the n×n src to the dense dst.
func transposeTriangle(ul blas.Uplo, n int, dst, src block.Matrix) {
	for i := 0; i < n; i += TileOrder {
		rows := min(TileOrder, n-i)
		end := i + rows
		for r := i; r < end; r++ {
			from, to := r, end
			if ul == blas.Lower {
				from, to = i, r+1
			}
			for c, v := range src.Elements(r, from, to) {
				dst.X[dst.Row(from+c)+r] = v
			}
		}
		if ul == blas.Lower {
			block.CopyTransposed(dst.Sub(0, i), src.Sub(i, 0), rows, i)
		} else if end < n {
			block.CopyTransposed(dst.Sub(end, i), src.Sub(i, end), rows, n-end)
		}
	}
}
