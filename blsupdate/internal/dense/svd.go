package dense

import (
	"errors"

	"blskernel"
	"blskernel/internal/backend"
	"blskernel/mat"

	"gonum.org/v1/gonum/lapack/gonum"
	gonummat "gonum.org/v1/gonum/mat"
)

// ErrNoConvergence is returned where a singular value decomposition does not converge.
var ErrNoConvergence = errors.New("blsupdate: the singular values do not converge: scale the inputs")

// SVD returns the thin decomposition A = U diag(values) Vᵀ, with values in descending order. It is gonum's on every
// backend.
func SVD(b blskernel.Backend, a *mat.Dense) (values []float64, u, v *mat.Dense, err error) {
	m, n := a.Dims()
	backend.Begin(b, backend.Routine{Name: "Dgesvd", M: m, N: n})
	var svd gonummat.SVD
	if !svd.Factorize(a, gonummat.SVDThin) {
		return nil, nil, nil, ErrNoConvergence
	}
	u, v = new(mat.Dense), new(mat.Dense)
	svd.UTo(u)
	svd.VTo(v)
	return svd.Values(nil), u, v, nil
}

// LeadingColumns returns the first rank pivots of a QR factorization of c with column pivoting, and overwrites c, which
// has no gaps between rows. It is gonum's on every backend.
func LeadingColumns(b blskernel.Backend, c *mat.Dense, rank int) []int {
	m, n := c.Dims()
	backend.Begin(b, backend.Routine{Name: "Dgeqp3", M: m, N: n})
	pivots := make([]int, n)
	for i := range pivots {
		pivots[i] = -1
	}
	data, tau, work := c.RawMatrix().Data, make([]float64, min(m, n)), make([]float64, 1)
	var lapack gonum.Implementation
	lapack.Dgeqp3(m, n, data, n, pivots, tau, work, -1)
	work = make([]float64, int(work[0]))
	lapack.Dgeqp3(m, n, data, n, pivots, tau, work, len(work))
	return pivots[:rank]
}
