package blsupdate

import (
	"context"
	"errors"
	"math"

	"blskernel/internal/memory"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	gonummat "gonum.org/v1/gonum/mat"
)

// gram is the state of the method Gram: G = AᵀA and T = AᵀY, without the ridge, which is added to a copy of
// G when the weights are wanted. The cost of no update depends on l.
type gram struct {
	common
	g    *mat.SymPacked // G, k×k
	t    *mat.Dense     // T, k×c
	size sizes

	// The solution, nil where it has not been asked for since the last change.
	factor   *lapack.Cholesky // of G + lambda I
	factored *mat.SymPacked   // its storage
	w        *mat.Dense

	spare *mat.SymPacked // storage of a factor that is of no use any more, or nil
}

func newGram(ctx context.Context, base common, a, y *mat.Dense) (*gram, done, error) {
	s := &gram{common: base, g: mat.NewSymPacked(base.k, nil), t: mat.NewDense(base.k, base.c, nil)}
	size, err := newSizes(base.k, base.c).with(a, y).safe()
	if err != nil {
		return nil, done{}, err
	}
	s.size = size
	if err := s.learn(ctx, s.g, s.t, a, y); err != nil {
		return nil, done{}, err
	}
	return s, done{model: gramUpdate(rowsOf(a), s.k, s.c)}, nil
}

// add computes G += AxᵀAx and T += AxᵀYa.
func (s *gram) add(ctx context.Context, ax, ya *mat.Dense) (done, error) {
	q := rowsOf(ax)
	size, err := s.size.with(ax, ya).safe()
	if err != nil {
		return done{}, err
	}
	g, t := s.g, s.t
	if manyPanels(ctx, q) {
		g, t = cloneSym(g), gonummat.DenseCopyOf(t)
	}
	if err := s.learn(ctx, g, t, ax, ya); err != nil {
		return done{}, err
	}
	s.g, s.t, s.size = g, t, size
	s.changed()
	return done{model: gramUpdate(q, s.k, s.c)}, nil
}

// learn computes G += AxᵀAx and T += AxᵀYa panel by panel.
func (s *gram) learn(ctx context.Context, g *mat.SymPacked, t, ax, ya *mat.Dense) error {
	return eachPanel(ctx, rowsOf(ax), func(from, to int) error {
		s.update(g, t, 1, rowRange(ax, from, to), rowRange(ya, from, to))
		return nil
	})
}

// update computes G += sign AxᵀAx and T += sign AxᵀYa.
func (s *gram) update(g *mat.SymPacked, t *mat.Dense, sign float64, ax, ya *mat.Dense) {
	defer s.counter.Leave()
	x, y, rt := ax.RawMatrix(), ya.RawMatrix(), t.RawMatrix()
	s.counter.Enter(StepG)
	s.counter.Dsprk(blas.Trans, s.k, x.Rows, sign, x.Data, x.Stride, 1, g.RawSymPacked().Data)
	s.counter.Enter(StepT)
	s.counter.Dgemm(blas.Trans, blas.NoTrans, s.k, s.c, x.Rows, sign, x.Data, x.Stride, y.Data, y.Stride, 1, rt.Data, rt.Stride)
}

// factorize returns the Cholesky factor of G + lambda I, and the steps that it took if it had to be made. It asks for
// the memory of the factor, and for so many bytes that are wanted beside it.
func (s *gram) factorize(beside int64) (*lapack.Cholesky, []StepFlops, error) {
	fits := s.spare != nil && s.spare.SymmetricDim() == s.k
	bytes := beside
	if s.factor == nil && !fits {
		bytes = memory.Sum(beside, memory.Triangle(s.k))
	}
	if err := s.room(Gram, ActionWeights, 0, bytes); err != nil {
		return nil, nil, err
	}
	if s.factor != nil {
		return s.factor, nil, nil
	}
	g := s.spare
	s.spare = nil
	if !fits {
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
	factor, model, err := s.factorize(memory.Floats(s.k, s.c))
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

// condition is that of the present G + lambda I, whose condition number is κ², with the largest ‖A‖ so far.
func (s *gram) condition() (rcond float64, power int) {
	factor, _, err := s.factorize(0)
	if err != nil {
		return 0, 2
	}
	return math.Sqrt(factor.RCond()) * s.size.shrunk(s.ridge), 2
}
