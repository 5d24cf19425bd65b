package lapack

import (
	"cmp"

	"blskernel"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/factor/qr"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// LeastSquares is the complete orthogonal decomposition of an l×k matrix A of any shape and rank r,
//
//	A P = Q | T 0 | Zᵀ,
//	        | 0 0 |
//
// where Q and Z are orthogonal, T is triangular of order r and P is a permutation. It comes from a QR
// factorization with column pivoting, A P = Q R, and an RZ factorization of the first r rows of R.
// SolveTo computes the least squares solution of least norm. LeastSquares takes about twice the time of
// QR, which suffices if the columns are independent. The zero value is empty and ready for Factorize.
//
// Methods that only read the factorization may be called from several goroutines at once.
type LeastSquares struct {
	Backend blskernel.Backend // for the next Factorize; nil stands for blskernel.Default()

	// Tolerance determines the rank in the next Factorize: the number of diagonal elements of R
	// before the first with |r_ii| <= Tolerance |r_00| or r_ii = 0. 0 stands for max(l, k) 2⁻⁵².
	Tolerance float64

	factored
	l, k int
	f    qr.Complete
}

// Dims returns l and k, or 0, 0 for an empty receiver.
func (f *LeastSquares) Dims() (l, k int) { return f.l, f.k }

// Reset makes the receiver empty.
func (f *LeastSquares) Reset() { *f = LeastSquares{Backend: f.Backend, Tolerance: f.Tolerance} }

// Factorize decomposes a copy of a, in 4lkm - 2(l+k)m² + 4m³/3 flops for m = min(l, k), and
// 2r²(k - r/3) more if the rank r is below k.
//
// Each step takes the remaining column with the largest component orthogonal to the earlier columns, so
// |r_ii| does not increase with i. |r_ii| is seldom far above the singular value σ_i (Golub and Van
// Loan, Matrix Computations, fourth edition, section 5.5). The rank found depends on the scale of the
// columns: a column whose norm is below Tolerance times the largest counts as zero.
//
// The error is an *ElementError that matches ErrNotFinite if a holds NaN or an infinity. (LAPACK:
// dgelsy with dgeqp3, except that dgelsy decides the rank by estimates of singular values.)
func (f *LeastSquares) Factorize(a *mat.Dense) error {
	return f.FactorizeInPlace(denseOn(denseCopy(a.RawMatrix())))
}

// FactorizeInPlace is Factorize in the storage of a, which the receiver takes over; see Storage in the
// package comment. The workspace is at most w = 34(l + k + 31) numbers. If the rank r is below k, it is
// at most max(w, 64(3k + r + 16)) numbers, and the receiver keeps r(k + 65) more.
func (f *LeastSquares) FactorizeInPlace(a *mat.Dense) error {
	const routine = "Dgeqp3"
	f.Reset()
	l, k := a.Dims()
	raw := a.RawMatrix()
	if err := checkFinite(factor.On(f.Backend), routine, blas.All, raw, ErrNotFinite); err != nil {
		return err
	}
	bk := announce(f.Backend, routine, l, k, 0)
	f.backend, f.l, f.k = f.Backend, l, k
	if l > 0 && k > 0 {
		f.f = qr.Gelsy(bk, cmp.Or(f.Tolerance, float64(max(l, k))*0x1p-52), l, k, blockOf(raw))
	}
	f.rcond = new(lazy[float64])
	return nil
}

// RCond is QR.RCond for the leading r×r triangle of R.
func (f *LeastSquares) RCond() float64 {
	f.mustHold()
	return f.rcond.get(func() float64 { return rcondTriangle(f.backend, f.f.Rank, f.f.R) })
}

// Rank returns the rank r of A that Factorize found.
func (f *LeastSquares) Rank() int {
	f.mustHold()
	return f.f.Rank
}

// Pivots returns the permutation P of A P = Q R as a slice p: column j of A P is column p[j] of A. The
// first r columns of A P are independent. See Factors in the package comment.
func (f *LeastSquares) Pivots(dst []int) []int {
	f.mustHold()
	dst = permutation(dst, f.k, nil)
	copy(dst, f.f.Order)
	return dst
}

// SolveTo computes the k×c matrix X of least norm that minimizes ‖A X - B‖ in each column, where B is
// the l×c matrix b, and writes it to dst: X = A⁺B if A has the rank r that Factorize found. dst may be
// b if l = k. SolveTo takes c(4lr - r²) flops, c(4kr - 2r²) more if r < k, and a workspace of
// c·max(l, k) + 64(l + k + c) numbers. If b holds numbers beyond 2⁹⁷⁰, all of b is scaled down, as in
// LAPACK, and columns below 2⁻⁹⁶⁸ lose digits. Dependent columns are not an error. See Solving in the
// package comment. (LAPACK: dgelsy.)
func (f *LeastSquares) SolveTo(dst, b *mat.Dense) error {
	const routine = "Dgelsy"
	f.mustHold()
	rows, nrhs := b.Dims()
	shapeSolution(dst, b, rows == f.l, f.k, nrhs)
	bk := announce(f.backend, routine, f.l, f.k, nrhs)
	if f.k == 0 || nrhs == 0 {
		return nil
	}
	if err := checkFinite(bk, routine, blas.All, b.RawMatrix(), ErrNotFinite); err != nil {
		return err
	}
	x := block.Dense(make([]float64, max(f.l, f.k)*nrhs), nrhs)
	block.Copy(x, blockOf(b.RawMatrix()), f.l, nrhs)
	if f.l > 0 {
		f.f.Solve(bk, nrhs, x)
	}
	raw := dst.RawMatrix()
	block.Copy(blockOf(raw), x, f.k, nrhs)
	return checkFinite(bk, routine, blas.All, raw, ErrOverflow)
}
