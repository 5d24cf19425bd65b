package blsupdate

import (
	"context"
	"math"
	"slices"

	"blskernel/internal/isfinite"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
)

// pseudoinverse is the state of Original and Improved.
type pseudoinverse struct {
	common
	method Method

	p    rows      // (A⁺)ᵀ, l×k
	w    []float64 // W, k×c
	keys []uint64  // of the samples, in the order of the rows of p; nil if they are not known any more

	a    rows    // A while C is to be computed, else empty
	rank int     // of A
	norm float64 // Frobenius norm of A

	worst conditioning
	drift float64 // by how much the errors of A⁺ may exceed those of a start: see outsidePart
}

// How errors of A⁺ may grow: updatedDrift by updates, nodesDrift by added nodes, and removedDrift/(1-h) by a
// removal.
const (
	updatedDrift = 4
	nodesDrift   = 20
	removedDrift = 10
)

func newPseudoinverse(ctx context.Context, m Method, base common, a, y *mat.Dense) (*pseudoinverse, done, error) {
	l, k, c := a.RawMatrix().Rows, base.k, base.c
	u := &pseudoinverse{common: base, method: m}
	s, err := u.start(ctx, a)
	if err != nil {
		return nil, done{}, err
	}
	u.p = rows{cols: k}
	u.p.append(s.p)
	u.rank = s.rank
	u.a = rows{cols: k}
	u.norm = a.Norm(2)
	if u.computesC() {
		u.a.append(compact(a))
	}
	u.w = make([]float64, k*c)
	ry := y.RawMatrix()
	err = u.eachPanel(ctx, StepInitial, l, func(from, to int) error {
		u.counter.Dgemm(blas.Trans, blas.NoTrans, k, c, to-from, 1, s.p[from*k:], k, ry.Data[from*ry.Stride:], ry.Stride, 1, u.w, c)
		return nil
	})
	u.counter.Leave()
	if err != nil {
		return nil, done{}, err
	}
	if isfinite.First(s.p) >= 0 || isfinite.First(u.w) >= 0 {
		return nil, done{}, ErrOverflow
	}
	u.keys = rowKeys(y, a)
	u.worst.power, u.drift = 1, 1
	if u.ridge > 0 {
		u.remember(1 / (s.rcond * u.size()))
	} else {
		u.remember(u.p.norm())
	}
	shape := Shape{L: l, K: k, C: c, Start: s.start, Rank: s.rank}
	return u, done{start: s.start, abandoned: s.abandoned, model: pseudoinverseStartModel(u.opt, shape)}, nil
}

// computesC tells whether the next update by rows has to look at C.
func (u *pseudoinverse) computesC() bool {
	return u.opt.C == CCheck || u.opt.C == CAuto && u.ridge == 0 && u.rank < u.k
}

// save returns what restore needs to undo updates. A is only ever appended to and W replaced, so they
// are not copied.
func (u *pseudoinverse) save() pseudoinverse {
	saved := *u
	saved.p = u.p.clone()
	saved.a.blocks = slices.Clone(u.a.blocks)
	return saved
}

func (u *pseudoinverse) restore(saved pseudoinverse) { *u = saved }

func (u *pseudoinverse) weights() (*mat.Dense, done, error) {
	return mat.NewDense(u.k, u.c, u.w), done{}, nil
}

// forget multiplies all rows so far by sqrt(factor), and with them A, and A⁺ by the reciprocal. Nobody
// can know the bits of the rows then.
func (u *pseudoinverse) forget(factor float64) error {
	root := math.Sqrt(factor)
	if !(u.p.norm() < root*math.MaxFloat64) {
		return ErrOverflow
	}
	for _, b := range u.p.blocks {
		floats.Scale(1/root, b.data)
	}
	for _, b := range u.a.blocks {
		floats.Scale(root, b.data)
	}
	u.norm *= root
	u.ridge *= factor
	u.worst.a *= root
	u.worst.plus /= root
	u.keys = nil
	return nil
}
