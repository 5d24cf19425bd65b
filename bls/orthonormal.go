package bls

import (
	"context"
	"math"

	"blskernel"
	"blskernel/internal/interrupt"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// orthoPanel is the number of rows that orthonormalizeRows handles by products with all earlier ones.
const orthoPanel = 32

// orthonormalizeRows replaces the rows of V (r×p, r <= p) by an orthonormal basis of the space they
// span, V Vᵀ = I to a small multiple of eps. It returns false, and leaves V undefined, where a row
// depends on the earlier ones to working precision. A context that is done, which is looked at before each
// panel, is an error.
//
// It is the block Gram-Schmidt method, each panel of rows twice: the second time it removes what
// the cancellation of the first has left over, which for a V that passes the test of dependence is
// small enough for that ("twice is enough"). The row i of the result is in the span of the rows 0
// to i of V.
//
//	cost: 4r²p flops, and about orthoPanel/r as many again, not by Dgemm, inside the panels.
//	source: Giraud, Langou and Rozložník, Numer. Math. 101 (2005); Barlow and Smoktunowicz, Numer. Math. 123 (2013).
func orthonormalizeRows(ctx context.Context, bk blskernel.Backend, v *mat.Dense) (bool, error) {
	r, p := v.Dims()
	raw := v.RawMatrix()
	work := make([]float64, min(orthoPanel, r)*r)
	// The norms of the rows as given are what dependence is measured by.
	norms := make([]float64, r)
	for i := range r {
		norms[i] = bk.Dnrm2(p, raw.Data[i*raw.Stride:], 1)
	}
	for from := 0; from < r; from += orthoPanel {
		if err := interrupt.Check(ctx); err != nil {
			return false, err
		}
		rows := min(orthoPanel, r-from)
		panel := raw.Data[from*raw.Stride:]
		for pass := range 2 {
			if from > 0 {
				bk.Dgemm(blas.NoTrans, blas.Trans, rows, from, p, 1, panel, raw.Stride, raw.Data, raw.Stride, 0, work, from)
				bk.Dgemm(blas.NoTrans, blas.NoTrans, rows, p, from, -1, work, from, raw.Data, raw.Stride, 1, panel, raw.Stride)
			}
			for i := range rows {
				norm := norms[from+i]
				if pass == 1 {
					norm = 1
				}
				if !orthonormalizeRow(bk, panel, raw.Stride, i, p, norm) {
					return false, nil
				}
			}
		}
	}
	return true, nil
}

// orthonormalizeRow makes row i of panel orthogonal to its rows 0 to i-1, which are orthonormal, by
// the modified Gram-Schmidt method, and gives it the norm 1. It returns false where less than
// p·eps of the row's first norm is left.
func orthonormalizeRow(bk blskernel.Backend, panel []float64, ld, i, p int, norm float64) bool {
	const eps = 0x1p-52
	x := panel[i*ld : i*ld+p]
	for j := range i {
		q := panel[j*ld : j*ld+p]
		bk.Daxpy(p, -bk.Ddot(p, q, 1, x, 1), q, 1, x, 1)
	}
	left := bk.Dnrm2(p, x, 1)
	if !(left > float64(p)*eps*norm) || math.IsInf(left, 0) {
		return false
	}
	bk.Dscal(p, 1/left, x, 1)
	return true
}
