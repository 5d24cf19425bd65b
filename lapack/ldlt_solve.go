package lapack

import (
	"blskernel"
	"blskernel/internal/block"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// SolveTo computes the n×c X with A X = B for the n×c b and writes it to dst, which may be b but
// must not overlap it in part, which panics. An empty dst is given its size. It takes 2n²c flops.
//
// The error matches ErrNotFinite where b holds NaN or an infinity; dst is then unchanged. It matches
// ErrSingular where X overflows; dst then holds what was computed. SolveTo panics with mat.ErrShape
// if the shapes do not fit, and if the receiver is empty. (LAPACK: dsptrs.)
func (f *LDLT) SolveTo(dst, b *mat.Dense) error {
	f.mustHold()
	return solveColumns(f.Backend, "Dsptrs", f.n, dst, b, f.solve)
}

// SolveRowsTo computes the m×n X with X A = B for the m×n b and writes it to dst, which may be b: every
// row of b is a right-hand side (see Cholesky.SolveRowsTo). Sizes, flops (2n²m), errors and panics
// are those of SolveTo.
func (f *LDLT) SolveRowsTo(dst, b *mat.Dense) error {
	f.mustHold()
	return solveRows(f.Backend, "Dsptrs", f.n, dst, b, func(bk blskernel.Backend, m int, x []float64, ldx int) {
		on, u, b := block.On(bk), block.Packed(f.n, f.u, 0, 0), block.Dense(x, ldx)
		for i := range m {
			row := x[i*ldx : i*ldx+f.n]
			for k, s := range f.swap {
				row[k], row[s] = row[s], row[k]
			}
		}
		on.BlockTrsm(blas.Right, blas.Upper, blas.NoTrans, blas.Unit, m, f.n, 1, u, b)
		for i := range m {
			f.d.solve(1, x[i*ldx:i*ldx+f.n], 1)
		}
		on.BlockTrsm(blas.Right, blas.Upper, blas.Trans, blas.Unit, m, f.n, 1, u, b)
		for i := range m {
			row := x[i*ldx : i*ldx+f.n]
			for k := f.n - 1; k >= 0; k-- {
				s := f.swap[k]
				row[k], row[s] = row[s], row[k]
			}
		}
	})
}

// solve overwrites the n×nrhs x by A⁻¹x = Pᵀ U⁻¹ D⁻¹ U⁻ᵀ P x.
func (f *LDLT) solve(bk blskernel.Backend, nrhs int, x []float64, ldx int) {
	on, u, b := block.On(bk), block.Packed(f.n, f.u, 0, 0), block.Dense(x, ldx)
	for k, s := range f.swap {
		exchangeRows(nrhs, x, ldx, k, s)
	}
	on.BlockTrsm(blas.Left, blas.Upper, blas.Trans, blas.Unit, f.n, nrhs, 1, u, b)
	f.d.solve(nrhs, x, ldx)
	on.BlockTrsm(blas.Left, blas.Upper, blas.NoTrans, blas.Unit, f.n, nrhs, 1, u, b)
	for k := f.n - 1; k >= 0; k-- {
		exchangeRows(nrhs, x, ldx, k, f.swap[k])
	}
}

// exchangeRows exchanges the rows p and q of x, which have cols elements.
func exchangeRows(cols int, x []float64, ldx, p, q int) {
	if p == q {
		return
	}
	xp, xq := x[p*ldx:p*ldx+cols], x[q*ldx:q*ldx+cols]
	for j, v := range xp {
		xp[j], xq[j] = xq[j], v
	}
}

// solve overwrites the n×nrhs x by D⁻¹x. A 2×2 block is divided by its off-diagonal element first,
// as in LAPACK's dsytrs, so that no product of two of its elements overflows.
func (d blockDiagonal) solve(nrhs int, x []float64, ldx int) {
	for k := 0; k < len(d.d); k++ {
		xk := x[k*ldx : k*ldx+nrhs]
		e := d.e[k]
		if e == 0 {
			divide(xk, d.d[k])
			continue
		}
		xl := x[(k+1)*ldx : (k+1)*ldx+nrhs]
		d0, d1 := d.d[k]/e, d.d[k+1]/e
		det := d0*d1 - 1
		for j := range xk {
			y0, y1 := xk[j]/e, xl[j]/e
			xk[j] = (d1*y0 - y1) / det
			xl[j] = (d0*y1 - y0) / det
		}
		k++
	}
}
