package blskernel

import (
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
)

// PackedProducts are the products with packed symmetric matrices and those of which only one
// triangle is wanted, which the BLAS does not have. A Backend may implement them; Packed supplies
// them for every other.
//
// A packed matrix is the upper triangle, row after row: element (i, j), i <= j, of an n×n matrix is
// ap[i*(2n-i-1)/2+j], as in gonum's blas64.SymmetricPacked. Matrices are row-major with the
// leading dimensions lda, ldb, ldc; op(X) is X or Xᵀ by the transpose argument. No operand may
// overlap the result. A zero beta overwrites the result without reading it. Bad arguments panic as
// in the BLAS.
type PackedProducts interface {
	// Dgemmt computes one triangle of C = alpha*op(A)*op(B) + beta*C, where the product is
	// known to be symmetric; op(A) is n×k and op(B) k×n. The other triangle of C is not
	// touched. It takes n²k flops, half of Dgemm's.
	Dgemmt(ul blas.Uplo, tA, tB blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int)

	// Dgemmtp is Dgemmt into packed storage: AP = alpha*op(A)*op(B) + beta*AP.
	Dgemmtp(tA, tB blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, ap []float64)

	// Dsprk computes the rank-k update AP = alpha*A*Aᵀ + beta*AP (t is NoTrans, A is n×k) or
	// AP = alpha*Aᵀ*A + beta*AP (t is Trans, A is k×n). It takes n²k flops.
	Dsprk(t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, ap []float64)

	// Dspmm computes C = alpha*S*B + beta*C (side is Left, S is m×m) or C = alpha*B*S + beta*C
	// (side is Right, S is n×n) for a packed symmetric S; B and C are m×n. It takes 2m²n or
	// 2mn² flops.
	Dspmm(side blas.Side, m, n int, alpha float64, ap []float64, b []float64, ldb int, beta float64, c []float64, ldc int)
}

// Packed returns b's own PackedProducts, or else ones that are made of b's Dgemm on blocks of rows
// with a workspace of packedBlock rows. A nil b stands for Default().
func Packed(b Backend) PackedProducts {
	b = Or(b)
	if p, ok := b.(PackedProducts); ok {
		return p
	}
	return viaDgemm{b}
}

// The rows of a symmetric result that viaDgemm computes by one Dgemm. Dgemm packs its right operand
// once for these rows, about as much work as 60 of them take, so there should be many; but they are
// also the workspace, and no more than the terms of the sum pay for the way through it. A tile on
// the diagonal is cut into strips of packedBlock rows, so that at most packedBlock/n of the work is
// in excess.
const (
	packedBlock    = 192
	mostPackedRows = 4 * packedBlock
)

// packedRows returns the number of rows for a result of order n and sums of k terms.
func packedRows(n, k int) int {
	return min(n, max(packedBlock, min(k, mostPackedRows)))
}

// viaDgemm makes the products of PackedProducts from a Dgemm.
type viaDgemm struct{ b blas.Float64 }

func (v viaDgemm) Dgemmt(ul blas.Uplo, tA, tB blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if !checkDgemmt(ul, tA, tB, n, k, a, lda, b, ldb, c, ldc) {
		return
	}
	nb := min(packedBlock, n)
	work := make([]float64, nb*nb)
	for i := 0; i < n; i += nb {
		rows := min(nb, n-i)
		ai := opRows(tA, a, lda, i)
		// The diagonal block goes through the workspace, since only half of it may be stored.
		v.b.Dgemm(tA, tB, rows, rows, k, alpha, ai, lda, opCols(tB, b, ldb, i), ldb, 0, work, nb)
		for r := range rows {
			lo, hi := r, rows
			if ul == blas.Lower {
				lo, hi = 0, r+1
			}
			addTo(c[(i+r)*ldc+i+lo:(i+r)*ldc+i+hi], beta, work[r*nb+lo:r*nb+hi])
		}
		if ul == blas.Upper && i+rows < n {
			j := i + rows
			v.b.Dgemm(tA, tB, rows, n-j, k, alpha, ai, lda, opCols(tB, b, ldb, j), ldb, beta, c[i*ldc+j:], ldc)
		}
		if ul == blas.Lower && i > 0 {
			v.b.Dgemm(tA, tB, rows, i, k, alpha, ai, lda, b, ldb, beta, c[i*ldc:], ldc)
		}
	}
}

func (v viaDgemm) Dgemmtp(tA, tB blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, ap []float64) {
	if !checkDgemmtp(tA, tB, n, k, a, lda, b, ldb, ap) {
		return
	}
	nb := packedRows(n, k)
	work := make([]float64, nb*n)
	// product computes some rows and columns of the result, of which it keeps the upper triangle.
	product := func(i, rows, j, cols int) {
		if cols == 0 {
			return
		}
		v.b.Dgemm(tA, tB, rows, cols, k, alpha, opRows(tA, a, lda, i), lda, opCols(tB, b, ldb, j), ldb, 0, work, cols)
		for r := range rows {
			at, from := block.PackedRow(n, i+r), max(i+r, j)
			addTo(ap[at+from:at+j+cols], beta, work[r*cols+from-j:(r+1)*cols])
		}
	}
	for i := 0; i < n; i += nb {
		end := min(i+nb, n)
		for s := i; s < end; s += packedBlock {
			product(s, min(packedBlock, end-s), s, end-s)
		}
		product(i, end-i, end, n-end)
	}
}

func (v viaDgemm) Dsprk(t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, ap []float64) {
	v.Dgemmtp(t, otherTranspose(t), n, k, alpha, a, lda, a, lda, beta, ap)
}

func (v viaDgemm) Dspmm(side blas.Side, m, n int, alpha float64, ap []float64, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if !checkDspmm(side, m, n, ap, b, ldb, c, ldc) {
		return
	}
	order := orderOf(side, m, n)
	nb := min(packedBlock, order)
	work := make([]float64, nb*order)
	for i := 0; i < order; i += nb {
		rows := min(nb, order-i)
		for r := range rows {
			unpackRow(work[r*order:(r+1)*order], order, i+r, ap)
		}
		if side == blas.Left {
			v.b.Dgemm(blas.NoTrans, blas.NoTrans, rows, n, m, alpha, work, order, b, ldb, beta, c[i*ldc:], ldc)
			continue
		}
		v.b.Dgemm(blas.NoTrans, blas.NoTrans, m, n, rows, alpha, b[i:], ldb, work, order, beta, c, ldc)
		beta = 1
	}
}

// opRows returns the storage of op(A) from its row i on, opCols that of op(B) from its column j on.
func opRows(t blas.Transpose, a []float64, lda, i int) []float64 {
	if t == blas.NoTrans {
		return a[min(i*lda, len(a)):]
	}
	return a[min(i, len(a)):]
}

func opCols(t blas.Transpose, b []float64, ldb, j int) []float64 {
	if t == blas.NoTrans {
		return b[min(j, len(b)):]
	}
	return b[min(j*ldb, len(b)):]
}

// addTo computes dst = src + beta*dst; dst is not read where beta is zero.
func addTo(dst []float64, beta float64, src []float64) {
	if beta == 0 {
		copy(dst, src)
		return
	}
	for i, s := range src {
		dst[i] = s + beta*dst[i]
	}
}

// unpackRow writes the whole row i of the n×n packed symmetric matrix to dst.
func unpackRow(dst []float64, n, i int, ap []float64) {
	for j := range i {
		dst[j] = ap[block.PackedRow(n, j)+i]
	}
	at := block.PackedRow(n, i)
	copy(dst[i:], ap[at+i:at+n])
}
