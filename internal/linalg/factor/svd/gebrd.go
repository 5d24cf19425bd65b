package svd

import (
	"math"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/factor/qr"

	"gonum.org/v1/gonum/blas"
)

// A bidiagonal is a decomposition A = Q B Pᵀ of an m×n matrix A, m >= n. B has d on the diagonal and e
// above it; Q and P are products of reflections with the scalar factors tauQ and tauP.
type bidiagonal struct{ d, e, tauQ, tauP []float64 }

// blockColumns is the number of columns that gebrd reduces before it updates the rest, as in LAPACK.
const blockColumns = 32

// A reduction is the state of gebrd. W is Aᵀ, n×m, as it was before the block that begins with column
// first. With the rows of vx and yu that are set so far, A is now
//
//	A = Wᵀ - VXᵀ·YU
//
// Row 2k of vx and yu holds v and y of step k of the block, and row 2k+1 holds x and u, in LAPACK's
// names: the left reflection subtracts v yᵀ and the right one x uᵀ.
type reduction struct {
	bidiagonal
	factor.Backend
	n, m, first int
	w           block.Matrix
	vx, yu      block.Matrix
	dots        []float64 // products with the rows of vx or yu
	base, corr  []float64 // row i of VXᵀ·YU, and (VXᵀ·YU)ᵀv
	sums        []float64 // of pieces of rows, m numbers each; then fewRows dots for each piece
}

// gebrd reduces the m×n matrix A, m >= n, to bidiagonal form. w is Aᵀ. Row i of w becomes the
// reflection of column i of A, including its 1, from element i on; row i+1 of p becomes the reflection
// of row i of A, from element i+1 on. Elements before these are undefined. An empty p is not written.
//
// It takes 4n²(m - n/3) flops, half of them in products, which are fast, and half in passes over the
// trailing matrix: one per column, where LAPACK takes two. Memory bandwidth limits the passes, which
// read 8n²(m/2 - n/6) bytes. (LAPACK: dgebrd; for the single pass Howell, Demmel, Fulton, Hammarling
// and Marmol, ACM Trans. Math. Softw. 34 (2008), article 14.)
func gebrd(bk factor.Backend, work *factor.Workspace, n, m int, w, p block.Matrix) bidiagonal {
	nb := min(blockColumns, n)
	r := reduction{Backend: bk, n: n, m: m, w: w}
	r.vx, r.yu = block.Dense(work.Take(2*nb*m), m), block.Dense(work.Take(2*nb*n), n)
	r.bidiagonal = bidiagonal{work.Take(n), work.Take(n), work.Take(n), work.Take(n)}
	r.e[n-1] = 0
	r.dots, r.base, r.corr, r.sums = work.Take(2*nb), work.Take(n), work.Take(n), work.Take(piecesOf(n)*(m+fewRows))
	for ; r.first < n; r.first += nb {
		end := min(r.first+nb, n)
		for i := r.first; i < end; i++ {
			r.left(i)
			if i+1 < n {
				r.right(i)
				if len(p.X) > 0 {
					copy(p.Elements(i+1, i+1, n), r.row(r.yu, i, 1)[i+1:])
				}
			}
		}
		if rest := n - end; rest > 0 {
			bk.Dgemm(blas.Trans, blas.NoTrans, rest, m-end, 2*nb, -1, r.yu.X[end:], n, r.vx.X[end:], m, 1, w.X[w.Row(end)+end:], w.Ld)
		}
	}
	return r.bidiagonal
}

// row returns the row of vx or yu for step i: part 0 is v or y, part 1 x or u.
func (r *reduction) row(a block.Matrix, i, part int) []float64 {
	k := 2*(i-r.first) + part
	return a.X[k*a.Ld : (k+1)*a.Ld]
}

// times computes y = beta·y + alpha·op(A) x, where A is a[:rows, j:] and a is vx or yu.
func (r *reduction) times(t blas.Transpose, rows, j int, alpha float64, a block.Matrix, x []float64, incX int, beta float64, y []float64) {
	if rows > 0 {
		r.Dgemv(t, rows, a.Ld-j, alpha, a.X[j:], a.Ld, x, incX, beta, y, 1)
	} else if beta == 0 {
		clear(y)
	}
}

func (r *reduction) left(i int) {
	rows := 2 * (i - r.first)
	v := r.w.Elements(i, i, r.m)
	r.times(blas.Trans, rows, i, -1, r.vx, r.yu.X[i:], r.n, 1, v)
	r.d[i], r.tauQ[i] = qr.Larfg(r.Backend, v[0], v[1:])
	v[0] = 1
	copy(r.row(r.vx, i, 0)[i:], v)
}

