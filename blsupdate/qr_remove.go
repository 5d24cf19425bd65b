package blsupdate

import (
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
func (s *triangular) remove(ax, ya *mat.Dense) (done, error) {
	if err := s.regular(); err != nil {
		return done{}, err
	}
	q := rowsOf(ax)
	if err := s.room(QR, ActionRemove, q, s.removalBytes(q)); err != nil {
		return done{}, err
	}
	s.counter.Enter(StepLeverage)
	pt := gonummat.DenseCopyOf(ax)
	if err := lapack.SolveTriangularRows(s.counter, pt, s.r, false); err != nil {
		return done{}, &LeverageError{Action: ActionRemove} // P overflows: such rows were never added
	}
	var err error
	if removedByRows(q, s.k) {
		err = s.downdate(pt, ya)
	} else {
		rest, x := identityPacked(s.k), pt.RawMatrix()
		s.counter.Dsprk(blas.Trans, s.k, q, -1, x.Data, x.Stride, 1, rest.RawSymPacked().Data)
		err = s.shrink(rest, pt, ya)
	}
	if err != nil {
		return done{}, err
	}
	s.counter.Leave()
	s.count -= q
	left := s.size.without(ax, ya)
	left.y = columnNorms(s.z)
	s.size = left
	s.w = nil
	return done{model: qrRemoval(q, s.k, s.c)}, nil
}

// removalBytes returns the memory that a removal of q rows needs: for P and what rotations carry along, or for Pᵀ
// beside I - PPᵀ and the new z.
func (s *triangular) removalBytes(q int) int64 {
	rows := memory.Floats(q, s.k)
	if removedByRows(q, s.k) {
		return memory.Sum(rows, rows)
	}
	return memory.Sum(rows, memory.Triangle(s.k), memory.Floats(s.k, s.c))
}

// removedByRows tells whether q rows are removed by downdate, in 4qk² flops of which most are
// rotations, or by shrink, in 2qk² + 2k³/3.
func removedByRows(q, k int) bool { return q <= k/removedShare }

// removedShare is the share of k up to which downdate is the faster way. On one core of Zen 4, at k =
// 1000 and 2000, both take the same time at k/8 with the backend pure, and at about k/5 with OpenBLAS,
// where the smaller products of shrink are slower.
const removedShare = 8
