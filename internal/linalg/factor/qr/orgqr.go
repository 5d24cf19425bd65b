package qr

import (
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"

	"gonum.org/v1/gonum/blas"
)

// Reflections returns the Q of the reflections that LAPACK's dgeqrf left in the dense a of m rows or,
// if rows is set, that dgelqf left in an a of m columns. tau holds their scalar factors.
func Reflections(rows bool, m int, a block.Matrix, tau []float64) QR {
	nb := geqrfColumnsLow
	if m >= reflectorRows {
		nb = geqrfColumns
	}
	return QR{M: m, K: len(tau), NB: nb, Rows: rows, A: a, Tau: tau}
}

// Orgqr overwrites A with the first n columns of Q, 0 < K <= n <= M, or their transpose if Rows is set.
// It takes 4MnK - 2(M+n)K² + 4K³/3 flops and NB(M+n) numbers of workspace. (LAPACK: dorgqr, dorglq.)
//
// It starts from the first columns of I and multiplies by blocks of reflections H, from the last to the
// first; the first columns of each H overwrite its V.
func (f QR) Orgqr(bk factor.Backend, n int) {
	nb := min(f.NB, f.K)
	f.clear(0, f.M, f.K, n)
	for i := f.K; i < n; i++ {
		f.A.X[f.A.Row(i)+i] = 1
	}
	w := factor.Acquire()
	defer w.Release()
	work, blocks := w.Take(nb*n), f.blocks(bk, w)
	for i := (f.K - 1) / nb * nb; i >= 0 && (bk.Done == nil || !bk.Done()); i -= nb {
		h := blocks.at(i)
		f.apply(bk, h, blas.NoTrans, n-i-h.Cols, i, i+h.Cols, work)
		h.columns(bk, f.Rows, f.A.Sub(i, i), work)
		f.clear(0, i, i, i+h.Cols)
	}
}

// clear zeroes rows [i, i1) of columns [j, j1) of A or, if Rows is set, of its transpose.
func (f QR) clear(i, i1, j, j1 int) {
	if f.Rows {
		i, i1, j, j1 = j, j1, i, i1
	}
	for ; i < i1; i++ {
		clear(f.A.Elements(i, j, j1))
	}
}
