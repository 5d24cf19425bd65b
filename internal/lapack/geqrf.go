package lapack

import (
	"blskernel/internal/block"
	"blskernel/internal/memory"

	"gonum.org/v1/gonum/blas"
)

// GeqrfColumns is the number of columns whose reflections are applied together. Making nb reflections
// of l rows takes about 3l*nb² flops, on one thread for the most part. Applying them takes 4l*nb for
// each column on the right, at full speed if nb is large enough for the traffic of that column not to
// count. At order 1000, 64 is 6% faster than 128; at 2500, 2% slower.
const GeqrfColumns = 64

// GeqrtBase is the number of columns at which the recursion inside a block stops and Level 2 takes
// over: products of fewer columns are too small to be faster.
const GeqrtBase = 8

// A QR is the factorization A = Q R of a dense m×n matrix, m >= n, with Q = (I - V T Vᵀ)... for blocks
// of NB columns (Schreiber and Van Loan, SIAM J. Sci. Stat. Comput. 10, 1989).
type QR struct {
	M, N, NB int
	A        block.Matrix // V below the diagonal, with implied ones on it, and R
	T        []float64    // the triangles T, one below the other, with rows NB apart
}

// Geqrf overwrites the m×n dense a by its QR factorization in blocks of nb columns, in 2n²(m - n/3)
// flops. It reduces each block to R in a workspace where columns are rows, and applies its reflections
// to the columns on its right. The pivot is the diagonal element at which a reflection overflowed, with
// its value or, where that is finite, the factor tau of the reflection.
func Geqrf(bk Backend, nb, base, m, n int, a block.Matrix) (QR, *Pivot) {
	f := QR{M: m, N: n, NB: nb, A: a, T: make([]float64, n*nb)}
	v, work := memory.Zeros(m*min(nb, n)), memory.Zeros(min(nb, n)*n)
	p, dots := block.Dense(memory.Zeros(min(nb, n)*stride(m)), stride(m)), make([]float64, nb)
	for j := 0; j < n; j += nb {
		h := reflector{rows: m - j, cols: min(nb, n-j), t: block.Dense(f.T[j*nb:], nb)}
		h.v = block.Dense(v, h.cols)
		at := a.Sub(j, j)
		block.CopyTransposed(p, at, h.rows, h.cols)
		geqrt(bk, h.rows, h.cols, p, h.t, base, dots)
		for r := range h.cols {
			beta, tau := p.X[p.Row(r)+r], h.t.X[r*nb+r]
			if !isFinite(beta) {
				return f, &Pivot{j + r, beta}
			}
			if !isFinite(tau) {
				return f, &Pivot{j + r, tau}
			}
		}
		block.CopyTransposed(h.v, p, h.cols, h.rows)
		block.Copy(at, h.v, h.rows, h.cols)
		if rest := n - j - h.cols; rest > 0 {
			h.unitLower()
			h.apply(bk, blas.Trans, rest, at.Sub(0, h.cols), work)
		}
	}
	return f, nil
}

// reflector returns the block of reflections that begins with column i; V goes to work, of M*NB
// elements.
func (f QR) reflector(a block.Matrix, i int, work []float64) reflector {
	h := reflector{rows: f.M - i, cols: min(f.NB, f.N-i), t: block.Dense(f.T[i*f.NB:], f.NB)}
	h.v = block.Dense(work, h.cols)
	h.load(a.Sub(i, i))
	return h
}

// Ormqr overwrites the M×c X by QᵀX, in c(4MN - 2N²) flops. (LAPACK: dormqr.)
func (f QR) Ormqr(bk Backend, c int, x block.Matrix) {
	nb := min(f.NB, f.N)
	v, work := make([]float64, f.M*nb), make([]float64, nb*c)
	for j := 0; j < f.N; j += f.NB {
		f.reflector(f.A, j, v).apply(bk, blas.Trans, c, x.Sub(j, 0), work)
	}
}
