package qr

import (
	"errors"
	"math"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonummat "gonum.org/v1/gonum/mat"
)

// addNodes borders R and z by p columns and rows,
//
//	R := [R  R12]    z := [z ]
//	     [0  R22],        [z2].
//
// With D = (AᵀA + lambda I)⁻¹AᵀH (k×p), the ridge solution for the new columns, and C = H - A D, what
// they have beyond the old ones,
//
//	R12 = R D,   R22ᵀR22 = CᵀC + lambda DᵀD + lambda I,   R22ᵀz2 = CᵀY.
//
// R22 and z2 are those of a QR factorization of [C; sqrt(lambda) D; sqrt(lambda) I] with the targets
// [Y; 0; 0], so that columns that are nearly combinations of old ones lose no more digits than they
// have to. D is by seminormal equations, without Q, which hold to κ of about 1/sqrt(eps) if they are
// corrected once (Björck, Linear Algebra Appl. 88/89, 1987):
//
//	D0 = R⁻¹R⁻ᵀ(AᵀH),   D = D0 + R⁻¹R⁻ᵀ(Aᵀ(H - A D0) - lambda D0).
//
// Without Q there is no way to C with errors below eps ‖A‖‖D‖, which is up to eps κ‖H‖. W has errors of
// eps κ all the same, but later rows that improve κ do not take them away.
//
// Here each column of H is scaled by a power of two to a norm of about 1, so that AᵀH neither overflows
// nor underflows if A does not.
func (s *State) AddNodes(a, h, y *mat.Dense) (state.Outcome, error) {
	if err := s.regular(); err != nil {
		return state.Outcome{}, err
	}
	l, p := h.Dims()
	k, c := s.K, s.C
	norms := dense.ColumnNorms(h)
	if _, err := bounded(s.Size.WithNodes(norms)); err != nil {
		return state.Outcome{}, err
	}
	s.Counter.Enter(cost.StepNodes)
	defer s.Counter.Leave()
	if rcond := s.scaledCondition(); !(rcond >= seminormalCondition) {
		return state.Outcome{}, &api.ConditionError{What: "the present nodes", RCond: rcond, Err: errSeminormal}
	}
	units := dense.Powers(norms)
	rest := gonummat.DenseCopyOf(h)
	dense.ScaleColumns(rest, units)
	d, err := s.columnResidual(a, rest)
	if err != nil {
		return state.Outcome{}, api.ErrOverflow
	}

	s.Counter.Enter(cost.StepTriangle)
	corner, z2 := mat.NewDense(p, p, nil), mat.NewDense(p, c, nil)
	root := math.Sqrt(s.Lambda)
	for j, unit := range units {
		corner.Set(j, j, root/unit)
	}
	if err := lapack.AppendRows(s.Counter, corner, z2, rest, gonummat.DenseCopyOf(y)); err != nil {
		return state.Outcome{}, api.ErrOverflow
	}
	if s.Lambda > 0 {
		rows := gonummat.DenseCopyOf(d)
		rows.Scale(root, rows)
		if err := lapack.AppendRows(s.Counter, corner, z2, rows, mat.NewDense(k, c, nil)); err != nil {
			return state.Outcome{}, api.ErrOverflow
		}
	}
	r, side := s.R.RawMatrix(), d.RawMatrix()
	s.Counter.Dtrmm(blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit, k, p, 1, r.Data, r.Stride, side.Data, side.Stride)
	for j, unit := range units {
		units[j] = 1 / unit
	}
	dense.ScaleColumns(d, units)
	dense.ScaleColumns(corner, units)

	next := *s
	next.K += p
	next.R, next.Z, next.w = mat.NewDense(k+p, k+p, nil), mat.NewDense(k+p, c, nil), nil
	place(next.R, 0, 0, s.R)
	place(next.R, 0, k, d)
	place(next.R, k, k, corner)
	place(next.Z, 0, 0, s.Z)
	place(next.Z, k, 0, z2)
	next.measure()
	if _, err := bounded(next.Size); err != nil {
		return state.Outcome{}, err
	}
	*s = next
	return state.Outcome{Model: cost.QRNodes(cost.Shape{L: l, K: k, P: p, C: c}, s.Lambda > 0)}, nil
}

// beyond returns D, and overwrites h by C = H - A D.
func (s *State) columnResidual(a, h *mat.Dense) (*mat.Dense, error) {
	l, p := h.Dims()
	ra, rh := a.RawMatrix(), h.RawMatrix()
	d, g := mat.NewDense(s.K, p, nil), mat.NewDense(s.K, p, nil)
	for _, x := range []*mat.Dense{d, g} { // g is the correction
		rx := x.RawMatrix()
		s.Counter.Dgemm(blas.Trans, blas.NoTrans, s.K, p, l, 1, ra.Data, ra.Stride, rh.Data, rh.Stride, 0, rx.Data, rx.Stride)
		if x == g {
			addScaled(rx.Data, -s.Lambda, d.RawMatrix().Data)
		}
		for _, trans := range []bool{true, false} {
			if err := lapack.SolveTriangular(s.Counter, x, s.R, trans); err != nil {
				return nil, err
			}
		}
		s.Counter.Dgemm(blas.NoTrans, blas.NoTrans, l, p, s.K, -1, ra.Data, ra.Stride, rx.Data, rx.Stride, 1, rh.Data, rh.Stride)
	}
	d.Add(d, g)
	return d, nil
}

// seminormalCondition is the reciprocal condition number, of the columns scaled to the same length,
// down to which corrected seminormal equations are as accurate as a QR factorization.
const seminormalCondition = 1e-7

var errSeminormal = errors.New("too ill-conditioned for the seminormal equations: start a new model with all nodes by New")

// scaledCondition returns the reciprocal condition number of R with columns of length 1, of which
// seminormal equations for R with any scaling have the accuracy.
func (s *State) scaledCondition() float64 {
	r := gonummat.DenseCopyOf(s.R)
	dense.ScaleColumns(r, dense.Powers(s.Size.A))
	return lapack.RCondTriangle(s.Counter, r)
}

// place copies src to where dst has its element (i, j).
func place(dst *mat.Dense, i, j int, src *mat.Dense) {
	rows, cols := src.Dims()
	dst.Slice(i, i+rows, j, j+cols).(*mat.Dense).Copy(src)
}

// addScaled computes dst += f x.
func addScaled(dst []float64, f float64, x []float64) {
	for i, v := range x {
		dst[i] += f * v
	}
}
