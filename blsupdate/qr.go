package blsupdate

import (
	"context"
	"errors"
	"math"

	"blskernel/internal/backend"
	"blskernel/internal/memory"
	"blskernel/lapack"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// triangular is the state of the method QR: the upper triangular R with RᵀR = AᵀA + lambda I, and z
// with Rᵀz = AᵀY, so that R W = z. R is that of a QR factorization of [A; sqrt(lambda) I] and z the
// first k rows of QᵀY; neither Q nor A is kept, and AᵀA is never formed, which is why errors grow with
// κ and not with κ². The cost of no update depends on l. The signs of the diagonal of R are of no
// account.
//
// R is changed in place, so before an update it has to be known that nothing in it can fail. All that
// could is overflow, and the norms of the columns tell: orthogonal transformations from the left do not
// change those of [R z; Ax Ya].
type triangular struct {
	common
	count int        // samples, l
	r     *mat.Dense // R, k×k, zero below the diagonal
	z     *mat.Dense // z, k×c
	size  sizes      // the norms of the columns of R, and bounds on those of z

	w *mat.Dense // R⁻¹z, nil where it has not been asked for since the last change
}

// largestColumn is the norm up to which columns of [R z] and of rows to be added are safe. In the
// routines of package lapack no number on the way is larger than 4n sqrt(1+q) of these norms, for a
// panel of n <= 64 columns and q <= 2²⁰ rows that are treated together: |V| <= 1 and ‖T‖ <= 2 in a
// block reflection I - V T Vᵀ, so that of a column x of norm N the sums in Vᵀx are at most sqrt(1+q) N,
// those in Tᵀ(Vᵀx) at most 2 sqrt(n) times that, and those in V(TᵀVᵀx) another sqrt(n). That is 2¹⁸
// norms, and rounding errors of the norms themselves are far below the factor 2⁵ that is left up to the
// largest number, 2¹⁰²⁴.
const largestColumn = 0x1p1000

// bounded returns size, and ErrOverflow where a column is too large.
func bounded(size sizes) (sizes, error) {
	if !(largest(size.a) < largestColumn && largest(size.y) < largestColumn) {
		return size, ErrOverflow
	}
	return size, nil
}

// newQR starts from R = sqrt(lambda) I and z = 0, to which the rows are added.
func newQR(ctx context.Context, base common, a, y *mat.Dense) (*triangular, done, error) {
	s := &triangular{common: base, z: mat.NewDense(base.k, base.c, nil)}
	root := math.Sqrt(s.ridge)
	s.r = multipleOfIdentity(s.k, root)
	size := newSizes(s.k, s.c)
	for j := range size.a {
		size.a[j] = root
	}
	size, err := bounded(size.with(a, y))
	if err != nil {
		return nil, done{}, err
	}
	s.count, s.size = rowsOf(a), size
	if err := s.learn(ctx, s.r, s.z, a, y); err != nil {
		return nil, done{}, err
	}
	return s, done{model: qrAddition(s.count, s.k, s.c)}, nil
}

// add reduces [R z; Ax Ya] to [R' z'; 0 rest].
func (s *triangular) add(ctx context.Context, ax, ya *mat.Dense) (done, error) {
	size, err := bounded(s.size.with(ax, ya))
	if err != nil {
		return done{}, err
	}
	q, r, z := rowsOf(ax), s.r, s.z
	if manyPanels(ctx, q) {
		r, z = gonummat.DenseCopyOf(r), gonummat.DenseCopyOf(z)
	}
	if err := s.learn(ctx, r, z, ax, ya); err != nil {
		return done{}, err
	}
	s.r, s.z, s.size, s.w = r, z, size, nil
	s.count += q
	return done{model: qrAddition(q, s.k, s.c)}, nil
}

// learn brings R and z up to date by rows that are known to be small enough, panel by panel.
func (s *triangular) learn(ctx context.Context, r, z, ax, ya *mat.Dense) error {
	defer s.counter.Leave()
	q := rowsOf(ax)
	rotations := addedByRotations(q, s.k)
	return eachPanel(ctx, q, func(from, to int) error {
		s.counter.Enter(StepTriangle)
		x, y := rowRange(ax, from, to), gonummat.DenseCopyOf(rowRange(ya, from, to))
		if rotations {
			backend.Begin(s.counter, backend.Routine{Name: string(chud), M: to - from, N: s.k, NRHS: s.c})
			rotateIn(r, z, gonummat.DenseCopyOf(x), y)
		} else {
			mustNotFail(lapack.AppendRows(s.counter, r, z, x, y))
		}
		return nil
	})
}

// mustNotFail panics where an operation in place fails, which largestColumn rules out.
func mustNotFail(err error) {
	if err != nil {
		panic("blsupdate: an elimination overflows within its bounds")
	}
}

// weights solves R W = z.
func (s *triangular) weights() (*mat.Dense, done, error) {
	if s.w != nil {
		return s.w, done{}, nil
	}
	if err := s.regular(); err != nil {
		return nil, done{}, err
	}
	if err := s.room(QR, ActionWeights, 0, memory.Floats(s.k, s.c)); err != nil {
		return nil, done{}, err
	}
	s.counter.Enter(StepSolve)
	defer s.counter.Leave()
	w := gonummat.DenseCopyOf(s.z)
	if err := lapack.SolveTriangular(s.counter, w, s.r, false); err != nil {
		return nil, done{}, ErrOverflow
	}
	s.w = w
	return w, done{model: qrSolution(s.k, s.c)}, nil
}

// regular returns an error where R is singular to working precision. |R_jj| is the distance of column j
// of [A; sqrt(lambda) I] from the span of those before it, with an error of some eps times the norm of
// the column; compared with that norm, scales of columns make no difference, as they make none to the
// accuracy of W row by row.
func (s *triangular) regular() error {
	if s.ridge == 0 && s.count < s.k {
		return &RankError{Samples: s.count, Nodes: s.k}
	}
	worst := math.Inf(1)
	for j, length := range s.size.a {
		d := math.Abs(s.r.At(j, j))
		if !(d > 0 && length > 0) {
			return &ConditionError{What: "[A; sqrt(lambda) I]"}
		}
		if length < smallestNormal {
			return &ConditionError{What: "[A; sqrt(lambda) I]", Err: errSubnormal}
		}
		worst = min(worst, d/length)
	}
	if !(worst > float64(s.k)*eps) {
		return &ConditionError{What: "[A; sqrt(lambda) I]", RCond: worst}
	}
	return nil
}

// smallestNormal is the smallest number with all its digits. Below it rounding errors are not of the size of eps times a
// column any more.
const smallestNormal = 0x1p-1022

var errSubnormal = errors.New("a column is of numbers below 2^-1022, which have lost digits")

// forget multiplies R and z, whose squares AᵀA and AᵀY are, by the square root.
func (s *triangular) forget(factor float64) error {
	root := math.Sqrt(factor)
	s.r.Scale(root, s.r)
	s.z.Scale(root, s.z)
	s.ridge *= factor
	s.size = s.size.scaled(root)
	return nil
}

// condition is that of the present R, with the largest ‖A‖ so far.
func (s *triangular) condition() (rcond float64, power int) {
	if s.ridge == 0 && s.count < s.k {
		return 0, 1
	}
	return lapack.RCondTriangle(s.counter, s.r) * s.size.shrunk(s.ridge), 1
}

// measure takes the norms of the columns of R and z anew.
func (s *triangular) measure() {
	norms := sizes{a: columnNorms(s.r), y: columnNorms(s.z), peak: s.size.peak}
	norms.peak = max(norms.peak, norm(norms.a))
	s.size = norms
}

// multipleOfIdentity returns f I of order k.
func multipleOfIdentity(k int, f float64) *mat.Dense {
	m := mat.NewDense(k, k, nil)
	for i := range k {
		m.Set(i, i, f)
	}
	return m
}
