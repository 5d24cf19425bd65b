package blsupdate

import (
	"errors"
	"math"

	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
)

// gram is the state of the method Gram: G = AᵀA and T = AᵀY, without the ridge, which is added to a copy of
// G when the weights are wanted. The cost of no update depends on l.
type gram struct {
	common
	ridge float64
	g     *mat.SymPacked // G, k×k
	t     *mat.Dense     // T, k×c
	size  sizes

	// The solution, nil where it has not been asked for since the last change.
	factor   *lapack.Cholesky // of G + lambda I
	factored *mat.SymPacked   // its storage
	w        *mat.Dense

	spare *mat.SymPacked // storage of a factor that is of no use any more, or nil
}

func newGram(base common, a, y *mat.Dense) (*gram, done, error) {
	s := &gram{common: base, ridge: base.opt.Lambda, g: mat.NewSymPacked(base.k, nil), t: mat.NewDense(base.k, base.c, nil), size: newSizes(base.k, base.c)}
	d, err := s.add(a, y)
	return s, d, err
}

// add computes G += AxᵀAx and T += AxᵀYa.
func (s *gram) add(ax, ya *mat.Dense) (done, error) {
	size, err := s.size.with(ax, ya).safe()
	if err != nil {
		return done{}, err
	}
	s.size = size
	s.update(1, ax, ya)
	return done{model: gramUpdate(rowsOf(ax), s.k, s.c)}, nil
}

// update computes G += sign AxᵀAx and T += sign AxᵀYa.
func (s *gram) update(sign float64, ax, ya *mat.Dense) {
	s.rankUpdate(s.g, sign, ax)
	s.counter.Enter(StepT)
	defer s.counter.Leave()
	x, y, t := ax.RawMatrix(), ya.RawMatrix(), s.t.RawMatrix()
	s.counter.Dgemm(blas.Trans, blas.NoTrans, s.k, s.c, x.Rows, sign, x.Data, x.Stride, y.Data, y.Stride, 1, t.Data, t.Stride)
	s.changed()
}

// rankUpdate computes G += sign AxᵀAx.
func (s *gram) rankUpdate(g *mat.SymPacked, sign float64, ax *mat.Dense) {
	s.counter.Enter(StepG)
	defer s.counter.Leave()
	x := ax.RawMatrix()
	s.counter.Dsprk(blas.Trans, s.k, x.Rows, sign, x.Data, x.Stride, 1, g.RawSymPacked().Data)
}

// factorize returns the Cholesky factor of G + lambda I, and the steps that it took if it had to be made.
func (s *gram) factorize() (*lapack.Cholesky, []StepFlops, error) {
	if s.factor != nil {
		return s.factor, nil, nil
	}
	g := s.spare
	s.spare = nil
	if g == nil || g.SymmetricDim() != s.k {
		g = new(mat.SymPacked)
	}
	s.counter.Enter(StepFactor)
	defer s.counter.Leave()
	g.CopySym(s.g)
	g.AddDiagonal(s.ridge)
	factor := &lapack.Cholesky{Backend: s.counter}
	err := factor.FactorizeInPlace(g)
	switch {
	case errors.Is(err, lapack.ErrNotFinite):
		err = ErrOverflow
	case err == nil:
		err = s.checkPivots(g)
	default:
		err = &ConditionError{What: gramMatrix, Err: err, Instead: []Method{QR}}
	}
	if err != nil {
		s.spare = g
		return nil, nil, err
	}
	s.factor, s.factored = factor, g
	return factor, []StepFlops{gramFactor(s.k)}, nil
}

// gramMatrix is what is factored.
const gramMatrix = "A'A + lambda I"

// checkPivots returns an error where a pivot of the factor u is no more than the rounding errors of what it was
// subtracted from, or was made of squares that underflow. The square of a pivot over its diagonal element is the
// share of its column that the columns before it do not have; how they are scaled makes no difference. Its rounding
// error was seen to be at most a few eps sqrt(k), and it has either sign: half of the singular matrices have a
// Cholesky factor.
func (s *gram) checkPivots(u *mat.SymPacked) error {
	noise := 10 * eps * math.Sqrt(float64(s.k))
	for j := range s.k {
		diagonal := s.g.At(j, j) + s.ridge
		if pivot := u.At(j, j); diagonal < smallestSquare || !(pivot*pivot > noise*diagonal) {
			return &ConditionError{What: gramMatrix, RCond: pivot * pivot / diagonal, Instead: []Method{QR}}
		}
	}
	return nil
}

// changed forgets the solution, but for its storage.
func (s *gram) changed() {
	if s.factor != nil {
		s.spare = s.factored
	}
	s.factor, s.factored, s.w = nil, nil, nil
}

// weights solves (G + lambda I) W = T.
func (s *gram) weights() (*mat.Dense, done, error) {
	if s.w != nil {
		return s.w, done{}, nil
	}
	factor, model, err := s.factorize()
	if err != nil {
		return nil, done{}, err
	}
	s.counter.Enter(StepSolve)
	defer s.counter.Leave()
	w := mat.NewDense(s.k, s.c, nil)
	if err := factor.SolveTo(w, s.t); err != nil {
		return nil, done{}, ErrOverflow
	}
	s.w = w
	return w, done{model: append(model, gramSolution(s.k, s.c))}, nil
}

// forget multiplies G, T and lambda.
func (s *gram) forget(factor float64) error {
	floats.Scale(factor, s.g.RawSymPacked().Data)
	s.t.Scale(factor, s.t)
	s.ridge *= factor
	s.size = s.size.scaled(math.Sqrt(factor))
	w := s.w // which stays
	s.changed()
	s.w = w
	return nil
}

// merge adds G and T of the other state.
func (s *gram) merge(other state) (done, error) {
	o := other.(*gram)
	size, err := s.size.plus(o.size).safe()
	if err != nil {
		return done{}, err
	}
	s.size = size
	floats.Add(s.g.RawSymPacked().Data, o.g.RawSymPacked().Data)
	s.t.Add(s.t, o.t)
	s.noteLoss(o.lost)
	s.changed()
	return done{}, nil
}

func (s *gram) setLambda(lambda float64) (done, error) {
	if lambda != s.ridge {
		s.ridge = lambda
		s.changed()
	}
	return done{}, nil
}

func (s *gram) lambda() float64 { return s.ridge }

// condition is that of the present G + lambda I, whose condition number is κ², with the largest ‖A‖ so far.
func (s *gram) condition() (rcond float64, power int) {
	factor, _, err := s.factorize()
	if err != nil {
		return 0, 2
	}
	return math.Sqrt(factor.RCond()) * s.size.shrunk(s.ridge), 2
}
