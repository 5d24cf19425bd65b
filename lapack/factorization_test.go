package lapack

import (
	"errors"
	"math"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/testmat"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// A factorization is a Cholesky, an LDLT or an LU on plain matrices. Its functions test what holds for
// all: Factorize does not write to its argument, FactorizeInPlace writes only to the given storage, an
// error leaves the receiver empty, and NaN and infinities are found before anything is written.
type factorization struct {
	reads
	name      string
	symmetric bool
	definite  bool  // it is for positive definite matrices
	singular  error // the kind of error for a zero pivot
	factorize func(a *full, inPlace bool) error
	inverse   func(inPlace bool) (*full, error)
	inverseTo func(dst *full) error // whose shape dst has to have
	refine    func(x *mat.Dense, a *full, b *mat.Dense) (ErrorBounds, error)
	rebuild   func(abs bool) *full // the product of the factors, or of their magnitudes
	left      func() bool          // the residual X A - I of the inverse is the small one
	ldlt      *LDLT                // where it is one
	right     func(b *full) (*mat.Dense, func())
	limit     *float64 // MaxCondition
	vector    func(dst *gonummat.VecDense, b gonummat.Vector) error
}

// reads has the reading methods with the same arguments in all types.
type reads interface {
	SolveTo(dst, b *mat.Dense) error
	SolveRowsTo(dst, b *mat.Dense) error
	RCond() float64
	LogDet() (log, sign float64)
}

// matrix is what a factorization takes and returns.
type matrix interface {
	At(i, j int) float64
	Dims() (r, c int)
}

// typed has the methods of a factorization for matrices of one type.
type typed[M matrix] interface {
	reads
	Factorize(a M) error
	FactorizeInPlace(a M) error
	InverseTo(dst M) error
	InverseInPlace() (M, error)
	Refine(x *mat.Dense, a M, b *mat.Dense) (ErrorBounds, error)
}

// newFactorization makes a factorization of f. hold puts a matrix into storage, which data returns, and
// checks that nothing around it was written.
func newFactorization[M matrix](t testing.TB, f typed[M], hold func(*full) (M, func()), data func(M) []float64) *factorization {
	empty := func() { t.Helper(); testutil.MustPanic(t, notFactorized, func() { f.RCond() }) }
	r := &factorization{reads: f, left: func() bool { return false }}
	var held []float64
	around := func() {}
	r.factorize = func(a *full, inPlace bool) error {
		t.Helper()
		m, intact := hold(a)
		do, before := f.Factorize, slices.Clone(data(m))
		if inPlace {
			do, held, around = f.FactorizeInPlace, data(m), intact
		}
		err := do(m)
		intact()
		var input *ElementError
		if (!inPlace || errors.As(err, &input)) && !testmat.SameBits(data(m), before) {
			t.Errorf("%s: the matrix was changed", r.name)
		}
		if err != nil {
			empty()
		}
		return err
	}
	r.inverseTo = func(dst *full) error {
		t.Helper()
		m, _ := hold(dst)
		before, done := slices.Clone(data(m)), false
		defer func() {
			if !done && !testmat.SameBits(data(m), before) {
				t.Errorf("%s: InverseTo wrote before a panic", r.name)
			}
		}()
		err := f.InverseTo(m)
		done = true
		return err
	}
	r.inverse = func(inPlace bool) (*full, error) {
		t.Helper()
		if !inPlace {
			x, _ := hold(testmat.New(0, 0))
			err := f.InverseTo(x)
			return testmat.Of(x), err
		}
		x, err := f.InverseInPlace()
		empty()
		around()
		if !withResult(err) {
			return nil, err
		}
		if d := data(x); len(d) > 0 && &d[0] != &held[0] {
			t.Errorf("%s: the inverse is not in place", r.name)
		}
		return testmat.Of(x), err
	}
	r.refine = func(x *mat.Dense, a *full, b *mat.Dense) (ErrorBounds, error) {
		t.Helper()
		m, intact := hold(a)
		before := slices.Clone(data(m))
		bounds, err := f.Refine(x, m, b)
		intact()
		if !testmat.SameBits(data(m), before) {
			t.Errorf("%s: Refine changed A", r.name)
		}
		return bounds, err
	}
	return r
}

// A storage holds operands. Its functions return checks that nothing around them was written.
type storage struct {
	packed func(a *full) (*mat.SymPacked, func())
	dense  func(a *full) (*mat.Dense, func())
}

func packedData(a *mat.SymPacked) []float64 { return a.RawSymPacked().Data }
func denseData(a *mat.Dense) []float64      { return a.RawMatrix().Data }

// plain has gaps between the rows of dense matrices.
func plain(t testing.TB) storage {
	return storage{
		packed: func(a *full) (*mat.SymPacked, func()) { return symOf(a), func() {} },
		dense:  func(a *full) (*mat.Dense, func()) { return wide(t, a) },
	}
}

func newCholesky(t testing.TB, bk blskernel.Backend, nb int, in storage) *factorization {
	c := &Cholesky{Backend: bk, symmetric: symmetric{nb: nb}}
	f := newFactorization(t, c, in.packed, packedData)
	f.name, f.symmetric, f.definite, f.singular, f.right = "Cholesky", true, true, ErrNotPositiveDefinite, in.dense
	f.limit, f.vector = &c.MaxCondition, c.SolveVecTo
	f.rebuild = func(abs bool) *full {
		u := perhaps(abs, factorOf(c.UTo))
		return u.T().Mul(u)
	}
	return f
}

func newLDLT(t testing.TB, bk blskernel.Backend, nb int, in storage) *factorization {
	c := &LDLT{Backend: bk, symmetric: symmetric{nb: nb}}
	f := newFactorization(t, c, in.packed, packedData)
	f.name, f.symmetric, f.singular, f.ldlt, f.right = "LDLT", true, ErrSingular, c, in.dense
	f.limit, f.vector = &c.MaxCondition, c.SolveVecTo
	f.rebuild = func(abs bool) *full { return rebuiltLDLT(c, abs) }
	return f
}

func newLU(t testing.TB, bk blskernel.Backend, nb int, in storage) *factorization {
	c := &LU{Backend: bk, base: nb, nb: nb}
	f := newFactorization(t, c, in.dense, denseData)
	f.name, f.singular, f.right = "LU", ErrSingular, in.dense
	f.limit, f.vector = &c.MaxCondition, func(dst *gonummat.VecDense, b gonummat.Vector) error { return c.SolveVecTo(dst, true, b) }
	f.left = func() bool { return !c.transposed() }
	f.rebuild = func(abs bool) *full {
		l, u := factorOf(func(dst *gonummat.TriDense) { c.LTo(dst) }), factorOf(c.UTo)
		unit := l
		if c.transposed() {
			unit = u
		}
		for _, v := range unit.X {
			if !(math.Abs(v) <= 1) {
				t.Errorf("a factor with a unit diagonal has the element %v", v)
			}
		}
		return permuted(perhaps(abs, l).Mul(perhaps(abs, u)), c.RowPivots(nil), c.ColumnPivots(nil))
	}
	return f
}

func factorizations(t testing.TB, bk blskernel.Backend) []*factorization {
	return blocked(t, bk, 0)
}

// blocked returns the three factorizations with a block size; 0 stands for the sizes in use.
func blocked(t testing.TB, bk blskernel.Backend, nb int) []*factorization {
	in := plain(t)
	return []*factorization{newCholesky(t, bk, nb, in), newLDLT(t, bk, nb, in), newLU(t, bk, nb, in)}
}

func (f *factorization) takes(m testmat.Family) bool {
	return f.symmetric == m.Symmetric && (m.Definite || !f.definite)
}

// factorOf returns the triangle that a method copies.
func factorOf(to func(dst *gonummat.TriDense)) *full {
	var dst gonummat.TriDense
	to(&dst)
	return testmat.Of(&dst)
}

// permuted returns the matrix whose element (i, j) is element (rows[i], cols[j]) of a.
func permuted(a *full, rows, cols []int) *full {
	return testmat.Func(a.R, a.C, func(i, j int) float64 { return a.At(rows[i], cols[j]) })
}

// rebuiltLDLT returns Pᵀ Uᵀ D U P, or the product of magnitudes: a 2×2 block of D then counts with its
// largest element in all places, since its rows are mixed where it is made diagonal for an update.
func rebuiltLDLT(f *LDLT, abs bool) *full {
	var of mat.SymPacked
	f.DTo(&of)
	u, d, p := perhaps(abs, factorOf(f.UTo)), perhaps(abs, testmat.Of(&of)), f.Pivots(nil)
	for i := 0; abs && i < d.R; i++ {
		d.Set(i, i, slices.Max(d.Row(i)))
	}
	return permuted(u.T().Mul(d).Mul(u), p, p)
}
