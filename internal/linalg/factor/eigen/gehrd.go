package eigen

import (
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/factor/qr"

	"gonum.org/v1/gonum/blas"
)

// gehrdColumns is the number of columns whose reflections are applied together; 16 to 48 are equally
// fast. Each column takes six passes over the columns before it, and one over the trailing matrix.
const gehrdColumns = 32

// Gehrd overwrites the n×n dense a with its Hessenberg form H = QᵀA Q on and above the first
// subdiagonal, and with the reflections of Q below it. tau receives their n-1 scalar factors. On entry
// a is upper triangular except in rows and columns ilo to ihi. Gehrd takes 10n³/3 flops for ilo = 0 and
// ihi = n-1. (LAPACK: dgehrd, dlahr2; Quintana-Ortí and van de Geijn, ACM TOMS 32, 2006.)
//
// A fifth of the flops are products of the trailing matrix with one vector per column. They read n³/3
// numbers, as fast as a cache or memory delivers them. The other flops are products of matrices.
func Gehrd(bk factor.Backend, n, ilo, ihi int, a block.Matrix, tau []float64) {
	clear(tau)
	most := min(gehrdColumns, ihi-ilo-1) // the reflection of column ihi-1 is I
	if most <= 0 {
		return
	}
	w := factor.Acquire()
	defer w.Release()
	q, work := w.Matrix(2*most, ihi-ilo), w.Take(2*most*n)
	t, vy, dots := w.Matrix(most, most), w.Matrix(most, most), w.Take(most)
	v, right := w.Take(n*most), w.Take(n*most)
	for i := ilo; i < ihi-1; i += most {
		p := lahr2{bk: bk, m: ihi - i, n: min(most, ihi-1-i), y: q, t: t, vy: vy, dots: dots}
		p.v = q.Sub(p.n, 0)
		p.factor(a.Sub(i+1, i), tau[i:])

		h := qr.Reflector{Rows: p.m, Cols: p.n, V: block.Dense(v, p.n), T: t}
		block.CopyTransposed(h.V, p.v, p.n, p.m)
		for r := 1; r < p.m; r++ {
			copy(a.Elements(i+1+r, i, n), h.V.Elements(r, 0, min(r, p.n)))
		}
		h.ApplyRight(bk, blas.NoTrans, i+1, a.Sub(0, i+1), right)
		p.applyBoth(n-i-p.n, a.Sub(i+1, i+p.n), work)
	}
}

// A lahr2 reduces n columns of a matrix, in m rows, by reflections Q = I - V T Vᵀ. Vectors are stored
// as rows, so that all products run along rows.
type lahr2 struct {
	bk    factor.Backend
	m, n  int
	y, v  block.Matrix // (A V T)ᵀ and Vᵀ, n×m, one below the other
	t, vy block.Matrix // T, and VᵀY
	dots  []float64
}

// factor reduces the first n columns of a; row 0 is the first that the reflections change. It writes
// the elements of H in these columns, from row 0 down to the subdiagonal, and changes no others.
func (p *lahr2) factor(a block.Matrix, tau []float64) {
	bk, m, y, v := p.bk, p.m, p.y, p.v
	block.CopyTransposed(v, a, m, p.n)
	for j := range p.n {
		x, dots := v.Elements(j, 0, m), p.dots[:j]
		if j > 0 {
			// Column j of Qᵀ(A - Y Vᵀ), with the Q, Y and V so far.
			bk.Dgemv(blas.Trans, j, m, -1, y.X, y.Ld, v.X[j-1:], v.Ld, 1, x, 1)
			bk.Dgemv(blas.NoTrans, j, m, 1, v.X, v.Ld, x, 1, 0, dots, 1)
			bk.Dtrmv(blas.Upper, blas.Trans, blas.NonUnit, j, p.t.X, p.t.Ld, dots, 1)
			bk.Dgemv(blas.Trans, j, m, -1, v.X, v.Ld, dots, 1, 1, x, 1)
		}
		beta, factor := qr.Larfg(bk, x[j], x[j+1:])
		x[j], tau[j] = beta, factor
		for r := range j + 1 {
			a.X[a.Row(r)+j] = x[r]
		}
		clear(x[:j])
		x[j] = 1

		// Column j of Y = A V T, and of T.
		z, right := y.Elements(j, 0, m), a.Sub(0, j+1)
		bk.Dgemv(blas.NoTrans, m, m-j, factor, right.X, right.Ld, x[j:], 1, 0, z, 1)
		if j > 0 {
			bk.Dgemv(blas.NoTrans, j, m-j, -factor, v.X[j:], v.Ld, x[j:], 1, 0, dots, 1)
			bk.Dgemv(blas.Trans, j, m, 1, y.X, y.Ld, dots, 1, 1, z, 1)
			qr.TimesT(p.t, j, 1, dots)
		}
		p.t.X[p.t.Row(j)+j] = factor
	}
}

// applyBoth overwrites C, the m rows of the c columns after the panel, with
//
//	Qᵀ(C - Y V2ᵀ) = C - [Y V] [V2ᵀ; Z],   Z = Tᵀ(VᵀC - (VᵀY) V2ᵀ),
//
// where V2ᵀ holds the columns of Vᵀ that belong to the columns of C, followed by zeros. One product
// reads C and one changes it. work has 2*n*c elements.
func (p *lahr2) applyBoth(c int, at block.Matrix, work []float64) {
	bk, m, n := p.bk, p.m, p.n
	v2, z := block.Dense(work, c), block.Dense(work[n*c:], c)
	wide := m - n + 1
	for r := range n {
		row := v2.Elements(r, 0, c)
		copy(row, p.v.Elements(r, n-1, m))
		clear(row[wide:])
	}
	bk.Gemm(blas.NoTrans, blas.Trans, n, n, m, 1, p.v, p.y, 0, p.vy)
	bk.Gemm(blas.NoTrans, blas.NoTrans, n, c, m, 1, p.v, at, 0, z)
	bk.Gemm(blas.NoTrans, blas.NoTrans, n, wide, n, -1, p.vy, v2, 1, z)
	bk.Trmm(blas.Left, blas.Upper, blas.Trans, blas.NonUnit, n, c, 1, p.t, z)
	bk.Gemm(blas.Trans, blas.NoTrans, m, c, 2*n, -1, p.y, v2, 1, at)
}

// Orghr overwrites the result of Gehrd in the n×n dense a with Q, which is I except in rows and columns
// ilo+1 to ihi. (LAPACK: dorghr.)
func Orghr(bk factor.Backend, n, ilo, ihi int, a block.Matrix, tau []float64) {
	for i := range n {
		row := a.Elements(i, 0, n)
		if ilo < i && i <= ihi {
			copy(row[ilo+1:i], row[ilo:i-1])
			clear(row[:ilo+1])
			clear(row[ihi+1:])
			continue
		}
		clear(row)
		row[i] = 1
	}
	if k := ihi - ilo; k > 0 {
		qr.Reflections(false, k, a.Sub(ilo+1, ilo+1), tau[ilo:ihi]).Orgqr(bk, k)
	}
}
