package lapack

import (
	"context"
	"math"

	"blskernel"
	"blskernel/internal/io/interrupt"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/detmath"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/factor/condition"
	"blskernel/internal/linalg/factor/qr"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// QR is the factorization A = Q R of an l×k matrix with l >= k: Q has orthonormal columns, and R is k×k
// upper triangular. It keeps Q as a product of Householder reflections in compact WY form, I - V T Vᵀ
// for each block of columns (Schreiber and Van Loan, SIAM J. Sci. Stat. Comput. 10, 1989). The signs of
// the diagonal of R are arbitrary. The zero value is empty and ready for Factorize.
//
// Methods that only read the factorization may be called from several goroutines at once.
type QR struct {
	Backend blskernel.Backend // for the next Factorize; nil stands for blskernel.Default()

	// MaxCondition bounds the condition number of R: see Cholesky. Dependent columns also give a
	// *ConditionError, unless MaxCondition is +Inf.
	MaxCondition float64

	factored
	qr        blas64.General // V below the diagonal, with implied ones on it, and R
	f         qr.QR          // the same factors, with T
	dependent *lazy[bool]    // whether columns are dependent
	base, nb  int            // block sizes set by tests; 0 stands for the defaults
}

// Dims returns l and k, or 0, 0 for an empty receiver.
func (f *QR) Dims() (l, k int) { return f.qr.Rows, f.qr.Cols }

// Reset makes the receiver empty.
func (f *QR) Reset() {
	*f = QR{Backend: f.Backend, MaxCondition: f.MaxCondition, base: f.base, nb: f.nb}
}

// Factorize factors a copy of a as A = Q R, in 2k²(l - k/3) flops. It accepts a rank-deficient matrix,
// whose R is then singular up to rounding; RCond shows this, and SolveTo reports it.
//
// The error matches ErrNotFinite if a holds NaN or an infinity (an *ElementError), or if a reflection
// overflows (a *PivotError). Factorize panics with mat.ErrShape if a has fewer rows than columns.
// (LAPACK: dgeqrf.)
func (f *QR) Factorize(a *mat.Dense) error {
	return f.FactorizeInPlace(denseOn(denseCopy(a.RawMatrix())))
}

// FactorizeInPlace is Factorize in the storage of a, which the receiver takes over; see Storage in the
// package comment. The workspace is at most 64(3l + k + 16) numbers; the receiver keeps up to 65k more.
func (f *QR) FactorizeInPlace(a *mat.Dense) error {
	return f.FactorizeInPlaceContext(context.Background(), a)
}

// FactorizeInPlaceContext is like FactorizeInPlace but stops once ctx is done; it checks ctx before
// each block of 64 columns (32 below 900 rows). It then returns an error that wraps context.Cause(ctx).
func (f *QR) FactorizeInPlaceContext(ctx context.Context, a *mat.Dense) error {
	const routine = "Dgeqrf"
	l, k := a.Dims()
	checkShape(l >= k)
	f.Reset()
	raw := a.RawMatrix()
	if err := checkFinite(factor.On(f.Backend), routine, blas.All, raw, ErrNotFinite); err != nil {
		return err
	}
	bk := announce(f.Backend, routine, l, k, 0)
	factors := qr.Geqrf(until(ctx, bk), true, f.nb, f.base, l, k, blockOf(raw))
	if err := interrupt.Check(ctx); err != nil {
		return err
	}
	if bad := factors.Overflow(); bad != nil {
		return pivotError(routine, bad)
	}
	f.backend, f.qr, f.f = f.Backend, raw, factors
	f.rcond, f.dependent = new(lazy[float64]), new(lazy[bool])
	return nil
}

// RCond returns the estimated reciprocal condition number of R: see Cholesky. It is 0 if R has a zero
// on its diagonal. A and R have the same condition number in the 2-norm, and 1/RCond is within a factor
// of about k of it. (LAPACK: dtrcon.)
func (f *QR) RCond() float64 {
	f.mustHold()
	return f.rcond.get(func() float64 { return rcondTriangle(f.backend, f.qr.Cols, blockOf(f.qr)) })
}

// dependent reports whether a change of the columns of the k×k upper triangular R by 10 eps, relative
// to their norms, can make them dependent: whether ‖(R D)⁻¹‖₁ >= 1/(10 eps), where D scales the columns
// to norm 1. Suppose that column j depends on the columns before it, r_j = Σ_i x_i r_i. Rounding errors
// then leave |r_jj| up to a few eps (‖r_j‖ + Σ_i |x_i|‖r_i‖): up to 4 eps in tests with k up to 600.
func dependent(bk blskernel.Backend, k int, r block.Matrix) bool {
	w := factor.Acquire()
	defer w.Release()
	norms, scaled := w.Zeros(k), w.Matrix(k, k)
	for i := range k {
		for j, v := range r.Elements(i, i, k) {
			norms[i+j] = detmath.Hypot(norms[i+j], v)
		}
	}
	for i := range k {
		to := scaled.Elements(i, i, k)
		for j, v := range r.Elements(i, i, k) {
			to[j] = v / norms[i+j]
		}
	}
	on := announce(bk, "Dtrcon", k, k, 0)
	return condition.Con(k, 1, func(x []float64, trans bool) {
		factor.Trsm(on, blas.Left, blas.Upper, block.Trans(trans), blas.NonUnit, k, 1, 1, scaled, block.Dense(x, 1))
	}) <= 10*0x1p-52
}

// RTo writes the k×k upper triangular R to dst, with zeros below the diagonal. It gives an empty dst
// the right size, and panics with mat.ErrShape if dst has the wrong size.
func (f *QR) RTo(dst *mat.Dense) {
	f.mustHold()
	_, k := f.Dims()
	block.Reuse(dst, k, k, solveAliased)
	raw := dst.RawMatrix()
	for i := range k {
		clear(raw.Data[i*raw.Stride : i*raw.Stride+i])
	}
	block.CopyUpper(blockOf(raw), blockOf(f.qr), k)
}

// SolveTo computes the k×c matrix X = R⁻¹ (QᵀB)₁..ₖ, which minimizes ‖A X - B‖ in each column, and
// writes it to dst. B is the l×c matrix b. dst may be b if l = k. SolveTo takes c(4lk - k²) flops, and
// a workspace of l(c + 64) + 64c numbers. See Solving in the package comment.
//
// The error is a *PivotError that matches ErrSingular if R has a zero on its diagonal, so that A does
// not have full column rank; dst is then unchanged apart from its size. It is a *ConditionError if
// columns are dependent to working precision; dst then holds X, and LeastSquares has the solution of
// least norm. (LAPACK: dormqr, dtrtrs.)
func (f *QR) SolveTo(dst, b *mat.Dense) error {
	f.mustHold()
	l, k := f.Dims()
	rows, nrhs := b.Dims()
	shapeSolution(dst, b, rows == l, k, nrhs)
	multiply := announce(f.backend, "Dormqr", l, k, nrhs)
	solve := announce(f.backend, "Dtrtrs", k, k, nrhs)
	if k == 0 || nrhs == 0 {
		return nil
	}
	if err := checkFinite(multiply, "Dormqr", blas.All, b.RawMatrix(), ErrNotFinite); err != nil {
		return err
	}
	r := blockOf(f.qr)
	if err := checkTriangle("Dtrtrs", k, r); err != nil {
		return err
	}
	x, raw := blockOf(denseCopy(b.RawMatrix())), dst.RawMatrix()
	f.f.Ormqr(multiply, blas.Left, blas.Trans, nrhs, x)
	factor.Trsm(solve, blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit, k, nrhs, 1, r, x)
	block.Copy(blockOf(raw), x, k, nrhs)
	if err := checkFinite(solve, "Dtrtrs", blas.All, raw, ErrOverflow); err != nil {
		return err
	}
	if math.IsInf(f.MaxCondition, 1) {
		return nil
	}
	if f.dependent.get(func() bool { return dependent(f.backend, k, r) }) {
		return &ConditionError{Routine: "Dtrtrs", RCond: f.RCond()}
	}
	return checkCondition("Dtrtrs", f.MaxCondition, f.RCond)
}

// QTo writes the l×k matrix Q, the first k columns of the product of the reflections, to dst. It takes
// 2k²(l - k/3) flops and a workspace of 64(l + k) numbers. It gives an empty dst the right size, and
// panics with mat.ErrShape if dst has the wrong size. (LAPACK: dorgqr.)
func (f *QR) QTo(dst *mat.Dense) {
	f.mustHold()
	l, k := f.Dims()
	block.Reuse(dst, l, k, solveAliased)
	raw := dst.RawMatrix()
	block.Copy(blockOf(raw), blockOf(f.qr), l, k)
	f.orgqr(context.Background(), raw)
}

// QInPlace is QTo in the storage of the factorization. It empties the receiver; call RTo first for R.
func (f *QR) QInPlace() *mat.Dense {
	q, _ := f.QInPlaceContext(context.Background())
	return q
}

// QInPlaceContext is like QInPlace but stops once ctx is done and then returns an error, like
// FactorizeInPlaceContext. It empties the receiver in either case.
func (f *QR) QInPlaceContext(ctx context.Context) (*mat.Dense, error) {
	f.mustHold()
	a := f.qr
	f.orgqr(ctx, a)
	f.Reset()
	if err := interrupt.Check(ctx); err != nil {
		return nil, err
	}
	return denseOn(a), nil
}

func (f *QR) orgqr(ctx context.Context, a blas64.General) {
	l, k := f.Dims()
	bk := announce(f.backend, "Dorgqr", l, k, 0)
	if k == 0 {
		return
	}
	q := f.f
	q.A = blockOf(a)
	q.Orgqr(until(ctx, bk), k)
}

// until returns bk with routines that stop between blocks of columns once ctx is done.
func until(ctx context.Context, bk factor.Backend) factor.Backend {
	bk.Done = func() bool { return interrupt.Check(ctx) != nil }
	return bk
}
