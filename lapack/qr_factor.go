package lapack

import (
	"math"

	"blskernel"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Factorize computes A = Q R of a copy of a, which is not changed, in 2k²(l - k/3) flops. A matrix
// without full rank is no error: its R has a small or zero diagonal element, and RCond shows it.
//
// The error is an *ElementError that matches ErrNotFinite where a holds NaN or an infinity, and a
// *PivotError that matches it where a reflection overflows; the receiver is then empty. Factorize
// panics with mat.ErrShape if a has fewer rows than columns. (LAPACK: dgeqrf.)
func (f *QR) Factorize(a *mat.Dense) error {
	l, k := a.Dims()
	checkShape(l >= k)
	f.Reset()
	if err := checkFinite("Dgeqrf", a.RawMatrix(), ErrNotFinite); err != nil {
		return err
	}
	return f.factorize(denseCopy(a))
}

// FactorizeInPlace is Factorize without the copy: the factorization overwrites the storage of a,
// which belongs to the receiver from then on; a must not be used any more. An ErrNotFinite of the
// input is found before anything is written; where the reflections overflow it matches ErrNotFinite
// too, and the contents of a are undefined. The workspace is 128(l + k) numbers, 64k of them kept.
func (f *QR) FactorizeInPlace(a *mat.Dense) error {
	l, k := a.Dims()
	checkShape(l >= k)
	f.Reset()
	if err := checkFinite("Dgeqrf", a.RawMatrix(), ErrNotFinite); err != nil {
		return err
	}
	return f.factorize(a.RawMatrix())
}

// factorize reduces one block of columns after the other to R, in a workspace where columns are rows,
// and applies its reflections to the columns on its right.
func (f *QR) factorize(a blas64.General) error {
	l, k := a.Rows, a.Cols
	bk := blskernel.Begin(f.Backend, blskernel.Routine{Name: "Dgeqrf", M: l, N: k})
	defer blskernel.Hold(bk, 2*float64(k)*float64(k)*(float64(l)-float64(k)/3))()
	nb := f.block()
	f.t = make([]float64, k*nb)
	v, work := make([]float64, l*min(nb, k)), make([]float64, min(nb, k)*k)
	ldp := apart(l)
	p, dots := make([]float64, min(nb, k)*ldp), make([]float64, nb)
	for j := 0; j < k; j += nb {
		h := reflector{rows: l - j, cols: min(nb, k-j), v: v, t: f.t[j*nb:], ldt: nb}
		at := a.Data[j*a.Stride+j:]
		copyTransposed(h.rows, h.cols, at, a.Stride, p, ldp)
		geqrt(bk, h.rows, h.cols, p, ldp, h.t, h.ldt, f.baseColumns(), dots)
		for r := range h.cols {
			if beta := p[r*ldp+r]; !isFinite(beta) || !isFinite(h.t[r*nb+r]) {
				f.Reset()
				return &PivotError{Routine: "Dgeqrf", Index: j + r, Pivot: beta, Err: ErrNotFinite}
			}
		}
		copyTransposed(h.cols, h.rows, p, ldp, v, h.cols)
		for r := range h.rows {
			copy(at[r*a.Stride:], v[r*h.cols:(r+1)*h.cols])
		}
		if rest := k - j - h.cols; rest > 0 {
			h.unitLower()
			h.apply(bk, blas.Trans, rest, a.Data[j*a.Stride+j+h.cols:], a.Stride, work)
		}
	}
	f.factorized, f.qr = true, a
	return nil
}

// geqrt overwrites the m×n matrix A, m >= n, whose transpose is in a, by R and the reflections V,
// transposed as well, and t by the upper triangular T with Q = I - V T Vᵀ, by halves of the columns
// (Elmroth and Gustavson, IBM J. Res. Dev. 44, 2000; LAPACK: dgeqrt3). Each reflection is a row of a;
// all products run along these rows, which are long. dots has n elements.
func geqrt(bk blskernel.Backend, m, n int, a []float64, lda int, t []float64, ldt, base int, dots []float64) {
	if n <= base {
		geqrtBase(bk, m, n, a, lda, t, ldt, dots)
		return
	}
	n1 := n / 2
	n2 := n - n1
	v1, v2 := a, a[n1*lda:] // the columns of the two halves
	w, t2 := t[n1:], t[n1*ldt+n1:]
	geqrt(bk, m, n1, v1, lda, t, ldt, base, dots)

	// The right half by Q1ᵀ = I - V1 T1ᵀ V1ᵀ, with W in the place of T12. The first n1 rows of V1 are
	// unit lower triangular, so upper in a.
	copyTransposed(n2, n1, v2, lda, w, ldt)
	bk.Dtrmm(blas.Left, blas.Upper, blas.NoTrans, blas.Unit, n1, n2, 1, v1, lda, w, ldt)
	bk.Dgemm(blas.NoTrans, blas.Trans, n1, n2, m-n1, 1, v1[n1:], lda, v2[n1:], lda, 1, w, ldt)
	bk.Dtrmm(blas.Left, blas.Upper, blas.Trans, blas.NonUnit, n1, n2, 1, t, ldt, w, ldt)
	bk.Dgemm(blas.Trans, blas.NoTrans, n2, m-n1, n1, -1, w, ldt, v1[n1:], lda, 1, v2[n1:], lda)
	bk.Dtrmm(blas.Left, blas.Upper, blas.Trans, blas.Unit, n1, n2, 1, v1, lda, w, ldt)
	for i := range n1 {
		for j, x := range w[i*ldt : i*ldt+n2] {
			v2[j*lda+i] -= x
		}
	}
	geqrt(bk, m-n1, n2, v2[n1:], lda, t2, ldt, base, dots)

	// T12 = -T1 V1ᵀ V2 T2; V2 is unit lower triangular in its first n2 rows.
	for i := range n1 {
		copy(w[i*ldt:i*ldt+n2], v1[i*lda+n1:])
	}
	bk.Dtrmm(blas.Right, blas.Upper, blas.Trans, blas.Unit, n1, n2, 1, v2[n1:], lda, w, ldt)
	if m > n {
		bk.Dgemm(blas.NoTrans, blas.Trans, n1, n2, m-n, 1, v1[n:], lda, v2[n:], lda, 1, w, ldt)
	}
	bk.Dtrmm(blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit, n1, n2, -1, t, ldt, w, ldt)
	bk.Dtrmm(blas.Right, blas.Upper, blas.NoTrans, blas.NonUnit, n1, n2, 1, t2, ldt, w, ldt)
}

// geqrtBase is geqrt for few columns, one after the other.
func geqrtBase(bk blskernel.Backend, m, n int, a []float64, lda int, t []float64, ldt int, dots []float64) {
	for j := range n {
		x := a[j*lda+j : j*lda+m]
		beta, tau := larfg(bk, x[0], x[1:])
		x[0] = 1
		if rest := n - j - 1; rest > 0 && tau != 0 {
			w, right := dots[:rest], a[(j+1)*lda+j:]
			bk.Dgemv(blas.NoTrans, rest, len(x), tau, right, lda, x, 1, 0, w, 1)
			bk.Dger(rest, len(x), -1, w, 1, x, 1, right, lda)
		}
		tColumn(bk, j, len(x), tau, a[j:], lda, x, t, ldt, dots)
		x[0] = beta
	}
}

// larfg makes the reflection I - tau (1, v)(1, v)ᵀ that turns (alpha, x) into (beta, 0), and overwrites
// x by v. tau is 0 where nothing is to be done, and else between 1 and 2. (LAPACK: dlarfg.)
func larfg(bk blskernel.Backend, alpha float64, x []float64) (beta, tau float64) {
	rest := norm2(bk, x)
	if rest == 0 {
		return alpha, 0
	}
	beta = -math.Copysign(math.Hypot(alpha, rest), alpha)
	if math.Abs(beta) < smallest {
		// A length that is subnormal has few digits, and 1 and v would not have the length that tau is for.
		const up = 0x1p200
		bk.Dscal(len(x), up, x, 1)
		beta, tau = larfg(bk, alpha*up, x)
		return beta / up, tau
	}
	// |alpha-beta| >= rest; every element of v is then at most 1.
	d := alpha - beta
	if invertible(d) {
		bk.Dscal(len(x), 1/d, x, 1)
	} else {
		divide(x, d)
	}
	return beta, -d / beta
}

// norm2 returns the 2-norm of x: from the sum of its squares, or by Dnrm2, which is safe but slower,
// where that overflows or where squares that underflow may count.
func norm2(bk blskernel.Backend, x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	if ss := bk.Ddot(len(x), x, 1, x, 1); ss > 0x1p-900 && ss < 0x1p1000 {
		return math.Sqrt(ss)
	}
	return bk.Dnrm2(len(x), x, 1)
}
