package blsupdate

import (
	"context"
	"errors"
	"math"

	"blskernel/internal/interrupt"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	gonummat "gonum.org/v1/gonum/mat"
)

// inverseCholesky is the state of the method InverseCholesky: the upper triangular F with F Fᵀ = (AᵀA +
// lambda I)⁻¹, and W.
//
// F is kept as the rows of L, F = gain Lᵀ: a column of F is what an update goes along, and forgetting,
// F := F/sqrt(mu), takes no pass over it.
type inverseCholesky struct {
	common
	l    *mat.Dense // Fᵀ/gain, k×k, zero above the diagonal, without gaps
	gain float64
	w    *mat.Dense // W, k×c, without gaps
	size sizes

	// The errors in F are those of the worst state so far.
	peak  float64 // the largest ‖F‖/gain, as far as known
	worst float64 // the smallest 1/κ
	noted float64 // normL when that was last estimated

	// Bounds on the Frobenius norm of l, which is measured but for rows that are added one by one, and on the
	// magnitude of elements of W, by which it is known before they are overwritten that nothing will overflow.
	normL, mostW float64
}

// newInverseCholesky computes F = R⁻¹ where RᵀR = AᵀA + lambda I: R is the Cholesky factor where the
// condition of that matrix allows, else it comes from a QR factorization of A below sqrt(lambda) I.
func newInverseCholesky(ctx context.Context, base common, a, y *mat.Dense) (*inverseCholesky, done, error) {
	s := &inverseCholesky{common: base, gain: 1}
	size, err := newSizes(s.k, s.c).with(a, y).safe()
	if err != nil {
		return nil, done{}, err
	}
	s.size = size
	start, err := s.startCholesky(ctx, a, y)
	var singular *ConditionError
	abandoned := 0.0
	if errors.As(err, &singular) {
		abandoned = s.counter.Flops()
		s.counter.Reset()
		start, err = StartQR, s.startQR(ctx, a, y)
	}
	if err != nil {
		return nil, done{}, err
	}
	s.normL, s.mostW = s.frobenius(), largestOf(s.w.RawMatrix().Data)
	if !(s.normL < math.MaxFloat64/4) {
		return nil, done{}, ErrOverflow
	}
	s.worst = 1
	s.noteCondition()
	return s, done{model: inverseCholeskyStart(Shape{L: rowsOf(a), K: s.k, C: s.c, Start: start}), start: start, abandoned: abandoned}, nil
}

// startCholesky computes L = U⁻ᵀ from the Cholesky factor U of AᵀA + lambda I. The error is a *ConditionError
// where that is not accurate enough.
func (s *inverseCholesky) startCholesky(ctx context.Context, a, y *mat.Dense) (Start, error) {
	factor, rcond, err := s.startFactor(ctx, a)
	if err != nil {
		return 0, err
	}
	if !wellConditioned(rcond, rowsOf(a)) {
		return 0, &ConditionError{What: "A'A + lambda I", RCond: rcond}
	}
	if err := interrupt.Check(ctx); err != nil {
		return 0, err
	}
	if s.w, err = s.startWeights(ctx, factor, a, y); err != nil {
		return 0, err
	}
	if err := s.enter(ctx, StepF); err != nil {
		return 0, err
	}
	defer s.counter.Leave()
	s.l = multipleOfIdentity(s.k, 1)
	if err := factor.SolveUTriangle(s.l); err != nil {
		return 0, ErrOverflow
	}
	return StartCholesky, nil
}

// startQR computes R and z = Qᵀ[0; Y] of a QR factorization of [sqrt(lambda) I; A], L = R⁻ᵀ and W =
// R⁻¹z.
func (s *inverseCholesky) startQR(ctx context.Context, a, y *mat.Dense) error {
	s.counter.Enter(StepFactor)
	defer s.counter.Leave()
	r, z := multipleOfIdentity(s.k, math.Sqrt(s.ridge)), mat.NewDense(s.k, s.c, nil)
	err := eachPanel(ctx, rowsOf(a), func(from, to int) error {
		if lapack.AppendRows(s.counter, r, z, rowRange(a, from, to), gonummat.DenseCopyOf(rowRange(y, from, to))) != nil {
			return ErrOverflow
		}
		return nil
	})
	if err == nil {
		err = interrupt.Check(ctx)
	}
	if err != nil {
		return err
	}
	rcond := lapack.RCondTriangle(s.counter, r)
	if !(rcond > rankTolerance(rowsOf(a), s.k)) {
		return &ConditionError{What: "the rows of A", RCond: rcond, Instead: []Method{QR, Improved}}
	}
	s.counter.Enter(StepSolve)
	if err := lapack.SolveTriangular(s.counter, z, r, false); err != nil {
		return triangleError("the rows of A", err)
	}
	if err := s.enter(ctx, StepF); err != nil {
		return err
	}
	if err := lapack.InvertTriangle(s.counter, r); err != nil {
		return triangleError("the rows of A", err)
	}
	s.l, s.w = transposedTriangle(r), z
	return nil
}

