package dense

import (
	"math"

	"blskernel"
	"blskernel/lapack"
)

// NewCholesky returns an empty factorization on b that estimates no condition number and returns no
// *lapack.ConditionError: the states look at pivots, leverages, residuals or RCond themselves where the
// accuracy of W depends on it, and every flop is in the model.
func NewCholesky(b blskernel.Backend) *lapack.Cholesky {
	return &lapack.Cholesky{Backend: b, MaxCondition: math.Inf(1)}
}

// NewLDLT is NewCholesky for symmetric matrices.
func NewLDLT(b blskernel.Backend) *lapack.LDLT {
	return &lapack.LDLT{Backend: b, MaxCondition: math.Inf(1)}
}

// NewLU is NewCholesky for general matrices.
func NewLU(b blskernel.Backend) *lapack.LU {
	return &lapack.LU{Backend: b, MaxCondition: math.Inf(1)}
}
