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
// too, and the contents of a are undefined. The workspace is 128(l + 2k) numbers, 128k of them kept.
func (f *QR) FactorizeInPlace(a *mat.Dense) error {
	l, k := a.Dims()
	checkShape(l >= k)
	f.Reset()
	if err := checkFinite("Dgeqrf", a.RawMatrix(), ErrNotFinite); err != nil {
		return err
	}
	return f.factorize(a.RawMatrix())
}

// factorize reduces one block of columns after the other to R, in a workspace without gaps, and
// applies its reflections to the columns on its right.
func (f *QR) factorize(a blas64.General) error {
	l, k := a.Rows, a.Cols
	bk := blskernel.Begin(f.Backend, blskernel.Routine{Name: "Dgeqrf", M: l, N: k})
	nb := f.block()
	f.t = make([]float64, k*nb)
	v, work := make([]float64, l*min(nb, k)), make([]float64, min(nb, k)*k)
	for j := 0; j < k; j += nb {
		h := reflector{i: j, rows: l - j, cols: min(nb, k-j), v: v, t: f.t[j*nb:], ldt: nb}
		for r := range h.rows {
			copy(v[r*h.cols:(r+1)*h.cols], a.Data[(j+r)*a.Stride+j:])
		}
		geqrt(bk, h.rows, h.cols, v, h.cols, h.t, h.ldt, f.baseColumns())
		for r := range h.rows {
			copy(a.Data[(j+r)*a.Stride+j:], v[r*h.cols:(r+1)*h.cols])
		}
		for r := range h.cols {
			if row := v[r*h.cols : (r+1)*h.cols]; !finite(row[r]) {
				f.Reset()
				return &PivotError{Routine: "Dgeqrf", Index: j + r, Pivot: row[r], Err: ErrNotFinite}
			}
		}
		if rest := k - j - h.cols; rest > 0 {
			h.unitLower()
			h.apply(bk, blas.Trans, rest, a.Data[j*a.Stride+j+h.cols:], a.Stride, work)
		}
	}
	f.factorized, f.qr = true, a
	return nil
}

// geqrt overwrites the m×n a, m >= n, by R and the reflections V, and t by the upper triangular T
// with Q = I - V T Vᵀ, by halves of the columns (Elmroth and Gustavson, IBM J. Res. Dev. 44, 2000;
// LAPACK: dgeqrt3).
func geqrt(bk blskernel.Backend, m, n int, a []float64, lda int, t []float64, ldt, base int) {
	if n <= base {
		geqrtBase(bk, m, n, a, lda, t, ldt)
		return
	}
	n1 := n / 2
	n2 := n - n1
	a12, a21, a22 := a[n1:], a[n1*lda:], a[n1*lda+n1:]
	w, t2 := t[n1:], t[n1*ldt+n1:]
	geqrt(bk, m, n1, a, lda, t, ldt, base)

	// The right half by Q1ᵀ = I - V1 T1ᵀ V1ᵀ, with W in the place of T12.
	for r := range n1 {
		copy(w[r*ldt:r*ldt+n2], a12[r*lda:])
	}
	bk.Dtrmm(blas.Left, blas.Lower, blas.Trans, blas.Unit, n1, n2, 1, a, lda, w, ldt)
	bk.Dgemm(blas.Trans, blas.NoTrans, n1, n2, m-n1, 1, a21, lda, a22, lda, 1, w, ldt)
	bk.Dtrmm(blas.Left, blas.Upper, blas.Trans, blas.NonUnit, n1, n2, 1, t, ldt, w, ldt)
	bk.Dgemm(blas.NoTrans, blas.NoTrans, m-n1, n2, n1, -1, a21, lda, w, ldt, 1, a22, lda)
	bk.Dtrmm(blas.Left, blas.Lower, blas.NoTrans, blas.Unit, n1, n2, 1, a, lda, w, ldt)
	for r := range n1 {
		axpy(a12[r*lda:r*lda+n2], -1, w[r*ldt:r*ldt+n2])
	}
	geqrt(bk, m-n1, n2, a22, lda, t2, ldt, base)

	// T12 = -T1 V1ᵀ V2 T2; V2 is unit lower triangular in its first n2 rows.
	for i := range n1 {
		for j := range n2 {
			w[i*ldt+j] = a21[j*lda+i]
		}
	}
	bk.Dtrmm(blas.Right, blas.Lower, blas.NoTrans, blas.Unit, n1, n2, 1, a22, lda, w, ldt)
	if m > n {
		bk.Dgemm(blas.Trans, blas.NoTrans, n1, n2, m-n, 1, a[n*lda:], lda, a[n*lda+n1:], lda, 1, w, ldt)
	}
	bk.Dtrmm(blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit, n1, n2, -1, t, ldt, w, ldt)
	bk.Dtrmm(blas.Right, blas.Upper, blas.NoTrans, blas.NonUnit, n1, n2, 1, t2, ldt, w, ldt)
}

// geqrtBase is geqrt for few columns. For each reflection vector v, one pass over the rows gives
// vᵀ times every other column: those on the right are then reflected, those on the left, which are
// the reflection vectors before it, make its column of T.
func geqrtBase(bk blskernel.Backend, m, n int, a []float64, lda int, t []float64, ldt int) {
	dots := make([]float64, n)
	for j := range n {
		tau := larfg(bk, m-j, a[j*lda+j:], lda)
		top := a[j*lda : j*lda+n]
		copy(dots, top)
		for r := j + 1; r < m; r++ {
			row := a[r*lda : r*lda+n]
			v := row[j]
			for i, x := range row {
				dots[i] += v * x
			}
		}
		right := dots[j+1:]
		for i := range right {
			right[i] *= tau
			top[j+1+i] -= right[i]
		}
		for r := j + 1; r < m; r++ {
			row := a[r*lda : r*lda+n]
			v := row[j]
			for i, w := range right {
				row[j+1+i] -= v * w
			}
		}
		for i := range j {
			s := 0.0
			for k := i; k < j; k++ {
				s += t[i*ldt+k] * dots[k]
			}
			t[i*ldt+j] = -tau * s
		}
		t[j*ldt+j] = tau
	}
}

// larfg makes the reflection I - tau (1, v)(1, v)ᵀ that turns the n elements of x, inc apart, into
// (beta, 0, ..., 0), and overwrites them by (beta, v). tau is 0 where nothing is to be done, and else
// between 1 and 2. (LAPACK: dlarfg.)
func larfg(bk blskernel.Backend, n int, x []float64, inc int) (tau float64) {
	if n <= 1 {
		return 0
	}
	rest := bk.Dnrm2(n-1, x[inc:], inc)
	if rest == 0 {
		return 0
	}
	alpha := x[0]
	beta := -math.Copysign(math.Hypot(alpha, rest), alpha)
	// |alpha-beta| >= rest; every element of v is then at most 1.
	d := alpha - beta
	tau = -d / beta
	if math.Abs(d) < smallest {
		for r := 1; r < n; r++ {
			x[r*inc] /= d
		}
	} else {
		bk.Dscal(n-1, 1/d, x[inc:], inc)
	}
	x[0] = beta
	return tau
}
