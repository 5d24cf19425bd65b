package dense

import (
	"blskernel"
	"blskernel/blsupdate/internal/api"
	"blskernel/internal/backend"
	"blskernel/mat"

	"gonum.org/v1/gonum/lapack/gonum"
	gonummat "gonum.org/v1/gonum/mat"
)

// leadingColumns returns the first pivots of a QR factorization with column pivoting of the m×n c,
// which is overwritten. It is gonum's, whatever the backend.
func LeadingColumns(b blskernel.Backend, m, n int, c []float64, rank int) []int {
	backend.Begin(b, backend.Routine{Name: "Dgeqp3", M: m, N: n})
	pivots := make([]int, n)
	for i := range pivots {
		pivots[i] = -1
	}
	var lapack gonum.Implementation
	work := make([]float64, 1)
	tau := make([]float64, min(m, n))
	lapack.Dgeqp3(m, n, c, n, pivots, tau, work, -1)
	work = make([]float64, int(work[0]))
	lapack.Dgeqp3(m, n, c, n, pivots, tau, work, len(work))
	return pivots[:rank]
}

// svdThin returns the singular values of a in descending order with the left and right singular
// vectors as columns: a = U diag(values) Vᵀ. It is gonum's, whatever the backend.
func SvdThin(b blskernel.Backend, a *mat.Dense) (values []float64, u, v *mat.Dense, err error) {
	m, n := a.Dims()
	backend.Begin(b, backend.Routine{Name: "Dgesvd", M: m, N: n})
	var svd gonummat.SVD
	if !svd.Factorize(a, gonummat.SVDThin) {
		return nil, nil, nil, api.ErrNoConvergence
	}
	u, v = new(mat.Dense), new(mat.Dense)
	svd.UTo(u)
	svd.VTo(v)
	return svd.Values(nil), u, v, nil
}
