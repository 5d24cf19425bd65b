package ldlt

import (
	"math"
	"slices"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/detmath"
	"blskernel/internal/linalg/factor"

	"gonum.org/v1/gonum/blas"
)

// A Diagonal is a symmetric matrix of 1×1 and 2×2 diagonal blocks: D on the diagonal, and E[i] at
// (i, i+1), which is nonzero exactly where rows i and i+1 form a 2×2 block. Such a block is a pivot of
// Sytrf: its off-diagonal element is at least 1.56 times as large as the diagonal ones in magnitude.
type Diagonal struct{ D, E []float64 }

// cut returns n, or a neighbor of n if a cut before row n > 0 would split a 2×2 block. A nil d has no
// such block.
func (d *Diagonal) cut(n int) int {
	switch {
	case d == nil || d.E[n-1] == 0:
		return n
	case n == 1:
		return 2
	default:
		return n - 1
	}
}

func (d *Diagonal) part(i, rows int) *Diagonal {
	if d == nil {
		return nil
	}
	return &Diagonal{d.D[i : i+rows], d.E[i : i+rows]}
}

// diagonalOn returns the matrix with the first half of both for D and the second half for E.
func diagonalOn(both []float64) Diagonal {
	n := len(both) / 2
	return Diagonal{D: both[:n:n], E: both[n:]}
}

// inverse returns the inverse of d in both, which must hold 2n zeros.
func (d *Diagonal) inverse(both []float64) Diagonal {
	n, inv := len(d.D), diagonalOn(both)
	for k := 0; k < n; k++ {
		e := d.E[k]
		if e == 0 {
			inv.D[k] = 1 / d.D[k]
			continue
		}
		d0, d1 := d.D[k]/e, d.D[k+1]/e
		det := float64(d0*d1) - 1
		inv.D[k], inv.D[k+1] = d1/det/e, d0/det/e
		inv.E[k] = -1 / det / e
		k++
	}
	return inv
}

// Rescaled returns d times s², or d itself if s is 1. It multiplies by s twice, since s² may overflow.
func (d *Diagonal) Rescaled(s float64) *Diagonal {
	if s == 1 {
		return d
	}
	both := slices.Concat(d.D, d.E)
	factor.Rescale(s, blas.All, 1, len(both), block.Dense(both, len(both)))
	scaled := diagonalOn(both)
	return &scaled
}

// solve overwrites the n×nrhs matrix x with D⁻¹x. It divides a 2×2 block by its off-diagonal element
// first, so that no product of two elements overflows. (LAPACK: dsytrs.)
func (d *Diagonal) solve(bk factor.Backend, nrhs int, x block.Matrix) {
	for k := 0; k < len(d.D); k++ {
		xk := x.Elements(k, 0, nrhs)
		e := d.E[k]
		if e == 0 {
			factor.Divide(bk, xk, d.D[k])
			continue
		}
		xl := x.Elements(k+1, 0, nrhs)
		d0, d1 := d.D[k]/e, d.D[k+1]/e
		det := float64(d0*d1) - 1
		for j := range xk {
			y0, y1 := xk[j]/e, xl[j]/e
			xk[j] = (float64(d1*y0) - y1) / det
			xl[j] = (float64(d0*y1) - y0) / det
		}
		k++
	}
}

// A rotation J = [c s; -s c] of rows k and k+1 diagonalizes a 2×2 block: D = J Λ Jᵀ.
type rotation struct {
	k    int
	c, s float64
}

// diagonalize returns the rotations J with D = J Λ Jᵀ, and writes the diagonal of Λ to lambda. The
// rotations turn a symmetric update A D Aᵀ into (A J) Λ (A J)ᵀ. The eigenvalues of a 2×2 block have
// opposite signs, and cancellation magnifies errors by at most 2.8 (Golub and Van Loan, Matrix
// Computations, section 8.5.2).
func (d *Diagonal) diagonalize(lambda []float64) []rotation {
	var all []rotation
	copy(lambda, d.D)
	for k, e := range d.E {
		if e == 0 {
			continue
		}
		zeta := (float64(d.D[k+1]/2) - float64(d.D[k]/2)) / e
		t := math.Copysign(1/(math.Abs(zeta)+detmath.Hypot(1, zeta)), zeta) // s/c
		c := 1 / detmath.Hypot(1, t)
		lambda[k], lambda[k+1] = d.D[k]-float64(t*e), d.D[k+1]+float64(t*e)
		all = append(all, rotation{k, c, t * c})
	}
	return all
}

// addSymmetric adds Z D⁻¹ Zᵀ to the upper triangle of the m×m matrix c, and then overwrites the m×n
// matrix z with Z D⁻¹.
func (d *Diagonal) addSymmetric(bk factor.Backend, m, n int, z, c block.Matrix) {
	w := factor.Acquire()
	defer w.Release()
	lambda := w.Take(n)
	rotations := d.diagonalize(lambda)
	for k, v := range lambda {
		lambda[k] = 1 / v
	}
	bk.BlockRows(m, 1+len(rotations), func(from, to int) {
		for i := from; i < to; i++ {
			row := z.Elements(i, 0, n)
			for _, r := range rotations {
				x, y := row[r.k], row[r.k+1]
				row[r.k], row[r.k+1] = float64(r.c*x)-float64(r.s*y), float64(r.s*x)+float64(r.c*y)
			}
		}
	})
	// Dsyrk takes no diagonal factor, so BlockSyrk is called for dense blocks too.
	bk.BlockSyrk(blas.NoTrans, m, n, 1, z, lambda, c)
	bk.BlockRows(m, n, func(from, to int) {
		for i := from; i < to; i++ {
			row := z.Elements(i, 0, n)
			for k, v := range lambda {
				row[k] *= v
			}
			for _, r := range rotations {
				x, y := row[r.k], row[r.k+1]
				row[r.k], row[r.k+1] = float64(r.c*x)+float64(r.s*y), float64(r.c*y)-float64(r.s*x)
			}
		}
	})
}
