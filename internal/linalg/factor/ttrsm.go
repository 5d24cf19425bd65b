package factor

import (
	"blskernel/internal/linalg/block"

	"gonum.org/v1/gonum/blas"
)

// triangleBase is the order up to which a triangular result is computed as a square with zeros, in a
// workspace. Halving further would save less time than its smaller and slower products would cost.
const triangleBase = 64

// Ttrsm overwrites the lower triangle L of the n×n dense block l with X = U⁻ᵀL, where U is the upper
// triangle of u. With the halves
//
//	L = | L11     |   X11 = U11⁻ᵀ L11
//	    | L21 L22 |,  X21 = U22⁻ᵀ(L21 - U12ᵀ X11),  X22 = U22⁻ᵀ L22,
//
// it takes n³/3 flops, since X11 is multiplied as a triangle. A smaller base replaces triangleBase.
func Ttrsm(bk Backend, base, n int, u, l block.Matrix) {
	if n <= min(base, triangleBase) {
		inZeroed(blas.Lower, n, l, func(x block.Matrix) {
			bk.BlockTrsm(blas.Left, blas.Upper, blas.Trans, blas.NonUnit, n, n, 1, u, x)
		})
		return
	}
	n1 := Half(n)
	n2 := n - n1
	u22, l21 := u.Sub(n1, n1), l.Sub(n1, 0)
	Ttrsm(bk, base, n1, u, l)
	addTriangle(bk, blas.Trans, blas.Lower, n2, n1, -1, u.Sub(0, n1), l, l21)
	Trsm(bk, blas.Left, blas.Upper, blas.Trans, blas.NonUnit, n2, n1, 1, u22, l21)
	Ttrsm(bk, base, n2, u22, l.Sub(n1, n1))
}

// Ttrmm overwrites the upper triangle R of the n×n dense block r with U R for the upper triangle U of
// u: U11 R11, U11 R12 + U12 R22 and U22 R22, in n³/3 flops. A smaller base replaces triangleBase.
func Ttrmm(bk Backend, base, n int, u, r block.Matrix) {
	if n <= min(base, triangleBase) {
		inZeroed(blas.Upper, n, r, func(x block.Matrix) { trmmLeft(bk, n, n, u, x) })
		return
	}
	n1 := Half(n)
	n2 := n - n1
	r12, r22 := r.Sub(0, n1), r.Sub(n1, n1)
	trmmLeft(bk, n1, n2, u, r12)
	addTriangle(bk, blas.NoTrans, blas.Upper, n1, n2, 1, u.Sub(0, n1), r22, r12)
	Ttrmm(bk, base, n1, u, r)
	Ttrmm(bk, base, n2, u.Sub(n1, n1), r22)
}

// trmmLeft computes B = U B for the m×n dense block b and the upper triangle U of the m×m matrix u, in
// m²n flops. It halves U, so that nearly all of the work is in long products.
func trmmLeft(bk Backend, m, n int, u, b block.Matrix) {
	if m <= block.Size {
		w := Acquire()
		defer w.Release()
		d := w.Matrix(m, m)
		block.CopyUpper(d, u, m)
		bk.Trmm(blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit, m, n, 1, d, b)
		return
	}
	m1 := Half(m)
	m2 := m - m1
	b2 := b.Sub(m1, 0)
	trmmLeft(bk, m1, n, u, b)
	bk.Gemm(blas.NoTrans, blas.NoTrans, m1, n, m2, 1, u.Sub(0, m1), b2, 1, b)
	trmmLeft(bk, m2, n, u.Sub(m1, m1), b2)
}

// productRows is the number of rows that addTriangle copies at a time: enough for a fast Dtrmm.
const productRows = 256

// addTriangle computes C = C + alpha op(A) T in mn² flops. C is m×n and dense, op(A) is m×n, and T is
// the triangle ul of the dense n×n matrix t. The product overwrites a copy of op(A), some rows at a
// time.
func addTriangle(bk Backend, tA blas.Transpose, ul blas.Uplo, m, n int, alpha float64, a, t, c block.Matrix) {
	panel := min(m, productRows)
	w := Acquire()
	defer w.Release()
	p := w.Matrix(panel, n)
	for i := 0; i < m; i += panel {
		rows := min(panel, m-i)
		if tA == blas.NoTrans {
			block.Copy(p, a.Sub(i, 0), rows, n)
		} else {
			block.CopyTransposed(p, a.Sub(0, i), n, rows)
		}
		bk.Trmm(blas.Right, ul, blas.NoTrans, blas.NonUnit, rows, n, alpha, t, p)
		for r := range rows {
			bk.Add(1, p.Elements(r, 0, n), c.Elements(i+r, 0, n))
		}
	}
}

// inZeroed calls do with a dense copy of the triangle ul of the n×n dense block x and zeros in the
// other triangle. It then copies the triangle back.
func inZeroed(ul blas.Uplo, n int, x block.Matrix, do func(z block.Matrix)) {
	w := Acquire()
	defer w.Release()
	z := w.Matrix(n, n)
	for i := range n {
		from, to := rowOf(ul, n, i)
		row := z.Elements(i, 0, n)
		clear(row[:from])
		copy(row[from:to], x.Elements(i, from, to))
		clear(row[to:])
	}
	do(z)
	for i := range n {
		from, to := rowOf(ul, n, i)
		copy(x.Elements(i, from, to), z.Elements(i, from, to))
	}
}

// rowOf returns the columns [from, to) of row i in the triangle ul of a matrix of n columns, or all
// columns if ul is blas.All.
func rowOf(ul blas.Uplo, n, i int) (from, to int) {
	switch ul {
	case blas.Upper:
		return i, n
	case blas.Lower:
		return 0, i + 1
	}
	return 0, n
}
