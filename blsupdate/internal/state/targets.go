package state

import (
	"math"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/types"
	"blskernel/internal/io/memory"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// A state is linear in its targets: AᵀY, z and W become AᵀY T, z T and W T when Y becomes Y T. Nothing
// else in it depends on the targets, apart from the norms of their columns.

// Mapped returns M T, or [M, M T] if keep is set, in new, contiguous storage.
func (b *Base) Mapped(m, t *mat.Dense, keep bool) *mat.Dense {
	rows, from, p := dense.Rows(m), 0, dense.Cols(t)
	if keep {
		from = dense.Cols(m)
	}
	all := mat.NewDense(rows, from+p, nil)
	dense.Gemm(b.Counter, blas.NoTrans, blas.NoTrans, 1, m, t, 0, all.Slice(0, rows, from, from+p).(*mat.Dense))
	if keep {
		dense.Place(all, 0, 0, m)
	}
	return all
}

// ReserveMapped is Reserve for the results of Mapped; rows is the total number of rows.
func (b *Base) ReserveMapped(rows int, t *mat.Dense, keep bool) error {
	cols, action := dense.Cols(t), types.ActionMap
	if keep {
		cols, action = cols+b.C, types.ActionTargets
	}
	return b.Reserve(action, 0, memory.Floats(rows, cols))
}

// MapSolved maps M, from which W is computed, and W unless it is nil, to the new targets. Solving for W
// again might not reproduce the W that Forget or Refine left.
func (b *Base) MapSolved(m, w, t *mat.Dense, keep bool) (nextM, nextW *mat.Dense, out Outcome, err error) {
	formula, rows := "2ckp", []int{b.K}
	if w != nil {
		formula, rows = "4ckp", []int{b.K, b.K}
	}
	if err := b.ReserveMapped(b.K*len(rows), t, keep); err != nil {
		return nil, nil, out, err
	}
	b.Counter.Enter(cost.StepTargets)
	nextM = b.Mapped(m, t, keep)
	if w != nil {
		nextW = b.Mapped(w, t, keep)
		if !dense.Finite(nextW) {
			return nil, nil, out, types.ErrOverflow
		}
	}
	out.Model = cost.MapTargets(formula, b.C, dense.Cols(t), rows...)
	return nextM, nextW, out, nil
}

// MapTargets maps W to the new targets, and sets BoundW to the magnitude of its largest element.
func (s *Inverse) MapTargets(t *mat.Dense, keep bool) (out Outcome, err error) {
	size, err := s.Size.Mapped(t, keep).Safe()
	if err != nil {
		return out, err
	}
	if err := s.ReserveMapped(s.K, t, keep); err != nil {
		return out, err
	}
	s.Counter.Enter(cost.StepTargets)
	w := s.Mapped(s.W, t, keep)
	largest := dense.LargestOf(w.RawMatrix().Data)
	if !(largest < math.MaxFloat64/4) {
		return out, types.ErrOverflow
	}
	out.Model = cost.MapTargets("2ckp", s.C, dense.Cols(t), s.K)
	s.W, s.BoundW, s.Size, s.C = w, largest, size, dense.Cols(w)
	return out, nil
}