// transposedTriangle returns the transpose of the upper triangle of r, with zeros above its diagonal.
func transposedTriangle(r *mat.Dense) *mat.Dense {
	raw := r.RawMatrix()
	n := raw.Rows
	t := make([]float64, n*n)
	const tile = 32 // by tiles, so that what is read of a row and written of a column stays in the cache
	for i0 := 0; i0 < n; i0 += tile {
		for j0 := i0; j0 < n; j0 += tile {
			for i := i0; i < min(i0+tile, n); i++ {
				for j := max(i, j0); j < min(j0+tile, n); j++ {
					t[j*n+i] = raw.Data[i*raw.Stride+j]
				}
			}
		}
	}
	return mat.NewDense(n, n, t)
}

func (s *inverseCholesky) weights() (*mat.Dense, done, error) { return s.w, done{}, nil }

// forget divides F by the root of the factor, unless that overflows, which takes directions in which
// nothing has been learned for very long.
func (s *inverseCholesky) forget(factor float64) error {
	gain := s.gain / math.Sqrt(factor)
	if !(gain < math.MaxFloat64/max(s.normL, 1)) {
		return ErrOverflow
	}
	s.gain = gain
	s.ridge *= factor
	s.size = s.size.scaled(math.Sqrt(factor))
	if s.gain > mostGain {
		floats.Scale(s.gain, s.l.RawMatrix().Data)
		s.normL *= s.gain
		s.peak *= s.gain
		s.noted *= s.gain
		s.gain = 1
	}
	return nil
}

// cloneL returns a copy of l.
func (s *inverseCholesky) cloneL() *mat.Dense {
	dst, src := mat.NewDense(s.k, s.k, nil), s.l.RawMatrix().Data
	raw := dst.RawMatrix().Data
	for i := range s.k {
		copy(raw[i*s.k:], src[i*s.k:i*s.k+i+1])
	}
	return dst
}

// timesF overwrites the q×k X by X F, or by X Fᵀ if trans is set.
func (s *inverseCholesky) timesF(x []float64, q int, trans bool) {
	t := blas.Trans
	if trans {
		t = blas.NoTrans
	}
	s.counter.Dtrmm(blas.Right, blas.Lower, t, blas.NonUnit, q, s.k, s.gain, s.l.RawMatrix().Data, s.k, x, s.k)
}

// fTimes overwrites the k×c X by F X.
func (s *inverseCholesky) fTimes(x []float64) {
	s.counter.Dtrmm(blas.Left, blas.Lower, blas.Trans, blas.NonUnit, s.k, s.c, s.gain, s.l.RawMatrix().Data, s.k, x, s.c)
}

// condition is that of the worst state of which it is known: of the start, of those after removals and
// added nodes, and of the present one. It is not noted, so that a model does not depend on being asked.
func (s *inverseCholesky) condition() (rcond float64, power int) {
	now := *s
	now.noteCondition()
	return now.worst, 1
}

// noteCondition estimates 1/κ of the present state, and notes it if it is the smallest: κ = ‖[A;
// sqrt(lambda) I]‖‖F‖ with the largest ‖F‖ so far, because what was rounded of that is still there.
func (s *inverseCholesky) noteCondition() {
	l := s.l.RawMatrix().Data
	square := largestEigenvalue(s.k, func(x []float64) { // of L/normL, so that it neither overflows nor underflows
		s.counter.Dtrmv(blas.Lower, blas.NoTrans, blas.NonUnit, s.k, l, s.k, x, 1)
		floats.Scale(1/s.normL, x)
		s.counter.Dtrmv(blas.Lower, blas.Trans, blas.NonUnit, s.k, l, s.k, x, 1)
		floats.Scale(1/s.normL, x)
	})
	s.peak = max(s.peak, s.normL*math.Sqrt(square))
	s.worst, s.noted = s.known(), s.normL
}

// known returns 1/κ for the worst state as far as is known without a pass over F: with the rows that there are
// now, but ‖F‖ as it was last estimated.
func (s *inverseCholesky) known() float64 {
	kappa := math.Hypot(s.size.peak, math.Sqrt(s.ridge)) * s.peak * s.gain
	return min(s.worst, 1/kappa)
}

// noteRemoval is noteCondition after a removal of so many rows, which has computed normL. For few of
// them its passes over F would take longer than the removal, so it waits until the square of normL,
// which is at least ‖F‖², has doubled.
func (s *inverseCholesky) noteRemoval(rows int) {
	if rows >= manyRemoved || s.normL > math.Sqrt2*s.noted {
		s.noteCondition()
	}
}

// frobenius returns the Frobenius norm of l, and is not finite where an element is not.
func (s *inverseCholesky) frobenius() float64 {
	var sum float64
	l := s.l.RawMatrix().Data
	for i := range s.k {
		row := l[i*s.k : i*s.k+i+1]
		sum += s.counter.Ddot(i+1, row, 1, row, 1)
	}
	if !(sum > smallestSquare && sum < math.MaxFloat64) {
		return norm(l)
	}
	return math.Sqrt(sum)
}
