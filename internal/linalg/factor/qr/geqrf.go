// Package qr factors matrices as A = Q R or A = L Q by blocks of Householder reflections, solves least
// squares problems, and adds rows to R.
package qr

import (
	"cmp"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"

	"gonum.org/v1/gonum/blas"
)

// Computing nb reflections of l rows takes about 3l*nb² flops, mostly on one thread. Applying them
// takes 4l*nb flops per trailing column, at full speed if nb is large enough to hide the memory traffic
// of the column. Measured at order 300, blocks of 32 columns are 12% faster than blocks of 64. At 1000
// both are equally fast; at 2000 blocks of 64 are up to 14% faster, most when memory is busy. For
// applying reflections alone, 64 is 14% slower at 300, 8% faster at 1000, 13% faster at 2000.
const (
	geqrfColumns    = 64
	geqrfColumnsLow = 32
	geqrfRows       = 900 // the smallest M for which geqrfColumns are used
	minGeqrt        = 16  // columns at which geqrt ends its recursion and Level 2 takes over
	reflectorRows   = 600 // the smallest M for which Reflections uses geqrfColumns
	panelTime       = 2.5 // the time to update and reduce a block, relative to the time to update it
)

// For few right-hand sides, reading V and computing T (if it is not kept) take much of the time. Blocks
// of 16 columns are then 1.3 to 2 times as fast as blocks of 64. If everything fits in a cache,
// applying reflections, stored as rows, one by one from the right takes as little as half the time.
const (
	ormqrColumns = 16
	ormqrFew     = 32 // right-hand sides below which ormqrColumns are used
	ormqrOne     = 40 // orders of Q and X up to which reflections are applied one by one
)

// A QR holds the Q of a factorization of a dense matrix of M rows. Q is the product of K reflections,
// in blocks I - V T Vᵀ of NB reflections (Schreiber and Van Loan, SIAM J. Sci. Stat. Comput. 10, 1989).
type QR struct {
	M, K, NB int
	Rows     bool         // A holds the transpose, RᵀQᵀ: an LQ factorization
	A        block.Matrix // V below the diagonal, with implied ones on it, and R on and above it
	Tau      []float64    // the scalar factors of the reflections
	T        []float64    // the triangles T, one below the other, with rows NB apart; nil if not kept
}

// Geqrf overwrites the m×n dense a with its QR factorization, in 2n²(m - n/3) flops for m >= n. It
// reduces each block of nb columns to R in a transposed workspace, and applies the reflections of the
// block to the trailing columns. If keep is not set, it returns the same A and Tau without T, and skips
// the work that only T needs. nb (the block size) and base (of geqrt) are 0 except in tests.
func Geqrf(bk factor.Backend, keep bool, nb, base, m, n int, a block.Matrix) QR {
	return QR{M: m, K: min(m, n), NB: nb, A: a}.factor(bk, keep, base, n)
}

// Overflow returns the first index at which the diagonal element of R or tau is not finite, with that
// element of R as Value or, if it is finite, tau. It returns nil if all are finite.
func (f QR) Overflow() *factor.Pivot {
	for i, tau := range f.Tau {
		if v := f.A.X[f.A.Row(i)+i]; !factor.IsFinite(v) {
			return &factor.Pivot{Index: i, Value: v}
		}
		if !factor.IsFinite(tau) {
			return &factor.Pivot{Index: i, Value: tau}
		}
	}
	return nil
}

// Gelqf overwrites the m×n dense a with its LQ factorization: Geqrf of the transpose.
func Gelqf(bk factor.Backend, keep bool, m, n int, a block.Matrix) QR {
	return QR{M: n, K: min(m, n), Rows: true, A: a}.factor(bk, keep, 0, m)
}

// factor is Geqrf for the M×n matrix in A.
func (f QR) factor(bk factor.Backend, keep bool, base, n int) QR {
	if f.NB == 0 {
		f.NB = geqrfColumns
		if f.M < geqrfRows {
			f.NB = geqrfColumnsLow
		}
	}
	nb := min(f.NB, f.K)
	f.Tau = make([]float64, f.K)
	if keep {
		f.T = make([]float64, f.K*f.NB)
	}
	if f.K == 0 {
		return f
	}
	w := factor.Acquire()
	defer w.Release()
	p := panels{QR: f, bk: bk, base: cmp.Or(base, minGeqrt), n: n, t: f.T}
	if !keep {
		p.t = w.Take(f.K * f.NB)
	}
	p.v, p.columns, p.dots = [2][]float64{w.Take(nb * f.M), w.Take(nb * f.M)}, w.Matrix(nb, f.M), w.Take(nb)
	p.work = w.Take(nb * n)
	for h, j := p.reduce(0), 0; j < f.K && (bk.Done == nil || !bk.Done()); j += nb {
		h = p.step(h, j)
	}
	return f
}

// panels computes the blocks of reflections of a factorization.
type panels struct {
	QR
	bk      factor.Backend
	base, n int          // the base of geqrt; the number of columns of the matrix
	t       []float64    // T, even if it is not kept
	v       [2][]float64 // V of the block being applied and of the next one, in turn
	columns block.Matrix // the transposed block
	dots    []float64
	work    []float64 // of update
}

