package blsupdate

import (
	"errors"
	"math"

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
func (s *triangular) addNodes(a, h, y *mat.Dense) (done, error) {
	if err := s.regular(); err != nil {
		return done{}, err
	}
	l, p := h.Dims()
	k, c := s.k, s.c
	norms := columnNorms(h)
	if _, err := bounded(s.size.withNodes(norms)); err != nil {
		return done{}, err
	}
	s.counter.Enter(StepNodes)
	defer s.counter.Leave()
	if rcond := s.scaledCondition(); !(rcond >= seminormalCondition) {
		return done{}, &ConditionError{What: "the present nodes", RCond: rcond, Err: errSeminormal}
	}
	units := powers(norms)
	rest := gonummat.DenseCopyOf(h)
	scaleColumns(rest, units)
	d, err := s.beyond(a, rest)
	if err != nil {
		return done{}, ErrOverflow
	}

	s.counter.Enter(StepTriangle)
	corner, z2 := mat.NewDense(p, p, nil), mat.NewDense(p, c, nil)
	root := math.Sqrt(s.ridge)
	for j, unit := range units {
		corner.Set(j, j, root/unit)
	}
	if err := lapack.AppendRows(s.counter, corner, z2, rest, gonummat.DenseCopyOf(y)); err != nil {
		return done{}, ErrOverflow
	}
	if s.ridge > 0 {
		rows := gonummat.DenseCopyOf(d)
		rows.Scale(root, rows)
		if err := lapack.AppendRows(s.counter, corner, z2, rows, mat.NewDense(k, c, nil)); err != nil {
			return done{}, ErrOverflow
		}
	}
	r, side := s.r.RawMatrix(), d.RawMatrix()
	s.counter.Dtrmm(blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit, k, p, 1, r.Data, r.Stride, side.Data, side.Stride)
	for j, unit := range units {
		units[j] = 1 / unit
	}
	scaleColumns(d, units)
	scaleColumns(corner, units)

	next := *s
	next.k += p
	next.r, next.z, next.w = mat.NewDense(k+p, k+p, nil), mat.NewDense(k+p, c, nil), nil
	place(next.r, 0, 0, s.r)
	place(next.r, 0, k, d)
	place(next.r, k, k, corner)
	place(next.z, 0, 0, s.z)
	place(next.z, k, 0, z2)
	next.measure()
	if _, err := bounded(next.size); err != nil {
		return done{}, err
	}
	*s = next
	return done{model: qrNodes(Shape{L: l, K: k, P: p, C: c}, s.ridge > 0)}, nil
}

// beyond returns D, and overwrites h by C = H - A D.
func (s *triangular) beyond(a, h *mat.Dense) (*mat.Dense, error) {
	l, p := h.Dims()
	ra, rh := a.RawMatrix(), h.RawMatrix()
	d, g := mat.NewDense(s.k, p, nil), mat.NewDense(s.k, p, nil)
	for _, x := range []*mat.Dense{d, g} { // g is the correction
		rx := x.RawMatrix()
		s.counter.Dgemm(blas.Trans, blas.NoTrans, s.k, p, l, 1, ra.Data, ra.Stride, rh.Data, rh.Stride, 0, rx.Data, rx.Stride)
		if x == g {
			addScaled(rx.Data, -s.ridge, d.RawMatrix().Data)
		}
		for _, trans := range []bool{true, false} {
			if err := lapack.SolveTriangular(s.counter, x, s.r, trans); err != nil {
				return nil, err
			}
		}
		s.counter.Dgemm(blas.NoTrans, blas.NoTrans, l, p, s.k, -1, ra.Data, ra.Stride, rx.Data, rx.Stride, 1, rh.Data, rh.Stride)
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
func (s *triangular) scaledCondition() float64 {
	r := gonummat.DenseCopyOf(s.r)
	scaleColumns(r, powers(s.size.a))
	return lapack.RCondTriangle(s.counter, r)
}

// powers returns the powers of two between 2⁻¹⁰⁰⁰ and 2¹⁰⁰⁰ next to the lengths, by which to divide
// without rounding.
func powers(lengths []float64) []float64 {
	p := make([]float64, len(lengths))
	for j, v := range lengths {
		_, exp := math.Frexp(v)
		p[j] = math.Ldexp(1, max(-1000, min(1000, exp)))
	}
	return p
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