// right computes y of left reflection i, then right reflection i, which reduces row i of A, and its x.
func (r *reduction) right(i int) {
	rows, j := 2*(i-r.first), i+1
	v := r.row(r.vx, i, 0)[i:]
	u, x := r.row(r.yu, i, 1)[j:], r.row(r.vx, i, 1)[j:]
	r.times(blas.NoTrans, rows, i, 1, r.vx, v, 1, 0, r.dots[:rows])
	r.times(blas.Trans, rows, j, 1, r.yu, r.dots, 1, 0, r.corr[:r.n-j])
	r.times(blas.Trans, rows, j, 1, r.yu, r.vx.X[i:], r.m, 0, r.base[:r.n-j])
	r.pass(i, x)

	// x is W times the old u. Larfg subtracts e[i] from u[0] and scales u; x changes accordingly.
	alpha := u[0]
	var tau float64
	r.e[i], tau = qr.Larfg(r.Backend, alpha, u[1:])
	r.tauP[i], u[0] = tau, 1
	if tau == 0 {
		clear(x)
		return
	}
	const least = 0x1p-700 // products with elements below this may lose digits
	if by := alpha - r.e[i]; math.Abs(by) >= least {
		r.Daxpy(len(x), -r.e[i], r.w.Elements(j, j, r.m), 1, x, 1)
		for k := range x {
			x[k] /= by
		}
	} else {
		r.Dgemv(blas.Trans, r.n-j, r.m-j, 1, r.w.X[r.w.Row(j)+j:], r.w.Ld, u, 1, 0, x, 1)
	}
	r.times(blas.NoTrans, rows+1, j, 1, r.yu, u, 1, 0, r.dots[:rows+1])
	r.times(blas.Trans, rows+1, j, -1, r.vx, r.dots, 1, 1, x)
	r.Dscal(len(x), tau, x, 1)
}

// piecesOf returns the number of pieces into which pass cuts rows. It depends only on the number of
// rows, so the sums do not depend on threads.
func piecesOf(rows int) int { return max(1, min(rows/32, 16)) }

// pass reads W once, below row i. It computes y of step i; row i of A after the left reflection, in the
// place of u; and the product of W with that row, in x. It takes a few rows at a time, which stay in a
// cache from the first product to the second.
func (r *reduction) pass(i int, x []float64) {
	rest, wide := r.n-i-1, r.m-i
	pieces := piecesOf(rest)
	if pieces == 1 {
		r.passRows(i, i+1, r.n, x, r.sums)
		return
	}
	dots := r.sums[pieces*r.m:]
	r.BlockRows(pieces, 1+rest*wide/(4*pieces), func(from, to int) {
		for k := from; k < to; k++ {
			r.passRows(i, i+1+k*rest/pieces, i+1+(k+1)*rest/pieces, r.sums[k*r.m:][:wide-1], dots[k*fewRows:])
		}
	})
	copy(x, r.sums)
	for k := 1; k < pieces; k++ {
		r.Daxpy(len(x), 1, r.sums[k*r.m:], 1, x, 1)
	}
}

// fewRows is the largest number of rows that a pass takes at a time.
const fewRows = 24

// passRows is pass for the rows [from, end), with their share of x in sum. dots has fewRows elements.
func (r *reduction) passRows(i, from, end int, sum, dots []float64) {
	v, y, u := r.row(r.vx, i, 0)[i:], r.row(r.yu, i, 0), r.row(r.yu, i, 1)
	tau, wide, height := r.tauQ[i], len(v), max(4, min(fewRows, 1<<15/len(v)))
	for first := from; from < end; from += height {
		rows, at := min(height, end-from), r.w.Row(from)+i
		r.Dgemv(blas.NoTrans, rows, wide, 1, r.w.X[at:], r.w.Ld, v, 1, 0, dots, 1)
		for k, dot := range dots[:rows] {
			j := from + k
			by := float64(tau * (dot - r.corr[j-i-1]))
			y[j], u[j] = by, r.w.X[at+k*r.w.Ld]-r.base[j-i-1]-by
		}
		beta := 1.0
		if from == first {
			beta = 0
		}
		r.Dgemv(blas.Trans, rows, wide-1, 1, r.w.X[at+1:], r.w.Ld, u[from:], 1, beta, sum, 1)
	}
}
