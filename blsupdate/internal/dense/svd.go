package dense

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"blskernel"
	"blskernel/internal/backend"
	"blskernel/internal/block"
	routines "blskernel/internal/lapack"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// ErrNoConvergence is returned where a singular value decomposition does not converge.
var ErrNoConvergence = errors.New("blsupdate: the singular values do not converge: scale the inputs")

// SVD returns the thin decomposition A = U diag(values) Vᵀ of the m×n A, with values in descending
// order. Values below 1e-135 of the largest are zero, and so are their columns of V. It is ours on
// every backend: a QR factorization, and Jacobi rotations of R.
//
//	cost: 4n²(m-n/3) flops for Q and R, some 40n³ for rotations, and 2mn² for U, where m >= n.
//	errors: ErrNoConvergence.
//	source: Drmač and Veselić, SIAM J. Matrix Anal. Appl. 29 (2008) 1322-1342, without pivoting.
func SVD(b blskernel.Backend, a *mat.Dense) (values []float64, u, v *mat.Dense, err error) {
	m, n := a.Dims()
	b = backend.Begin(b, backend.Routine{Name: "Dgesvd", M: m, N: n})
	if m < n {
		values, v, u, err = tallSVD(b, Transposed(a))
	} else {
		values, u, v, err = tallSVD(b, Copy(a))
	}
	return values, u, v, err
}

// tallSVD is SVD for m >= n; it overwrites a.
func tallSVD(b blskernel.Backend, a *mat.Dense) (values []float64, u, v *mat.Dense, err error) {
	m, n := a.Dims()
	up, down := Powers([]float64{LargestOf(a.RawMatrix().Data)})
	Scale(down[0], a.RawMatrix().Data)
	qr, r, left := lapack.QR{Backend: b}, new(mat.Dense), ScaledIdentity(n, 1)
	if err := qr.FactorizeInPlace(a); err != nil {
		return nil, nil, nil, ErrNoConvergence
	}
	qr.RTo(r)
	rr, rl := r.RawMatrix(), left.RawMatrix()
	if !routines.Gesvj(routines.On(b), n, n, block.Dense(rr.Data, rr.Stride), block.Dense(rl.Data, rl.Stride)) {
		return nil, nil, nil, ErrNoConvergence
	}
	norms, order := make([]float64, n), make([]int, n)
	for i := range n {
		if order[i] = i; Dot(r.RawRowView(i), r.RawRowView(i)) >= routines.GesvjZero {
			norms[i] = Norm(r.RawRowView(i))
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(norms[j], norms[i]) })
	values, u, v = make([]float64, n), mat.NewDense(m, n, nil), mat.NewDense(n, n, nil)
	sorted := mat.NewDense(n, n, nil)
	for to, from := range order {
		copy(sorted.RawRowView(to), left.RawRowView(from))
		if values[to] = norms[from] * up[0]; norms[from] > 0 {
			divide(r.RawRowView(from), norms[from])
			v.SetCol(to, r.RawRowView(from))
		}
	}
	Gemm(b, blas.NoTrans, blas.Trans, 1, qr.QInPlace(), sorted, 0, u)
	return values, u, v, nil
}

// LeadingColumns returns the first rank pivots of a QR factorization of C with column pivoting: each is
// the longest of the columns without their parts along those before. It is ours on every backend.
//
//	cost: 6mn flops for each pivot, by Level 2.
func LeadingColumns(b blskernel.Backend, c *mat.Dense, rank int) []int {
	m, n := c.Dims()
	b = backend.Begin(b, backend.Routine{Name: "Dgeqp3", M: m, N: n})
	left := Transposed(c).RawMatrix().Data // rows are columns of C
	_, down := Powers([]float64{LargestOf(left)})
	Scale(down[0], left)
	pivots := make([]int, n)
	for j := range pivots {
		pivots[j] = j
	}
	q, along := make([]float64, m), make([]float64, n)
	for s := range rank {
		longest, most := s, -1.0
		for j := s; j < n; j++ {
			if v := b.Ddot(m, left[j*m:], 1, left[j*m:], 1); v > most {
				longest, most = j, v
			}
		}
		pivots[s], pivots[longest] = pivots[longest], pivots[s]
		copy(q, left[longest*m:(longest+1)*m])
		copy(left[longest*m:(longest+1)*m], left[s*m:])
		if most > 0 && s+1 < n {
			Scale(1/math.Sqrt(most), q)
			b.Dgemv(blas.NoTrans, n-s-1, m, 1, left[(s+1)*m:], m, q, 1, 0, along, 1)
			b.Dger(n-s-1, m, -1, along, 1, q, 1, left[(s+1)*m:], m)
		}
	}
	return pivots[:rank]
}
