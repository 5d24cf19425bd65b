package pseudoinverse

import (
	"math"
	"slices"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/blsupdate/types"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// undecidable is the relative tolerance for singular values of C above which the rank of C is not
// decided. The state is then so ill-conditioned that rounding errors look like new directions.
const undecidable = 1e-2

// A residual is the singular value decomposition Cᵀ = U diag(values) Vᵀ, truncated at the rank of C.
// For C = 0 it has no values.
type residual struct {
	values []float64
	u, v   *mat.Dense
}

// rowSpaceResidual decomposes C = Axᵀ - AᵀD, the part of the new rows outside the row space of A. The
// result is empty if C is not computed.
//
// Singular values up to max(l+q, k) eps κ ‖Ax‖ count as zero, with κ = ‖A‖‖A⁺‖ in Frobenius norms, the
// largest of each so far. Rounding in C is about eps (‖Ax‖ + ‖A‖‖D‖) for rows in general position, and
// eps κ(A) ‖Ax‖ for linear combinations of the rows of A. Updates and removals leave further errors in
// A⁺, which the factor drift covers. The ranks of A and of C together are at most k.
func (s *addition) rowSpaceResidual() (c residual, err error) {
	if s.ct == nil {
		return c, nil
	}
	u, q, k := s.u, s.q, s.u.K
	u.Counter.Enter(cost.StepRank)
	kappa := max(1, u.conditionNumber(), u.worst.a*u.worst.plus)
	tolerance := float64(max(u.p.count+q, k)) * dense.Eps * kappa * u.drift
	if !(tolerance < undecidable) {
		return c, &types.ConditionError{What: "A (whose rank must be known to add rows)", RCond: 1 / kappa}
	}
	if !dense.Finite(s.ct) {
		return c, types.ErrOverflow
	}
	if c.values, c.u, c.v, err = dense.SVD(u.Counter, s.ct); err != nil {
		return c, err
	}
	rank, err := s.rankOf(c.values, tolerance*dense.Norm(s.ax.RawMatrix().Data))
	c.values = c.values[:rank]
	return c, err
}

// rankOf returns how many of the singular values of C count as nonzero, and records any doubt. If the
// columns have about the same norm, the values above the tolerance count, and a second projection of C
// tells whether that is in doubt. Otherwise rounding differs from column to column, and the rank of [A;
// Ax] with its columns scaled decides.
func (s *addition) rankOf(values []float64, tolerance float64) (int, error) {
	u, k := s.u, s.u.K
	limit := k - u.rank
	lengths := slices.Clone(u.size.A)
	state.AddLengths(lengths, dense.ColumnNorms(s.ax))
	if even(lengths) {
		rank := countAbove(values, tolerance, limit)
		if 0 < rank && rank < s.q || limit == 0 || u.doubt { // the two parts of the batch decide
			return rank, nil
		}
		var err error
		u.doubt, err = s.unsure(values, rank, tolerance)
		return rank, err
	}
	units, _ := dense.Powers(lengths)
	all := mat.NewDense(u.a.count+s.q, k, nil)
	u.a.blockwise(func(first int, a *mat.Dense) { dense.Place(all, first, 0, a) })
	dense.Place(all, u.a.count, 0, s.ax)
	dense.DivideColumns(all, units)
	values, _, _, err := dense.SVD(u.Counter.Unwrap(), all)
	if err != nil {
		return 0, err
	}
	tolerance = dense.RankTolerance(u.a.count+s.q, k) * values[0]
	rank, noise := countAbove(values, tolerance, k), roundingOf(u.a.count+s.q, k)*values[0]
	near := countAbove(values, noise, k) > rank || countAbove(values, tolerance*doubtful, k) < rank
	u.doubt = u.doubt || near
	return max(0, min(rank-u.rank, s.q)), nil
}

// unsure reports whether the rank of C, which is counted as 0 or q, is in doubt. Of the errors of C =
// Ax - DᵀA those of A⁺ are in the row space of A. A second projection, C - (C A⁺)A, takes away all of
// them but the relative error of A⁺, about tolerance/‖Ax‖, times C. What stays are the errors of the
// sums, in column j nodesUnits times state.Unit times |ax_j| + ‖d‖‖a_j‖ for the column d of D.
//
// If C counts as zero, the rank is in doubt if an element exceeds these errors, or if they hide
// directions as small as the smallest of A. If the rank is q, it is in doubt if a singular value is
// near the tolerance, or if the second projection takes away half of it or more.
func (s *addition) unsure(values []float64, rank int, tolerance float64) (bool, error) {
	u, on, c := s.u, s.u.Counter.Unwrap(), dense.Copy(s.ct)
	u.p.panels(0, u.p.count, panelRows(s.q), func(first int, p *mat.Dense) {
		n := dense.Rows(p)
		d := mat.NewDense(n, s.q, nil)
		dense.Gemm(on, blas.NoTrans, blas.Trans, 1, p, s.ct, 0, d)
		u.a.panels(first, first+n, n, func(i int, a *mat.Dense) {
			rows := dense.RowRange(d, i-first, i-first+dense.Rows(a))
			dense.Gemm(on, blas.Trans, blas.NoTrans, -1, rows, a, 1, c)
		})
	})
	if rank > 0 {
		left, _, _, err := dense.SVD(on, c)
		if err != nil {
			return false, err
		}
		least := values[rank-1]
		return !(least > tolerance*doubtful && left[rank-1] > least/2), nil
	}
	unit := nodesUnits * state.Unit(u.p.count, u.K)
	share, plus := tolerance/dense.Norm(s.ax.RawMatrix().Data), u.p.norm()
	for i := range s.q {
		ax, dbar := s.ax.RawRowView(i), s.dbar.RawRowView(i) // their product is ‖d‖²
		length := dense.Norm(ax)
		if length == 0 {
			continue
		}
		d := math.Sqrt(math.Abs(dense.Dot(ax, dbar)) + float64(unit*length*dense.Norm(dbar)))
		rest := float64(share * dense.Norm(s.ct.RawRowView(i)))
		for j, v := range c.RawRowView(i) {
			noise := float64(unit * (math.Abs(ax[j]) + float64(d*u.size.A[j])))
			if !(math.Abs(v) <= noise+rest && noise*plus <= 1) {
				return true, nil
			}
		}
	}
	return false, nil
}

// doubtful is the factor around a tolerance within which a singular value leaves the rank in doubt.
const doubtful = 1e3

// roundingUnits bounds the rounding errors of dependent columns, in eps. Singular values and columns
// that count as zero but are larger leave the rank in doubt.
const roundingUnits = 8

// roundingOf bounds the singular values that rounding leaves of zeros in an m×n matrix, relative to the
// largest. In measurements they were up to 3 eps, and sqrt(mn)/5 eps if all elements are equal.
func roundingOf(m, n int) float64 {
	return (roundingUnits + math.Sqrt(float64(m)*float64(n))/3) * dense.Eps
}

// evenRatio is the ratio of column norms up to which singular values are compared without scaling.
const evenRatio = 1 << 10

// even reports whether the nonzero norms are within a factor of evenRatio of each other.
func even(lengths []float64) bool {
	smallest, largest := math.Inf(1), 0.0
	for _, v := range lengths {
		if v > 0 {
			smallest, largest = min(smallest, v), max(largest, v)
		}
	}
	return !(largest > evenRatio*smallest)
}

func countAbove(values []float64, tolerance float64, limit int) int {
	rank := 0
	for rank < min(len(values), limit) && values[rank] > tolerance {
		rank++
	}
	return rank
}

// inverseOf returns U diag(1/values) Vᵀ for the leading columns of U and V, and overwrites U.
func (u *State) inverseOf(values []float64, us, vs *mat.Dense) *mat.Dense {
	m, n, rank := dense.Rows(us), dense.Rows(vs), len(values)
	out := mat.NewDense(m, n, nil)
	dense.DivideColumns(us, values)
	ru, rv := us.RawMatrix(), vs.RawMatrix()
	u.Counter.Dgemm(blas.NoTrans, blas.Trans, m, n, rank, 1, ru.Data, ru.Stride, rv.Data, rv.Stride, 0, out.RawMatrix().Data, n)
	return out
}
