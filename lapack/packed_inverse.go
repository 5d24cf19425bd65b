package lapack

import (
	"blskernel"
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
)

// inverse overwrites the upper triangle U in the n×n block a by the upper triangle of X = (Uᵀ D U)⁻¹; a
// nil D is the identity, and otherwise the diagonal of U is ones. With the halves
//
//	U = | U11 U12 |    W = U11⁻¹ U12,  Z = W U22⁻¹,
//	    |     U22 |,   X12 = -Z D2⁻¹ U22⁻ᵀ,  X11 = (U11ᵀ D1 U11)⁻¹ + Z D2⁻¹ Zᵀ,  X22 = (U22ᵀ D2 U22)⁻¹,
//
// in the storage of U and without its inverse: three triangular solves, a symmetric update and the two
// halves themselves, 2n³/3 flops in all. It is the sweep of Bientinesi, Gunter and van de Geijn (ACM
// TOMS 35(1), 2008, doi:10.1145/1377603.1377606) for an inverse from the factor, by halves. Blocks of
// order up to base are inverted in a dense workspace.
func inverse(bk blskernel.Backend, on block.Products, base, n int, a block.Matrix, d *blockDiagonal) {
	if n <= base {
		inverseBase(bk, n, a, d)
		return
	}
	n1 := d.cut(split(n))
	n2 := n - n1
	a12, a22 := a.Sub(0, n1), a.Sub(n1, n1)
	d1, d2 := d.part(0, n1), d.part(n1, n2)
	diag := blas.NonUnit
	if d != nil {
		diag = blas.Unit
	}
	blockTrsm(on, blas.Left, blas.NoTrans, diag, n1, n2, 1, a, a12)
	inverse(bk, on, base, n1, a, d1)
	blockTrsm(on, blas.Right, blas.NoTrans, diag, n1, n2, 1, a22, a12)
	addSymmetric(on, n1, n2, a12, d2, a)
	blockTrsm(on, blas.Right, blas.Trans, diag, n1, n2, -1, a22, a12)
	inverse(bk, on, base, n2, a22, d2)
}

// inverseBase is inverse in a dense workspace.
func inverseBase(bk blskernel.Backend, n int, a block.Matrix, d *blockDiagonal) {
	if d == nil {
		inSquare(n, a, func(x []float64, ld int) { dpotri(bk, blas.Upper, n, x, ld) })
		return
	}
	ld := squareStride(n)
	w := borrow(2 * n * ld)
	defer w.giveBack()
	u, x := block.Dense(w.take(n*ld), ld), block.Dense(w.take(n*ld), ld)
	block.CopyUpper(u, a, n)
	m := d.inverse()
	symmetricRows(bk, n, u.X, x.X, ld, &m)
	block.CopyUpper(a, x, n)
}

// addSymmetric adds Z D⁻¹ Zᵀ to the upper triangle of the m×m block c, and overwrites the m×n block z
// by Z D⁻¹.
func addSymmetric(on block.Products, m, n int, z block.Matrix, d *blockDiagonal, c block.Matrix) {
	if d == nil {
		on.BlockSyrk(blas.NoTrans, m, n, 1, z, nil, c)
		return
	}
	w := borrow(n)
	defer w.giveBack()
	lambda := w.take(n)
	rotations := d.diagonalize(lambda)
	for k, v := range lambda {
		lambda[k] = 1 / v
	}
	on.BlockRows(m, 1+len(rotations), block.RowFunc(func(from, to int) {
		for i := from; i < to; i++ {
			row := z.X[z.Row(i):][:n]
			for _, r := range rotations {
				x, y := row[r.k], row[r.k+1]
				row[r.k], row[r.k+1] = r.c*x-r.s*y, r.s*x+r.c*y
			}
		}
	}))
	on.BlockSyrk(blas.NoTrans, m, n, 1, z, lambda, c)
	on.BlockRows(m, n, block.RowFunc(func(from, to int) {
		for i := from; i < to; i++ {
			row := z.X[z.Row(i):][:n]
			for k, v := range lambda {
				row[k] *= v
			}
			for _, r := range rotations {
				x, y := row[r.k], row[r.k+1]
				row[r.k], row[r.k+1] = r.c*x+r.s*y, r.c*y-r.s*x
			}
		}
	}))
}
