package dense

import (
	"context"
	"math"

	"blskernel"
	"blskernel/lapack"
	"blskernel/mat"
)

// NewCholesky returns an empty factorization on b that estimates no condition number and returns no
// *lapack.ConditionError. The states check pivots, leverages, residuals or RCond themselves where the
// accuracy of W depends on them, so every flop is in the model.
func NewCholesky(b blskernel.Backend) *lapack.Cholesky {
	return &lapack.Cholesky{Backend: b, MaxCondition: math.Inf(1)}
}

// NewLDLT is like NewCholesky, for symmetric matrices.
func NewLDLT(b blskernel.Backend) *lapack.LDLT {
	return &lapack.LDLT{Backend: b, MaxCondition: math.Inf(1)}
}

// NewLU is like NewCholesky, for general matrices.
func NewLU(b blskernel.Backend) *lapack.LU {
	return &lapack.LU{Backend: b, MaxCondition: math.Inf(1)}
}

// QR returns Q and R of a QR factorization of the matrices in above, stacked in this order, and an
// estimate of the reciprocal condition number of R. It checks ctx between blocks of columns.
func QR(ctx context.Context, b blskernel.Backend, above ...*mat.Dense) (q, r *mat.Dense, rcond float64, err error) {
	rows := 0
	for _, m := range above {
		rows += Rows(m)
	}
	stacked := mat.NewDense(rows, Cols(above[0]), nil)
	rows = 0
	for _, m := range above {
		Place(stacked, rows, 0, m)
		rows += Rows(m)
	}
	qr := lapack.QR{Backend: b}
	if err := qr.FactorizeInPlaceContext(ctx, stacked); err != nil {
		return nil, nil, 0, err
	}
	r = new(mat.Dense)
	qr.RTo(r)
	rcond = qr.RCond()
	q, err = qr.QInPlaceContext(ctx)
	return q, r, rcond, err
}
