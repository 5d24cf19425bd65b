package pinv

import (
	"math"
	"slices"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/isfinite"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonummat "gonum.org/v1/gonum/mat"
)

// A widening is an addition of nodes on its way: what is computed from the state before the state is
// touched.
type widening struct {
	u       *State
	l, p    int
	a, h, y *mat.Dense

	d  *mat.Dense // D = A⁺H, k×p
	c  *mat.Dense // C = H - A D, l×p, the part of the new columns outside the column space of A
	qr *lapack.QR // of C, where l >= p
	r  *mat.Dense // its R
	bt *mat.Dense // Bᵀ, l×p

	// For a ridge: sqrt(lambda) D (CᵀC + lambda DᵀD + lambda I)⁻¹, k×p, and what the norm of the inverse gains.
	bd    *mat.Dense
	grown float64

	way cost.NodesStrategy
}

// addNodes appends columns to A (Greville's theorem, for several columns):
//
//	A⁺ := [A⁺ - D B; B],   W := [W - D B Y; B Y]
//
// with B = C⁺ where C has full column rank, and B = (I + DᵀD)⁻¹DᵀA⁺ where it is zero. Otherwise the
// columns are added in two parts: first as many as the rank of C, which span what is new, then the
// others, which by then lie in the column space.
//
// For a ridge start, where A A⁺ is not quite a projection, B is (CᵀC + lambda DᵀD + lambda I)⁻¹Cᵀ for any
// C, so that A⁺ becomes the ridge inverse of [A H] if it was that of A. After updates by rows, which it was not
// quite, it is as far from that as Options.Lambda says of them.
//
// The rows of A and Y have to be those that the model has, in their order; else it is an *UnknownRowError.
func (u *State) AddNodes(a, h, y *mat.Dense) (state.Outcome, error) {
	if err := api.CheckStart(u.Method, u.Options, dense.Rows(a), u.K+dense.Cols(h)); err != nil {
		return state.Outcome{}, err
	}
	if err := u.inOrder(RowKeys(y, a)); err != nil {
		return state.Outcome{}, err
	}
	next, models, err := u.widened(a, h, y)
	if err != nil {
		return state.Outcome{}, err
	}
	next.Keys = RowKeys(y, a, h)
	rankC := 0
	if u.Lambda == 0 {
		rankC = next.Rank - u.Rank
	}
	*u = *next
	return state.Outcome{Model: cost.MergeModels(cost.PinvNodesSteps, models), RankC: rankC}, nil
}

// widened returns the state with more columns, in storage of its own where it differs, and the models
// of what was done.
func (u *State) widened(a, h, y *mat.Dense) (*State, [][]cost.StepFlops, error) {
	l, p := h.Dims()
	s := &widening{u: u, l: l, p: p, a: a, h: h, y: y}
	shape := cost.Shape{L: l, K: u.K, P: p, C: u.C}
	s.project()
	if isfinite.First(s.c.RawMatrix().Data) >= 0 || isfinite.First(s.d.RawMatrix().Data) >= 0 {
		return nil, nil, api.ErrOverflow
	}
	if u.Lambda > 0 {
		if err := s.ridge(); err != nil {
			return nil, nil, err
		}
		next, err := s.state()
		return next, [][]cost.StepFlops{cost.PinvNodes(shape, s.way)}, err
	}
	if err := s.decide(); err != nil {
		return nil, nil, err
	}
	s.way.Split = 0 < s.way.Rank && s.way.Rank < p
	if s.way.Split {
		first := s.leadingNodes()
		next, models, err := u.widenedInParts(a, h, y, first)
		return next, append([][]cost.StepFlops{cost.PinvNodes(shape, s.way)}, models...), err
	}
	var err error
	if s.way.Rank == p {
		err = s.fullRank()
	} else {
		err = s.inside()
	}
	if err != nil {
		return nil, nil, err
	}
	next, err := s.state()
	return next, [][]cost.StepFlops{cost.PinvNodes(shape, s.way)}, err
}

// widenedInParts adds the columns first and then the others, and puts them into their order.
func (u *State) widenedInParts(a, h, y *mat.Dense, first []int) (*State, [][]cost.StepFlops, error) {
	p := dense.Cols(h)
	order := slices.Clone(first)
	for j := range p {
		if !slices.Contains(first, j) {
			order = append(order, j)
		}
	}
	h1, h2 := dense.PickColumns(h, order[:len(first)]), dense.PickColumns(h, order[len(first):])
	half, models, err := u.widened(a, h1, y)
	if err != nil {
		return nil, nil, err
	}
	next, more, err := half.widened(dense.Beside(a, h1), h2, y)
	if err != nil {
		return nil, nil, err
	}
	next.reorderNodes(u.K, order)
	return next, append(models, more...), nil
}

