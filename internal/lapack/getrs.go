package lapack

import (
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
)

// Getrs overwrites the m×n B by op(A)⁻¹B (side is Left) or B op(A)⁻¹ (side is Right), with what Getrf
// left of A: A⁻¹ = U⁻¹ L⁻¹ P, in 2m²n or 2mn² flops. If columns is set, lu holds the factors of P Aᵀ =
// L U by columns, as GetrfLibrary left them: A⁻¹ = Pᵀ L⁻ᵀ U⁻ᵀ, where Uᵀ is in the lower triangle. If
// vector is set, Dtrsv solves for a single column; its results differ from Trsm's by rounding.
func Getrs(bk Backend, side blas.Side, t blas.Transpose, m, n int, lu block.Matrix, swap []int, columns, vector bool, b block.Matrix) {
	lower, upper := blas.Unit, blas.NonUnit
	if columns {
		lower, upper = upper, lower
	}
	left, plain := side == blas.Left, t == blas.NoTrans
	// P comes first where op(A)⁻¹B begins with it, or B op(A)⁻¹.
	first := (left == plain) != columns
	permute := func(back bool) {
		if left {
			Laswp(bk, n, b, swap, back)
			return
		}
		Lapmt(bk, m, b, swap, back)
	}
	if first {
		permute(false)
	}
	order := []struct {
		ul   blas.Uplo
		diag blas.Diag
	}{{blas.Lower, lower}, {blas.Upper, upper}}
	if left != plain {
		order[0], order[1] = order[1], order[0]
	}
	for _, f := range order {
		if vector {
			Trtrs(bk, side, f.ul, t, f.diag, m, n, lu, b)
		} else {
			Trsm(bk, side, f.ul, t, f.diag, m, n, 1, lu, b)
		}
	}
	if !first {
		permute(true)
	}
}
