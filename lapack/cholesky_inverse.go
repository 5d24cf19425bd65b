package lapack

import (
	"blskernel"
	"blskernel/internal/block"
	"blskernel/mat"
)

// InverseTo writes A⁻¹ to dst, in 2n³/3 flops, and leaves the factorization as it is. An empty dst
// is given its size. Solve instead of inverting wherever only A⁻¹B is wanted: it is cheaper, and more
// accurate.
//
// The error matches ErrSingular where the inverse overflows; dst then holds what was computed.
// InverseTo panics with mat.ErrShape if dst has another order, and if the receiver is empty.
// (LAPACK: dpptri, in blocks.)
func (c *Cholesky) InverseTo(dst *mat.SymPacked) error {
	c.mustHold()
	return c.invert(copyFactor(dst, c.n, c.u))
}

// InverseInPlace returns A⁻¹ in the storage of the factorization and leaves the receiver empty, also
// when it returns an error (see InverseTo). The workspace is a block on the diagonal, as for
// FactorizeInPlace.
func (c *Cholesky) InverseInPlace() (*mat.SymPacked, error) {
	c.mustHold()
	n, ap := c.n, c.u
	err := c.invert(ap)
	c.Reset()
	if err != nil {
		return nil, err
	}
	return mat.NewSymPacked(n, ap), nil
}

// invert overwrites the factor in ap by the inverse.
func (c *Cholesky) invert(ap []float64) error {
	bk := blskernel.Begin(c.Backend, blskernel.Routine{Name: "Dpptri", M: c.n, N: c.n})
	defer blskernel.Hold(bk, 2*cube(c.n)/3)()
	on := block.On(bk)
	inverse(bk, on, c.base(), c.n, block.Packed(c.n, ap, 0, 0), nil)
	return finiteInverse(on, "Dpptri", c.n, ap)
}

// copyFactor copies the packed factor to dst, which it gives the order n, and returns dst's storage.
func copyFactor(dst *mat.SymPacked, n int, ap []float64) []float64 {
	checkShape(dst.IsEmpty() || dst.SymmetricDim() == n)
	dst.CopySym(mat.NewSymPacked(n, ap))
	return dst.RawSymPacked().Data
}
