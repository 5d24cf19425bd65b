package blsupdate

import (
	"math"
	"slices"

	"blskernel/internal/isfinite"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonummat "gonum.org/v1/gonum/mat"
)

// A widening is an addition of nodes on its way: what is computed from the state before the state is
// touched.
type widening struct {
	u       *pseudoinverse
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

	way nodesWay
}

// A nodesWay is what an addition of nodes decides by the data.
type nodesWay struct {
	ridge   bool // whether B is that of a ridge, for which nothing else is decided
	rank    int  // of C; B = C⁺ if that is p
	refined bool // whether C is made orthogonal to A twice
	values  bool // whether its singular values were needed to decide the rank
	split   bool // whether the columns are then added in two parts, additions of their own
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
func (u *pseudoinverse) addNodes(a, h, y *mat.Dense) (done, error) {
	if err := CheckStart(u.method, u.opt, rowsOf(a), u.k+columnsOf(h)); err != nil {
		return done{}, err
	}
	if err := u.inOrder(rowKeys(y, a)); err != nil {
		return done{}, err
	}
	next, models, err := u.widened(a, h, y)
	if err != nil {
		return done{}, err
	}
	next.keys = rowKeys(y, a, h)
	rankC := 0
	if u.ridge == 0 {
		rankC = next.rank - u.rank
	}
	*u = *next
	return done{model: mergeModels(nodesSteps, models), rankC: rankC}, nil
}

// widened returns the state with more columns, in storage of its own where it differs, and the models
// of what was done.
func (u *pseudoinverse) widened(a, h, y *mat.Dense) (*pseudoinverse, [][]StepFlops, error) {
	l, p := h.Dims()
	s := &widening{u: u, l: l, p: p, a: a, h: h, y: y}
	shape := Shape{L: l, K: u.k, P: p, C: u.c}
	s.project()
	if isfinite.First(s.c.RawMatrix().Data) >= 0 || isfinite.First(s.d.RawMatrix().Data) >= 0 {
		return nil, nil, ErrOverflow
	}
	if u.ridge > 0 {
		if err := s.ridge(); err != nil {
			return nil, nil, err
		}
		next, err := s.state()
		return next, [][]StepFlops{nodesModel(shape, s.way)}, err
	}
	if err := s.decide(); err != nil {
		return nil, nil, err
	}
	s.way.split = 0 < s.way.rank && s.way.rank < p
	if s.way.split {
		first := s.leadingNodes()
		next, models, err := u.widenedInParts(a, h, y, first)
		return next, append([][]StepFlops{nodesModel(shape, s.way)}, models...), err
	}
	var err error
	if s.way.rank == p {
		err = s.beyond()
	} else {
		err = s.inside()
	}
	if err != nil {
		return nil, nil, err
	}
	next, err := s.state()
	return next, [][]StepFlops{nodesModel(shape, s.way)}, err
}

// widenedInParts adds the columns first and then the others, and puts them into their order.
func (u *pseudoinverse) widenedInParts(a, h, y *mat.Dense, first []int) (*pseudoinverse, [][]StepFlops, error) {
	p := columnsOf(h)
	order := slices.Clone(first)
	for j := range p {
		if !slices.Contains(first, j) {
			order = append(order, j)
		}
	}
	h1, h2 := pickColumns(h, order[:len(first)]), pickColumns(h, order[len(first):])
	half, models, err := u.widened(a, h1, y)
	if err != nil {
		return nil, nil, err
	}
	next, more, err := half.widened(beside(a, h1), h2, y)
	if err != nil {
		return nil, nil, err
	}
	next.reorderNodes(u.k, order)
	return next, append(models, more...), nil
}

// project computes D and C, and once more what is left in C of the column space of A where a column of
// C is so much shorter than that of H that rounding errors are no small part of it. For a ridge, where
// A A⁺ is no projection, there is nothing of the kind.
func (s *widening) project() {
	u := s.u
	s.d = mat.NewDense(u.k, s.p, nil)
	s.c = gonummat.DenseCopyOf(s.h)
	s.projectInto(StepNodesD, StepNodesC, s.d)
	norms, lengths := columnNorms(s.h), columnNorms(s.c)
	for j, length := range lengths {
		if u.ridge == 0 && length < cancelled*norms[j] {
			s.way.refined = true
		}
	}
	if s.way.refined {
		again := mat.NewDense(u.k, s.p, nil)
		s.projectInto(StepNodesAgain, StepNodesAgain, again)
		s.d.Add(s.d, again)
	}
}

// cancelled is the ratio of the lengths of a column of C and of H below which C is projected once more.
const cancelled = 0.1

// projectInto computes D = A⁺C and C -= A D.
func (s *widening) projectInto(stepD, stepC Step, into *mat.Dense) {
	counter, k, p := s.u.counter, s.u.k, s.p
	defer counter.Leave()
	a, c, d := s.a.RawMatrix(), s.c.RawMatrix(), into.RawMatrix()
	counter.Enter(stepD)
	s.u.p.panels(0, s.l, s.l, func(first, n int, plus []float64) {
		counter.Dgemm(blas.Trans, blas.NoTrans, k, p, n, 1, plus, k, c.Data[first*c.Stride:], c.Stride, 1, d.Data, d.Stride)
	})
	counter.Enter(stepC)
	counter.Dgemm(blas.NoTrans, blas.NoTrans, s.l, p, k, -1, a.Data, a.Stride, d.Data, d.Stride, 1, c.Data, c.Stride)
}

// state returns the state with the new columns.
func (s *widening) state() (*pseudoinverse, error) {
	u, k, p, c := s.u, s.u.k, s.p, s.u.c
	wide := k + p
	next := *u
	b, d, y := s.bt.RawMatrix(), s.d.RawMatrix(), s.y.RawMatrix()

	// W of the new nodes is B Y, which for a ridge is computed in another way.
	u.counter.Enter(StepNodesW)
	defer u.counter.Leave()
	next.w = append(make([]float64, 0, wide*c), u.w...)[:wide*c]
	below := next.w[k*c:]
	if s.way.ridge {
		s.ridgeWeights(below)
	} else {
		u.counter.Dgemm(blas.Trans, blas.NoTrans, p, c, s.l, 1, b.Data, b.Stride, y.Data, y.Stride, 0, below, c)
	}
	u.counter.Dgemm(blas.NoTrans, blas.NoTrans, k, c, p, -1, d.Data, d.Stride, below, c, 1, next.w, c)
	if isfinite.First(next.w) >= 0 {
		return nil, ErrOverflow
	}

	u.counter.Enter(StepNodesPseudoinverse)
	next.p = rows{cols: wide}
	overflows := false
	u.p.panels(0, s.l, s.l, func(first, n int, old []float64) {
		data := make([]float64, n*wide)
		for i := range n {
			copy(data[i*wide:], old[i*k:(i+1)*k])
			copy(data[i*wide+k:], s.bt.RawRowView(first+i))
		}
		u.counter.Dgemm(blas.NoTrans, blas.Trans, n, k, p, -1, data[k:], wide, d.Data, d.Stride, 1, data, wide)
		overflows = overflows || isfinite.First(data) >= 0
		next.p.blocks = append(next.p.blocks, rowBlock{data, n})
		next.p.count += n
	})
	if overflows {
		return nil, ErrOverflow
	}

	next.k = wide
	next.rank += s.way.rank
	next.norm = math.Hypot(u.norm, s.h.Norm(2))
	next.drift = max(u.drift, nodesDrift)
	next.a = rows{cols: wide}
	if next.computesC() {
		next.a.append(compact(beside(s.a, s.h)))
	}
	if s.way.ridge {
		next.remember(math.Hypot(u.worst.plus, s.grown))
	} else {
		next.remember(next.p.norm())
	}
	return &next, nil
}

// reorderNodes puts the nodes from k on into another order: the one that is now at k+i goes to
// k+order[i].
func (u *pseudoinverse) reorderNodes(k int, order []int) {
	moved := make([]float64, len(order))
	for _, r := range []rows{u.p, u.a} {
		r.panels(0, r.count, max(1, r.count), func(_, n int, data []float64) {
			for i := range n {
				row := data[i*r.cols+k : (i+1)*r.cols]
				for j, to := range order {
					moved[to] = row[j]
				}
				copy(row, moved)
			}
		})
	}
	w := slices.Clone(u.w)
	for j, to := range order {
		copy(u.w[(k+to)*u.c:(k+to+1)*u.c], w[(k+j)*u.c:])
	}
}

// columnsOf returns the number of columns of m.
func columnsOf(m *mat.Dense) int {
	_, cols := m.Dims()
	return cols
}

// pickColumns returns copies of some columns of m.
func pickColumns(m *mat.Dense, which []int) *mat.Dense {
	out := mat.NewDense(rowsOf(m), len(which), nil)
	for i := range rowsOf(m) {
		from, to := m.RawRowView(i), out.RawRowView(i)
		for j, col := range which {
			to[j] = from[col]
		}
	}
	return out
}

// beside returns [A, H].
func beside(a, h *mat.Dense) *mat.Dense {
	var both mat.Dense
	both.Augment(a, h)
	return &both
}
