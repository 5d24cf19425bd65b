package lapack

import "math"

// A blockDiagonal is a symmetric matrix D of 1×1 and 2×2 diagonal blocks: d on the diagonal, and e[i]
// at (i, i+1), which is nonzero exactly where rows i and i+1 form a 2×2 block. Such a block is a pivot
// of LDLT: its off-diagonal element is at least 1.56 times as large as those on its diagonal.
type blockDiagonal struct{ d, e []float64 }

// cut returns n, or a neighbour of it where D has a 2×2 block in rows n-1 and n, before 0 < n. A nil D
// is the identity.
func (d *blockDiagonal) cut(n int) int {
	switch {
	case d == nil || d.e[n-1] == 0:
		return n
	case n == 1:
		return 2
	default:
		return n - 1
	}
}

// part returns the blocks of so many rows from row i on.
func (d *blockDiagonal) part(i, rows int) *blockDiagonal {
	if d == nil {
		return nil
	}
	return &blockDiagonal{d.d[i : i+rows], d.e[i : i+rows]}
}

// inverse returns D⁻¹, of the same blocks.
func (d blockDiagonal) inverse() blockDiagonal {
	n := len(d.d)
	inv := blockDiagonal{d: make([]float64, n), e: make([]float64, n)}
	for k := 0; k < n; k++ {
		e := d.e[k]
		if e == 0 {
			inv.d[k] = 1 / d.d[k]
			continue
		}
		d0, d1 := d.d[k]/e, d.d[k+1]/e
		det := d0*d1 - 1
		inv.d[k], inv.d[k+1] = d1/det/e, d0/det/e
		inv.e[k] = -1 / det / e
		k++
	}
	return inv
}

// A rotation J = [c s; -s c] of rows k and k+1 makes a 2×2 block diagonal: D = J Λ Jᵀ.
type rotation struct {
	k    int
	c, s float64
}

// diagonalize returns the rotations J for which D = J Λ Jᵀ, and writes the diagonal of Λ to lambda. The
// products A D Aᵀ of symmetric updates are so made products with a diagonal, (A J) Λ (A J)ᵀ. The
// eigenvalues of a 2×2 block have opposite signs, and cancellation takes at most a factor 2.8 (Golub
// and Van Loan, Matrix Computations, section 8.5.2).
func (d *blockDiagonal) diagonalize(lambda []float64) []rotation {
	var all []rotation
	copy(lambda, d.d)
	for k, e := range d.e {
		if e == 0 {
			continue
		}
		zeta := (d.d[k+1]/2 - d.d[k]/2) / e
		t := math.Copysign(1/(math.Abs(zeta)+math.Hypot(1, zeta)), zeta)
		c := 1 / math.Hypot(1, t)
		lambda[k], lambda[k+1] = d.d[k]-t*e, d.d[k+1]+t*e
		all = append(all, rotation{k, c, t * c})
	}
	return all
}

// rows overwrites the rows k and k+1 of A by those of Jᵀ A.
func (r rotation) rows(x, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		x[i], y[i] = r.c*v-r.s*y[i], r.s*v+r.c*y[i]
	}
}
