package dense

import (
	"errors"
	"math"

	"blskernel"
	"blskernel/internal/linalg/backend"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/factor/svd"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// ErrNoConvergence is returned if a singular value decomposition does not converge.
var ErrNoConvergence = errors.New("blsupdate: the singular values do not converge: scale the inputs")

// SVD returns the thin decomposition A = U diag(values) Vᵀ of the m×n matrix A, with values in
// descending order. All backends share this code.
//
//	errors: ErrNoConvergence.
//	source: LAPACK's dgesvd, see internal/linalg/factor/svd.
func SVD(b blskernel.Backend, a *mat.Dense) (values []float64, u, v *mat.Dense, err error) {
	m, n := a.Dims()
	k := min(m, n)
	b = backend.Begin(b, backend.Routine{Name: "Dgesvd", M: m, N: n})
	values, u = make([]float64, k), mat.NewDense(m, k, nil)
	x, vt := Copy(a).RawMatrix(), mat.NewDense(k, n, nil)
	to := func(x *mat.Dense) svd.Vectors {
		return svd.Vectors{Count: k, X: block.Dense(x.RawMatrix().Data, x.RawMatrix().Stride)}
	}
	if !svd.Gesvd(factor.On(b), m, n, block.Dense(x.Data, x.Stride), values, to(u), to(vt)) {
		return nil, nil, nil, ErrNoConvergence
	}
	return values, u, Transposed(vt), nil
}

// LeadingColumns returns the indices of the first rank pivots of a QR factorization of C with column
// pivoting. Each pivot is the column with the longest part orthogonal to the earlier pivots. All
// backends share this code.
//
//	cost: 6mn flops for each pivot, by Level 2.
func LeadingColumns(b blskernel.Backend, c *mat.Dense, rank int) []int {
	m, n := c.Dims()
	b = backend.Begin(b, backend.Routine{Name: "Dgeqp3", M: m, N: n})
	left := Transposed(c).RawMatrix().Data // rows are columns of C
	_, down := Powers([]float64{LargestOf(left)})
	Scale(down[0], left)
	pivots, q, along := factor.Indices(n), make([]float64, m), make([]float64, n)
	for s := range rank {
		longest, largest := s, -1.0
		for j := s; j < n; j++ {
			if v := b.Ddot(m, left[j*m:], 1, left[j*m:], 1); v > largest {
				longest, largest = j, v
			}
		}
		pivots[s], pivots[longest] = pivots[longest], pivots[s]
		copy(q, left[longest*m:(longest+1)*m])
		copy(left[longest*m:(longest+1)*m], left[s*m:])
		if largest > 0 && s+1 < n {
			Scale(1/math.Sqrt(largest), q)
			b.Dgemv(blas.NoTrans, n-s-1, m, 1, left[(s+1)*m:], m, q, 1, 0, along, 1)
			b.Dger(n-s-1, m, -1, along, 1, q, 1, left[(s+1)*m:], m)
		}
	}
	return pivots[:rank]
}
