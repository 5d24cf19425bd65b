package blsupdate

import (
	"math"

	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonummat "gonum.org/v1/gonum/mat"
)

// outside is C = Axᵀ - AᵀD, the part of the new rows outside the row space of A, by those of its singular
// values that are not rounding noise: Cᵀ = U diag(values) Vᵀ.
type outside struct {
	rank   int
	values []float64
	u, v   *mat.Dense // the first rank columns count
}

// outsidePart decides the rank of C; it is zero, too, where C is not computed.
//
// Singular values up to max(l+q, k) eps ‖Ax‖ max(1, ‖A‖‖A⁺‖) in Frobenius norms count as zero: rounding
// in C is of the order eps (‖Ax‖ + ‖A‖‖D‖) for rows in general position and of eps κ(A) ‖Ax‖ for
// combinations of the rows of A.
func (s *addition) outsidePart() (outside, error) {
	if s.ct == nil {
		return outside{}, nil
	}
	u, q, k := s.u, s.q, s.u.k
	u.counter.Enter(StepRank)
	defer u.counter.Leave()
	values, left, right, err := svdThin(u.counter, mat.NewDense(q, k, s.ct))
	if err != nil {
		return outside{}, err
	}
	tolerance := float64(max(u.p.count+q, k)) * eps * math.Sqrt(sumSquares(s.ax)) * max(1, u.Condition())
	rank := 0
	for rank < len(values) && values[rank] > tolerance {
		rank++
	}
	return outside{rank: rank, values: values[:rank], u: left, v: right}, nil
}

// general computes Bᵀ by Cline's formula, transposed to rows:
//
//	B = C⁺ᵀ + (A⁺D - C⁺ᵀ DᵀD) K E,  E = I - C⁺C,  K = (I + E DᵀD E)⁻¹.
//
// Where C has full column rank, E is zero and B = C⁺ᵀ.
func (s *addition) general(c outside) error {
	counter, q, k := s.u.counter, s.q, s.u.k
	counter.Enter(StepB)
	defer counter.Leave()
	u := gonummat.DenseCopyOf(c.u)
	scaleColumns(u, c.values)
	ru, rv := u.RawMatrix(), c.v.RawMatrix()
	s.bt = make([]float64, q*k) // C⁺ = U diag(1/values) Vᵀ
	counter.Dgemm(blas.NoTrans, blas.Trans, q, k, c.rank, 1, ru.Data, ru.Stride, rv.Data, rv.Stride, 0, s.bt, k)
	if c.rank == q {
		return nil
	}

	inner := s.innerProduct()
	packedInner := inner.RawSymPacked().Data
	counter.Enter(StepInverse)
	e := mat.NewSymPacked(q, nil)
	packedE := e.RawSymPacked().Data
	raw := c.u.RawMatrix()
	counter.Dsprk(blas.NoTrans, q, c.rank, -1, raw.Data, raw.Stride, 0, packedE)
	e.AddDiagonal(1)
	full := e.Dense().RawMatrix().Data
	product := make([]float64, q*q)
	counter.Dspmm(blas.Left, q, q, 1, packedInner, full, q, 0, product, q)
	kernel := mat.NewSymPacked(q, nil)
	counter.Dgemmtp(blas.NoTrans, blas.NoTrans, q, q, 1, full, q, product, q, 0, kernel.RawSymPacked().Data)
	kernel.AddDiagonal(1)
	kernel, err := s.invert(kernel)
	if err != nil {
		return err
	}

	counter.Enter(StepB)
	rest := append([]float64(nil), s.dbar...)
	counter.Dspmm(blas.Left, q, k, -1, packedInner, s.bt, k, 1, rest, k)
	scaled := make([]float64, q*k)
	counter.Dspmm(blas.Left, q, k, 1, kernel.RawSymPacked().Data, rest, k, 0, scaled, k)
	counter.Dspmm(blas.Left, q, k, 1, packedE, scaled, k, 1, s.bt, k)
	return nil
}
