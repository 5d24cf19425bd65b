package ldlt

import (
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"

	"gonum.org/v1/gonum/blas"
)

// Inverse overwrites the triangle ul of a, U or L = Uᵀ, with the same triangle of X = (Uᵀ D U)⁻¹. A nil
// d stands for D = I; otherwise ul is blas.Upper and U has ones on its diagonal. Inverse computes,
// recursively down to order base,
//
//	U = | U11 U12 |    W = U11⁻¹ U12,  Z = W U22⁻¹,
//	    |     U22 |,   X12 = -Z D2⁻¹ U22⁻ᵀ,  X22 = (U22ᵀ D2 U22)⁻¹,
//	                   X11 = (U11ᵀ D1 U11)⁻¹ + Z D2⁻¹ Zᵀ,
//
// in the storage of U and without forming U⁻¹, by three triangular solves, a symmetric update and
// recursion on the two halves. It is a recursive form of the one-sweep inversion of Bientinesi, Gunter
// and van de Geijn (ACM TOMS 35(1), 2008, doi:10.1145/1377603.1377606).
func Inverse(bk factor.Backend, ul blas.Uplo, base, n int, a block.Matrix, d *Diagonal) {
	if n <= base {
		w := factor.Acquire()
		defer w.Release()
		u, x := w.Matrix(n, n), w.Matrix(n, n)
		factor.LoadUpper(u, ul, n, a)
		if d != nil {
			inv := d.inverse(w.Zeros(2 * n))
			d = &inv
		}
		inverseRows(bk, n, u, x, d)
		factor.StoreUpper(a, ul, n, x)
		return
	}
	n1 := d.cut(factor.Half(n))
	n2 := n - n1
	off, a22 := factor.OffDiagonal(ul, a, n1), a.Sub(n1, n1)
	d1, d2 := d.part(0, n1), d.part(n1, n2)
	diag := blas.NonUnit
	if d != nil {
		diag = blas.Unit
	}
	side, other, t := blas.Left, blas.Right, blas.NoTrans
	if ul == blas.Lower {
		side, other, t = blas.Right, blas.Left, blas.Trans
	}
	factor.Trsm(bk, side, ul, blas.NoTrans, diag, n1, n2, 1, a, off)
	right := func(from, to int) {
		rows := off.Sub(0, from) // for blas.Lower, where off is transposed
		if ul == blas.Upper {
			rows = off.Sub(from, 0)
		}
		factor.Trsm(bk, other, ul, blas.NoTrans, diag, n2, to-from, 1, a22, rows)
	}
	// X11 and Z do not depend on each other. The estimate for X11 is 0.8n1³ flops instead of
	// 2n1³/3, since small triangles are slow.
	each, all := float64(n2)*float64(n2), 0.8*float64(n1)*float64(n1)*float64(n1)
	bk.Ahead(func() { Inverse(bk, ul, base, n1, a, d1) }, all, n1, factor.StripWidth(2*n1), each, right)
	if d == nil {
		bk.Syrk(ul, t, n1, n2, 1, off, a)
	} else {
		d2.addSymmetric(bk, n1, n2, off, a)
	}
	factor.Trsm(bk, other, ul, blas.Trans, diag, n2, n1, -1, a22, off)
	Inverse(bk, ul, base, n2, a22, d2)
}

// inverseRows writes both triangles of the symmetric X = (Uᵀ D U)⁻¹ to x, block row by block row from
// the last. X solves U X = M, where M = D⁻¹ U⁻ᵀ is known on and above the diagonal. Once X22 is known,
//
//	U11 X12 = M12 - U12 X22,   U11 X11 = M11 - U12 X21.
//
// m is the upper triangle of M: D⁻¹ for a U with ones on its diagonal. A nil m stands for the
// reciprocals of the diagonal of U, for D = I.
func inverseRows(bk factor.Backend, n int, u, x block.Matrix, m *Diagonal) {
	for i := (n - 1) / factor.TileOrder * factor.TileOrder; i >= 0; i -= factor.TileOrder {
		rows := min(factor.TileOrder, n-i)
		rest := n - i - rows
		u11, x11 := u.Sub(i, i), x.Sub(i, i)
		var ut, xt factor.Tile
		ut.Load(blas.Upper, rows, u11)
		if rest > 0 {
			u12, x12, x21 := u11.Sub(0, rows), x11.Sub(0, rows), x11.Sub(rows, 0)
			bk.Gemm(blas.NoTrans, blas.NoTrans, rows, rest, rest, -1, u12, x11.Sub(rows, rows), 0, x12)
			if m != nil {
				x12.X[x12.Row(rows-1)] += m.E[i+rows-1]
			}
			bk.Trsm(blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit, rows, rest, 1, u11, x12)
			block.CopyTransposed(x21, x12, rows, rest)
			bk.Gemm(blas.NoTrans, blas.NoTrans, rows, rows, rest, -1, u12, x21, 0, x11)
			xt.Load(blas.Upper, rows, x11)
		}
		for r := range rows {
			switch {
			case m == nil:
				xt[r][r] += 1 / ut[r][r]
			default:
				xt[r][r] += m.D[i+r]
				if r < rows-1 {
					xt[r][r+1] += m.E[i+r]
				}
			}
		}
		ut.SolveSymmetric(rows, &xt)
		for r := range rows {
			copy(x11.Elements(r, 0, rows), xt[r][:rows])
		}
	}
}