// step applies the block of reflections h, which begins with column j, to the trailing columns, and
// returns the next block. While other threads update the trailing columns, one thread updates the next
// block and reduces it.
func (p panels) step(h Reflector, j int) Reflector {
	right := j + h.Cols
	cols := min(h.Cols, p.K-right)
	rest := p.n - right - cols
	each := 4 * float64(h.Rows) * float64(h.Cols)
	first := float64(cols) * panelTime * each
	if cols > 0 && p.bk.LooksAhead(first, float64(rest)*each) {
		own, next := p, Reflector{} // so that p stays on the stack
		own.bk.Ahead(func() {
			own.update(h, j, 0, cols)
			next = own.reduce(right)
		}, first, rest, factor.StripWidth(rest), each, func(from, to int) {
			own.update(h, j, cols+from, cols+to)
		})
		return next
	}
	p.update(h, j, 0, p.n-right)
	if cols == 0 {
		return Reflector{}
	}
	return p.reduce(right)
}

// update applies h to columns [from, to), counted from the first column on the right of the block.
func (p panels) update(h Reflector, j, from, to int) {
	p.apply(p.bk, h, blas.Trans, to-from, j, j+h.Cols+from, p.work[from*h.Cols:to*h.Cols])
}

// reduce reduces the block of columns that begins with column j, and returns its reflections, which are
// valid until the block after the next is reduced.
func (p panels) reduce(j int) Reflector {
	at, c := p.A.Sub(j, j), p.columns
	h := Reflector{Rows: p.M - j, Cols: min(p.NB, p.K-j), T: block.Dense(p.t[j*p.NB:], p.NB)}
	h.V = block.Dense(p.v[j/p.NB%2], h.Cols)
	if p.Rows {
		c = at
	} else {
		p.bk.Transpose(h.Rows, h.Cols, at.X, at.Ld, c.X, c.Ld)
	}
	last := j+h.Cols == p.n
	geqrt(p.bk, h.Rows, h.Cols, c, h.T, p.base, p.dots, p.T != nil || !last)
	for r := range h.Cols {
		p.Tau[j+r] = h.T.X[r*p.NB+r]
	}
	if last && p.Rows {
		return h // nothing is left to apply it to
	}
	p.bk.Transpose(h.Cols, h.Rows, c.X, c.Ld, h.V.X, h.V.Ld)
	if !p.Rows {
		block.Copy(at, h.V, h.Rows, h.Cols)
	}
	h.unitLower()
	return h
}

// apply computes C = op(H) C, where C is a block of A or, if Rows is set, of its transpose: n columns
// from column j on, in rows i to M-1. work has n*h.Cols elements.
func (f QR) apply(bk factor.Backend, h Reflector, t blas.Transpose, n, i, j int, work []float64) {
	switch {
	case n == 0:
	case f.Rows:
		h.ApplyRight(bk, block.Other(t), n, f.A.Sub(j, i), work)
	default:
		h.Apply(bk, t, n, f.A.Sub(i, j), work)
	}
}

// blocks computes blocks of NB reflections, or of K if there are fewer.
type blocks struct {
	QR
	bk           factor.Backend
	v, t, column []float64 // V and T of the current block, for which T is nil, and a workspace
}

func (f QR) blocks(bk factor.Backend, w *factor.Workspace) blocks {
	nb := min(f.NB, f.K)
	b := blocks{QR: f, bk: bk, v: w.Take(f.M * nb), column: w.Take(nb)}
	if f.T == nil {
		b.t = w.Take(nb * nb)
	}
	return b
}

// at returns the block of reflections that begins with column i. It is valid until the next call.
func (b blocks) at(i int) Reflector {
	nb := min(b.NB, b.K)
	h := Reflector{Rows: b.M - i, Cols: min(nb, b.K-i)}
	h.V = block.Dense(b.v, h.Cols)
	if at := b.A.Sub(i, i); b.Rows {
		b.bk.Transpose(h.Cols, h.Rows, at.X, at.Ld, h.V.X, h.V.Ld)
	} else {
		block.Copy(h.V, at, h.Rows, h.Cols)
	}
	h.unitLower()
	if b.T != nil {
		h.T = block.Dense(b.T[i*b.NB:], b.NB)
	} else {
		h.T = block.Dense(b.t, nb)
		h.Larft(b.bk, b.Tau[i:], b.column)
	}
	return h
}

// Ormqr overwrites the M×c matrix X with Q X or, if t is blas.Trans, with QᵀX, in c(4MK - 2K²) flops.
// If side is blas.Right, it overwrites the c×M matrix X with X Q or X Qᵀ. (LAPACK: dormqr.)
func (f QR) Ormqr(bk factor.Backend, side blas.Side, t blas.Transpose, c int, x block.Matrix) {
	switch {
	case f.T != nil:
	case f.Rows && side == blas.Right && max(f.M, c) <= ormqrOne:
		f.NB = 1
	case c < ormqrFew:
		f.NB = ormqrColumns
	}
	nb := min(f.NB, f.K)
	w := factor.Acquire()
	defer w.Release()
	work, blocks := w.Take(nb*c), f.blocks(bk, w)
	last := (f.K - 1) / nb * nb
	for k := 0; k <= last; k += nb {
		i := k
		if (side == blas.Left) == (t == blas.NoTrans) {
			i = last - k
		}
		if h := blocks.at(i); side == blas.Left {
			h.Apply(bk, t, c, x.Sub(i, 0), work)
		} else {
			h.ApplyRight(bk, t, c, x.Sub(0, i), work)
		}
	}
}
