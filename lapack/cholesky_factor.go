package lapack

import (
	"blskernel"
	"blskernel/internal/block"
	"blskernel/mat"
)

// Factorize computes A = UᵀU of a copy of a, which is not changed, in n³/3 flops.
//
// The error is a *PivotError that matches ErrNotPositiveDefinite where a is not positive definite,
// to working precision, or an *ElementError that matches ErrNotFinite where a holds NaN or an
// infinity; the receiver is then empty. (LAPACK: dpptrf, in blocks.)
func (c *Cholesky) Factorize(a *mat.SymPacked) error {
	n := a.SymmetricDim()
	c.Reset()
	anorm, err := norm1Packed(c.Backend, "Dpptrf", n, a.RawSymPacked().Data)
	if err != nil {
		return err
	}
	return c.factorize(n, packedCopy(a), anorm)
}

// FactorizeInPlace is Factorize without the copy: the factor overwrites the storage of a, which
// belongs to the receiver from then on; a must not be used any more. An ErrNotFinite of the input
// is found before anything is written; after every other error the contents of a are undefined.
// The workspace is a block on the diagonal, at most 128×136 numbers, beside the
// buffers of the backend; one without products of packed blocks of its own takes 400n more.
func (c *Cholesky) FactorizeInPlace(a *mat.SymPacked) error {
	n, ap := a.SymmetricDim(), a.RawSymPacked().Data
	c.Reset()
	anorm, err := norm1Packed(c.Backend, "Dpptrf", n, ap)
	if err != nil {
		return err
	}
	return c.factorize(n, ap, anorm)
}

// factorize overwrites ap by U.
func (c *Cholesky) factorize(n int, ap []float64, anorm float64) error {
	bk := blskernel.Begin(c.Backend, blskernel.Routine{Name: "Dpptrf", M: n, N: n})
	defer blskernel.Hold(bk, cube(n)/3)()
	if bad := potrf(bk, block.On(bk), c.base(), n, block.Packed(n, ap, 0, 0)); bad >= 0 {
		return &PivotError{Routine: "Dpptrf", Index: bad, Pivot: ap[block.PackedIndex(n, bad, bad)], Err: ErrNotPositiveDefinite}
	}
	c.factorized, c.n, c.u, c.anorm = true, n, ap, anorm
	return nil
}

// cube returns n³.
func cube(n int) float64 { return float64(n) * float64(n) * float64(n) }
