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
// when it returns an error (see InverseTo). The workspace is 64n numbers.
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

// invert overwrites the factors in a by A⁻¹, the solution of (A⁻¹Pᵀ) L = U⁻¹, block column after
// block column from the last (Method B of Higham, Accuracy and Stability, section 14.3).
func (f *LU) invert(a blas64.General) error {
	n, data, lda := a.Rows, a.Data, a.Stride
	bk := blskernel.Begin(f.Backend, blskernel.Routine{Name: "Dgetri", M: n, N: n})
	if n == 0 {
		return nil
	}
	trtri(bk, n, data, lda)
	nb := min(f.block(), n)
	l := make([]float64, nb*n)
	for j := (n - 1) / nb * nb; j >= 0; j -= nb {
		cols := min(nb, n-j)
		// The columns j..j+cols of L, from row j on, leave room for the zeros of U⁻¹.
		for i := j; i < n; i++ {
			row := data[i*lda+j : i*lda+j+min(cols, i-j)]
			copy(l[(i-j)*cols:], row)
			clear(row)
		}
		if rest := n - j - cols; rest > 0 {
			bk.Dgemm(blas.NoTrans, blas.NoTrans, n, cols, rest, -1, data[j+cols:], lda, l[cols*cols:], cols, 1, data[j:], lda)
		}
		trsm(bk, blas.Right, blas.Lower, blas.NoTrans, blas.Unit, n, cols, l, cols, data[j:], lda)
	}
	exchangeColumnsBack(n, data, lda, f.swap)
	return checkFinite("Dgetri", a, ErrSingular)
}

// trtriBase is the order below which trtri runs in plain loops.
const trtriBase = 16

// trtri overwrites the upper triangular n×n U by V = U⁻¹, by halves: V12 = -(V11 U12) U22⁻¹, in n³/3
// flops. The half that is inverted first enters as V11 and the other as a solve, so that the left
// residual V U - I is small, which is what invert needs (Higham, section 14.2).
func trtri(bk blskernel.Backend, n int, u []float64, ldu int) {
	if n <= trtriBase {
		for j := range n {
			for i := range j {
				s := 0.0
				for k, v := range u[i*ldu+i : i*ldu+j] {
					s += v * u[(i+k)*ldu+j]
				}
				u[i*ldu+j] = -s / u[j*ldu+j]
			}
			u[j*ldu+j] = 1 / u[j*ldu+j]
		}
		return
	}
	n1 := n / 2
	n2 := n - n1
	u12, u22 := u[n1:], u[n1*ldu+n1:]
	trtri(bk, n1, u, ldu)
	trmm(bk, n1, n2, -1, u, ldu, u12, ldu)
	trsm(bk, blas.Right, blas.Upper, blas.NoTrans, blas.NonUnit, n1, n2, u22, ldu, u12, ldu)
	trtri(bk, n2, u22, ldu)
}
