package speed

import (
	"math"

	"blskernel"
	"blskernel/internal/backend"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// luInverse checks the residual that inverses by the factors of LU keep small: I - X·A, and for LAPACK,
// which takes A for Aᵀ and X for Xᵀ, I - A·X. (The other one may be larger by the condition of A.)
func luInverse(_ string, s Shape, r *source) *Problem {
	n := s.N
	a := r.matrix(n, n)
	x := newMatrix(n, n)
	problem := func(op blas.Transpose) *Problem {
		normA := a.norm(op)
		bytes := 8 * len(x.data)
		return &Problem{
			operand:  bytes,
			prepared: bytes,
			reset:    func() { copy(x.data, a.data) },
			reads:    true,
			once:     true,
			signs:    n,
			result:   func(t []float64) []float64 { return a.times(op, x.times(op, t)) },
			expected: func(t []float64) []float64 { return t },
			within:   func() float64 { return residualBound(n, normA, x.norm(op)) },
		}
	}
	p := problem(blas.Trans)
	p.bind = func(b blskernel.Backend) func() {
		f := &lapack.LU{Backend: b}
		return func() {
			err := f.FactorizeInPlace(mat.NewDense(n, n, x.data))
			if err == nil {
				_, err = f.InverseInPlace()
			}
			p.fail(err)
		}
	}
	p.against = func(string) *Problem {
		q := problem(blas.NoTrans)
		ipiv, work := q.workspace(n, 64*n)
		q.bind = func(b blskernel.Backend) func() {
			return q.runLAPACK(b, func(l backend.ColumnMajorLAPACK) (string, int) {
				if info := l.Dgetrf(n, n, x.data, x.ld(), ipiv); info != 0 {
					return "dgetrf", info
				}
				return "dgetri", l.Dgetri(n, x.data, x.ld(), ipiv, work)
			})
		}
		return q
	}
	return p
}

// luSolve has an m×m A and an m×n right-hand side, which the solution overwrites. The factors are
// computed once for each backend, when the first call is bound.
func luSolve(_ string, s Shape, r *source) *Problem {
	a, b := r.matrix(s.M, s.M), r.rightSide(s.M, s.N)
	normA := a.norm(blas.NoTrans)
	p := &Problem{
		reset:    b.reset,
		reads:    true,
		once:     true,
		signs:    s.N,
		result:   func(t []float64) []float64 { return a.times(blas.NoTrans, b.times(blas.NoTrans, t)) },
		expected: func(t []float64) []float64 { return matrix{s.M, s.N, b.initial}.times(blas.NoTrans, t) },
		within:   func() float64 { return residualBound(max(s.M, s.N), normA, b.norm(blas.NoTrans)) },
	}
	factors := map[string]*lapack.LU{}
	p.bind = func(be blskernel.Backend) func() {
		f := factors[be.Name()]
		if f == nil {
			f = &lapack.LU{Backend: be}
			if err := f.Factorize(mat.NewDense(s.M, s.M, a.data)); err != nil {
				return func() { p.fail(err) }
			}
			factors[be.Name()] = f
		}
		x := mat.NewDense(s.M, s.N, b.data)
		return func() { p.fail(f.SolveTo(x, x)) }
	}
	p.against = func(string) *Problem { return dgetrs(s, a, b) }
	return p
}

// dgetrs takes the storage of A for that of Aᵀ by columns, and that of B for the m×n right-hand side by
// columns: the rows of an n×m matrix.
func dgetrs(s Shape, a matrix, b rightSide) *Problem {
	initial, x := matrix{s.N, s.M, b.initial}, matrix{s.N, s.M, b.data}
	normA := a.norm(blas.Trans)
	p := &Problem{
		reset:    b.reset,
		reads:    true,
		once:     true,
		signs:    s.N,
		result:   func(t []float64) []float64 { return a.times(blas.Trans, x.times(blas.Trans, t)) },
		expected: func(t []float64) []float64 { return initial.times(blas.Trans, t) },
		within:   func() float64 { return residualBound(max(s.M, s.N), normA, x.norm(blas.Trans)) },
	}
	type factors struct {
		matrix
		ipiv []int32
	}
	of := map[string]factors{}
	p.bind = func(be blskernel.Backend) func() {
		f, ok := of[be.Name()]
		if !ok {
			f = factors{matrix{s.M, s.M, append([]float64(nil), a.data...)}, make([]int32, s.M)}
			p.runLAPACK(be, func(l backend.ColumnMajorLAPACK) (string, int) {
				info := l.Dgetrf(s.M, s.M, f.data, f.ld(), f.ipiv)
				if info == 0 {
					of[be.Name()] = f
				}
				return "dgetrf", info
			})()
		}
		return p.runLAPACK(be, func(l backend.ColumnMajorLAPACK) (string, int) {
			return "dgetrs", l.Dgetrs(blas.NoTrans, s.M, s.N, f.data, f.ld(), f.ipiv, x.data, x.ld())
		})
	}
	return p
}

// norm returns the largest sum of the absolute values of a row of op(A).
func (a matrix) norm(op blas.Transpose) float64 {
	rows, cols := make([]float64, a.rows), make([]float64, a.cols)
	for i := range a.rows {
		for j, v := range a.data[i*a.cols : (i+1)*a.cols] {
			rows[i] += math.Abs(v)
			cols[j] += math.Abs(v)
		}
	}
	if op != blas.NoTrans {
		return largest(cols)
	}
	return largest(rows)
}
