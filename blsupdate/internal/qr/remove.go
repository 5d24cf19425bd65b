package qr

import (
	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/memory"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonummat "gonum.org/v1/gonum/mat"
)

// remove takes rows out of R and z. With P = R⁻ᵀAxᵀ (k×q), what is left is
//
//	R'ᵀR' = RᵀR - AxᵀAx = Rᵀ(I - PPᵀ)R,   R'ᵀz' = Rᵀz - AxᵀYa = Rᵀ(z - P Ya),
//
// and the smallest eigenvalue of I - PPᵀ, as of I - PᵀP, is 1-h, where h = ‖P‖² is the leverage of the
// rows. One way to R' is by matrices of order q (downdate), the other by those of order k (shrink).
// Neither forms RᵀR: to the errors of R come those of I - PPᵀ, about eps/(1-h), which multiply.
func (s *State) Remove(ax, ya *mat.Dense) (state.Outcome, error) {
	if err := s.regular(); err != nil {
		return state.Outcome{}, err
	}
	q := dense.Rows(ax)
	if err := s.Reserve(api.QR, api.ActionRemove, q, s.removalBytes(q)); err != nil {
		return state.Outcome{}, err
	}
	s.Counter.Enter(cost.StepLeverage)
	pt := gonummat.DenseCopyOf(ax)
	if err := lapack.SolveTriangularRows(s.Counter, pt, s.R, false); err != nil {
		return state.Outcome{}, &api.LeverageError{Action: api.ActionRemove} // P overflows: such rows were never added
	}
	var err error
	if cost.RemovedByRows(q, s.K) {
		err = s.downdate(pt, ya)
	} else {
		rest, x := dense.IdentityPacked(s.K), pt.RawMatrix()
		s.Counter.Dsprk(blas.Trans, s.K, q, -1, x.Data, x.Stride, 1, rest.RawSymPacked().Data)
		err = s.shrink(rest, pt, ya)
	}
	if err != nil {
		return state.Outcome{}, err
	}
	s.Counter.Leave()
	s.Count -= q
	left := s.Size.Without(ax, ya)
	left.Y = dense.ColumnNorms(s.Z)
	s.Size = left
	s.w = nil
	return state.Outcome{Model: cost.QRRemove(q, s.K, s.C)}, nil
}

// removalBytes returns the memory that a removal of q rows needs: for P and what rotations carry along, or for Pᵀ
// beside I - PPᵀ and the new z.
func (s *State) removalBytes(q int) int64 {
	rows := memory.Floats(q, s.K)
	if cost.RemovedByRows(q, s.K) {
		return memory.Sum(rows, rows)
	}
	return memory.Sum(rows, memory.Triangle(s.K), memory.Floats(s.K, s.C))
}
