package lapack

import (
	"blskernel"
	"blskernel/internal/packed"

	"gonum.org/v1/gonum/blas"
)

// loadRows copies the stored part of rows i..i+rows of the n×n packed matrix ap to dst, whose rows
// are n-i apart and begin with column i. What is below the diagonal in dst is left as it is.
func loadRows(dst []float64, n, i, rows int, ap []float64) {
	ld := n - i
	for r := range rows {
		at := packed.Row(n, i+r)
		copy(dst[r*ld+r:(r+1)*ld], ap[at+i+r:at+n])
	}
}

// storeRows is the inverse of loadRows.
func storeRows(ap []float64, n, i, rows int, src []float64) {
	ld := n - i
	for r := range rows {
		at := packed.Row(n, i+r)
		copy(ap[at+i+r:at+n], src[r*ld+r:(r+1)*ld])
	}
}

// tail returns the trailing m×m block of a packed matrix, which is packed itself.
func tail(ap []float64, m int) []float64 { return ap[len(ap)-packed.Len(m):] }

// A triangle is an upper triangular matrix U in packed storage.
type triangle struct {
	n    int
	ap   []float64
	diag blas.Diag
	nb   int // rows that are unpacked at a time
}

// solveLeft solves op(U) X = B for n×nrhs X and B; X overwrites B.
func (u triangle) solveLeft(bk blskernel.Backend, t blas.Transpose, nrhs int, x []float64, ldx int) {
	if nrhs == 0 {
		return
	}
	u.blocks(t == blas.Trans, func(i, rows int, u11 []float64, ld int) {
		xi, rest := x[i*ldx:], ld-rows
		if t == blas.Trans {
			trsm(bk, blas.Left, blas.Upper, t, u.diag, rows, nrhs, u11, ld, xi, ldx)
			if rest > 0 {
				bk.Dgemm(t, blas.NoTrans, rest, nrhs, rows, -1, u11[rows:], ld, xi, ldx, 1, x[(i+rows)*ldx:], ldx)
			}
			return
		}
		if rest > 0 {
			bk.Dgemm(t, blas.NoTrans, rows, nrhs, rest, -1, u11[rows:], ld, x[(i+rows)*ldx:], ldx, 1, xi, ldx)
		}
		trsm(bk, blas.Left, blas.Upper, t, u.diag, rows, nrhs, u11, ld, xi, ldx)
	})
}

// solveRight solves X op(U) = B for m×n X and B; X overwrites B.
func (u triangle) solveRight(bk blskernel.Backend, t blas.Transpose, m int, x []float64, ldx int) {
	if m == 0 {
		return
	}
	u.blocks(t == blas.NoTrans, func(i, rows int, u11 []float64, ld int) {
		xi, rest := x[i:], ld-rows
		if t == blas.NoTrans {
			trsm(bk, blas.Right, blas.Upper, t, u.diag, m, rows, u11, ld, xi, ldx)
			if rest > 0 {
				bk.Dgemm(blas.NoTrans, t, m, rest, rows, -1, xi, ldx, u11[rows:], ld, 1, x[i+rows:], ldx)
			}
			return
		}
		if rest > 0 {
			bk.Dgemm(blas.NoTrans, t, m, rows, rest, -1, x[i+rows:], ldx, u11[rows:], ld, 1, xi, ldx)
		}
		trsm(bk, blas.Right, blas.Upper, t, u.diag, m, rows, u11, ld, xi, ldx)
	})
}

// blocks calls do for one block of rows of U after the other, from the first or from the last, with
// rows i..i+rows unpacked from column i on: the diagonal block and, right of it, the rest.
func (u triangle) blocks(forward bool, do func(i, rows int, u11 []float64, ld int)) {
	if u.n == 0 {
		return
	}
	work := make([]float64, min(u.nb, u.n)*u.n)
	count := (u.n + u.nb - 1) / u.nb
	for s := range count {
		if !forward {
			s = count - 1 - s
		}
		i := s * u.nb
		rows := min(u.nb, u.n-i)
		loadRows(work, u.n, i, rows, u.ap)
		do(i, rows, work, u.n-i)
	}
}
