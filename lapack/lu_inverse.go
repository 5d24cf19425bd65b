package lapack

import (
	"blskernel"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// InverseTo writes A⁻¹ to dst, in 4n³/3 flops, and leaves the factorization as it is. An empty dst
// is given its size. Solve instead of inverting wherever only A⁻¹B is wanted: it is cheaper, and more
// accurate.
//
// Of the two residuals it is I - A⁻¹A that is small, or I - A A⁻¹ where the transpose was factored (see
// LU and the package comment).
//
// The error matches ErrSingular where the inverse overflows; dst then holds what was computed.
// InverseTo panics with mat.ErrShape if dst has another size, and if the receiver is empty.
// (LAPACK: dgetri.)
func (f *LU) InverseTo(dst *mat.Dense) error {
	f.mustHold()
	reuse(dst, f.Dim(), f.Dim())
	raw := dst.RawMatrix()
	copyGeneral(raw, f.lu)
	return f.invert(raw)
}

// InverseInPlace returns A⁻¹ in the storage of the factorization and leaves the receiver empty, also
// when it returns an error (see InverseTo). The workspace is 64n numbers, or 192n from n = 1500 on,
// which is 13% of the matrix at n = 1500 and 4% at n = 5000.
func (f *LU) InverseInPlace() (*mat.Dense, error) {
	f.mustHold()
	a := f.lu
	err := f.invert(a)
	f.Reset()
	if err != nil {
		return nil, err
	}
	return denseOn(a), nil
}

// invert overwrites the factors in a by A⁻¹.
func (f *LU) invert(a blas64.General) error {
	n := a.Rows
	bk := blskernel.Begin(f.Backend, blskernel.Routine{Name: "Dgetri", M: n, N: n})
	if n == 0 {
		return nil
	}
	if f.transposed() {
		dgetri(f.columnMajor, n, a.Data, a.Stride, f.swap)
	} else {
		defer blskernel.Hold(bk, 4*cube(n)/3)()
		nb := min(f.block(), n)
		w := borrow(nb * n)
		getri(bk, n, a.Data, a.Stride, nb, w.take(nb*n))
		w.giveBack()
		permuteColumns(bk, n, a.Data, a.Stride, interchanged(f.swap, true))
	}
	if finiteRows(bk, a) {
		return nil
	}
	return checkFinite("Dgetri", a, ErrSingular)
}

// getri overwrites the factors L and U in a by X = U⁻¹ L⁻¹, the solution of X L = U⁻¹, block column
// after block column of nb <= n columns from the last (Method B of Higham, Accuracy and Stability of
// Numerical Algorithms, section 14.3). l is a workspace of nb*n.
func getri(bk blskernel.Backend, n int, a []float64, lda, nb int, l []float64) {
	dtrtri(bk, blas.Upper, blas.NonUnit, n, a, lda)
	for j := (n - 1) / nb * nb; j >= 0; j -= nb {
		cols := min(nb, n-j)
		// The columns j..j+cols of L, from row j on, leave room for the zeros of U⁻¹.
		for i := j; i < n; i++ {
			row := a[i*lda+j : i*lda+j+min(cols, i-j)]
			copy(l[(i-j)*cols:], row)
			clear(row)
		}
		if rest := n - j - cols; rest > 0 {
			bk.Dgemm(blas.NoTrans, blas.NoTrans, n, cols, rest, -1, a[j+cols:], lda, l[cols*cols:], cols, 1, a[j:], lda)
		}
		bk.Dtrsm(blas.Right, blas.Lower, blas.NoTrans, blas.Unit, n, cols, 1, l, cols, a[j:], lda)
	}
}

// block returns the number of columns of the inverse that are computed together; the columns of L that
// they replace are kept in a workspace. A triangle of that order is solved with for each of them, at
// less than the speed of a product, which asks for few; but all of the inverse that there is so far is
// read for each block, from memory where it is large.
func (f *LU) block() int {
	switch n := f.Dim(); {
	case f.nb > 0:
		return f.nb
	case n < 1500:
		return 64
	default:
		return 192
	}
}