// project computes D and C, and once more what is left in C of the column space of A where a column of
// C is so much shorter than that of H that rounding errors are no small part of it. For a ridge, where
// A A⁺ is no projection, there is nothing of the kind.
func (s *widening) project() {
	u := s.u
	s.d = mat.NewDense(u.K, s.p, nil)
	s.c = gonummat.DenseCopyOf(s.h)
	s.projectInto(cost.StepNodesD, cost.StepNodesC, s.d)
	norms, lengths := dense.ColumnNorms(s.h), dense.ColumnNorms(s.c)
	for j, length := range lengths {
		if u.Lambda == 0 && length < cancelled*norms[j] {
			s.way.Refined = true
		}
	}
	if s.way.Refined {
		again := mat.NewDense(u.K, s.p, nil)
		s.projectInto(cost.StepNodesAgain, cost.StepNodesAgain, again)
		s.d.Add(s.d, again)
	}
}

// cancelled is the ratio of the lengths of a column of C and of H below which C is projected once more.
const cancelled = 0.1

// projectInto computes D = A⁺C and C -= A D.
func (s *widening) projectInto(stepD, stepC cost.Step, into *mat.Dense) {
	counter, k, p := s.u.Counter, s.u.K, s.p
	defer counter.Leave()
	a, c, d := s.a.RawMatrix(), s.c.RawMatrix(), into.RawMatrix()
	counter.Enter(stepD)
	s.u.P.panels(0, s.l, s.l, func(first, n int, plus []float64) {
		counter.Dgemm(blas.Trans, blas.NoTrans, k, p, n, 1, plus, k, c.Data[first*c.Stride:], c.Stride, 1, d.Data, d.Stride)
	})
	counter.Enter(stepC)
	counter.Dgemm(blas.NoTrans, blas.NoTrans, s.l, p, k, -1, a.Data, a.Stride, d.Data, d.Stride, 1, c.Data, c.Stride)
}

// state returns the state with the new columns.
func (s *widening) state() (*State, error) {
	u, k, p, c := s.u, s.u.K, s.p, s.u.C
	wide := k + p
	next := *u
	b, d, y := s.bt.RawMatrix(), s.d.RawMatrix(), s.y.RawMatrix()

	// W of the new nodes is B Y, which for a ridge is computed in another way.
	u.Counter.Enter(cost.StepNodesW)
	defer u.Counter.Leave()
	next.W = append(make([]float64, 0, wide*c), u.W...)[:wide*c]
	below := next.W[k*c:]
	if s.way.Ridge {
		s.ridgeWeights(below)
	} else {
		u.Counter.Dgemm(blas.Trans, blas.NoTrans, p, c, s.l, 1, b.Data, b.Stride, y.Data, y.Stride, 0, below, c)
	}
	u.Counter.Dgemm(blas.NoTrans, blas.NoTrans, k, c, p, -1, d.Data, d.Stride, below, c, 1, next.W, c)
	if isfinite.First(next.W) >= 0 {
		return nil, api.ErrOverflow
	}

	u.Counter.Enter(cost.StepNodesPseudoinverse)
	next.P = Rows{Cols: wide}
	overflows := false
	u.P.panels(0, s.l, s.l, func(first, n int, old []float64) {
		data := make([]float64, n*wide)
		for i := range n {
			copy(data[i*wide:], old[i*k:(i+1)*k])
			copy(data[i*wide+k:], s.bt.RawRowView(first+i))
		}
		u.Counter.Dgemm(blas.NoTrans, blas.Trans, n, k, p, -1, data[k:], wide, d.Data, d.Stride, 1, data, wide)
		overflows = overflows || isfinite.First(data) >= 0
		next.P.Blocks = append(next.P.Blocks, RowBlock{data, n})
		next.P.Count += n
	})
	if overflows {
		return nil, api.ErrOverflow
	}

	next.K = wide
	next.Rank += s.way.Rank
	next.Norm = math.Hypot(u.Norm, s.h.Norm(2))
	next.drift = max(u.drift, nodesDrift)
	next.A = Rows{Cols: wide}
	if next.computesC() {
		next.A.Append(dense.Compact(dense.Beside(s.a, s.h)))
	}
	if s.way.Ridge {
		next.remember(math.Hypot(u.Worst.plus, s.grown))
	} else {
		next.remember(next.P.norm())
	}
	return &next, nil
}

// reorderNodes puts the nodes from k on into another order: the one that is now at k+i goes to
// k+order[i].
func (u *State) reorderNodes(k int, order []int) {
	moved := make([]float64, len(order))
	for _, r := range []Rows{u.P, u.A} {
		r.panels(0, r.Count, max(1, r.Count), func(_, n int, data []float64) {
			for i := range n {
				row := data[i*r.Cols+k : (i+1)*r.Cols]
				for j, to := range order {
					moved[to] = row[j]
				}
				copy(row, moved)
			}
		})
	}
	w := slices.Clone(u.W)
	for j, to := range order {
		copy(u.W[(k+to)*u.C:(k+to+1)*u.C], w[(k+j)*u.C:])
	}
}
