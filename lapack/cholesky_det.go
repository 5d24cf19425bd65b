package lapack

import "blskernel/internal/block"

// LogDet returns log(det A) and the sign of det A, which is 1: det A = exp(log), which itself often
// overflows or underflows. It is the determinant of a matrix within the backward error of A,
// rounded by no more than about (n + |log|)u, u = 2⁻⁵³; to n u cond(A) the two differ. It takes O(n)
// time. For n = 0 the result is 0, 1. LogDet panics if the receiver is empty.
func (c *Cholesky) LogDet() (log, sign float64) {
	c.mustHold()
	p := unitProduct()
	for i := range c.n {
		u := c.u[block.PackedIndex(c.n, i, i)]
		p.multiply(u)
		p.multiply(u)
	}
	return p.log()
}
