package lapack

import (
	"math"

	"gonum.org/v1/gonum/blas"
)

// tileOrder is the order of the triangles that are done in plain loops. A call of a backend costs as
// much as they do at that order, and it is the height of the strips in which a matrix product is
// fast.
const tileOrder = 8

// A tile is a small upper triangle.
type tile [tileOrder][tileOrder]float64

// load copies the triangle ul of the n×n a, n <= tileOrder; a lower one is transposed.
func (t *tile) load(ul blas.Uplo, n int, a []float64, lda int) {
	for i := range n {
		if ul == blas.Upper {
			copy(t[i][i:n], a[i*lda+i:i*lda+n])
			continue
		}
		for j, v := range a[i*lda : i*lda+i+1] {
			t[j][i] = v
		}
	}
}

// store copies the triangle back to where load found it.
func (t *tile) store(ul blas.Uplo, n int, a []float64, lda int) {
	for i := range n {
		if ul == blas.Upper {
			copy(a[i*lda+i:i*lda+n], t[i][i:n])
			continue
		}
		row := a[i*lda : i*lda+i+1]
		for j := range row {
			row[j] = t[j][i]
		}
	}
}

// factor overwrites the leading n×n triangle, of a symmetric A, by U with A = UᵀU. It returns -1, or
// the index of the first pivot that is not a finite positive number, which is then on the diagonal.
func (t *tile) factor(n int) int {
	for i := range n {
		ri := &t[i]
		d := ri[i]
		if !(d > 0 && d <= math.MaxFloat64) {
			return i
		}
		d = math.Sqrt(d)
		ri[i] = d
		// The reciprocal of a root neither overflows nor is subnormal.
		d = 1 / d
		for j := i + 1; j < n; j++ {
			ri[j] *= d
		}
		for k := i + 1; k < n; k++ {
			rk, f := &t[k], ri[k]
			for j := k; j < n; j++ {
				rk[j] -= f * ri[j]
			}
		}
	}
	return -1
}

// invert overwrites the leading n×n triangle U by V = U⁻¹, column after column from V U = I:
// v_ij = -(v_ii u_ij + ... + v_i,j-1 u_j-1,j)/u_jj.
func (t *tile) invert(n int) {
	for j := range n {
		d := t[j][j]
		t[j][j] = 1 / d
		for i := range j {
			ri := &t[i]
			s := 0.0
			for k := i; k < j; k++ {
				s += ri[k] * t[k][j]
			}
			ri[j] = -s / d
		}
	}
}

// solveSymmetric solves U X = G for the symmetric X, U the leading n×n triangle t and G given by its
// upper triangle in x, which X overwrites, in both triangles; t is not changed. That the right side is
// known on and above the diagonal is enough: row after row from the last,
//
//	x_ij = (g_ij - u_i,i+1 x_i+1,j - ...)/u_ii for j >= i.
func (t *tile) solveSymmetric(n int, x *tile) {
	for i := n - 1; i >= 0; i-- {
		ti, xi := &t[i], &x[i]
		d := 1 / ti[i]
		s := xi[i]
		for j := i + 1; j < n; j++ {
			xj, v := &x[j], xi[j]
			for k := i + 1; k < n; k++ {
				v -= ti[k] * xj[k]
			}
			v *= d
			xi[j], xj[i] = v, v
			s -= ti[j] * v
		}
		xi[i] = s * d
	}
}

// addInverseDiagonal adds the reciprocals of the first n elements of u's diagonal, the upper triangle
// of U⁻ᵀ.
func (t *tile) addInverseDiagonal(n int, u *tile) {
	for i := range n {
		t[i][i] += 1 / u[i][i]
	}
}

// add adds the upper triangle of a block diagonal of at most tileOrder rows, without what the last row
// has beyond them.
func (t *tile) add(d *blockDiagonal) {
	last := len(d.d) - 1
	for i, v := range d.d {
		t[i][i] += v
		if i < last {
			t[i][i+1] += d.e[i]
		}
	}
}
