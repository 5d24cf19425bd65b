package qr

import (
	"math"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"

	"gonum.org/v1/gonum/blas"
)

// gelsRange is the limit of Scale in Gels and Gelsy. 2^gelsRange is 2¹⁰²² times 2⁻⁵², as in LAPACK.
const gelsRange = 970

// Gels overwrites B, of max(m, n) rows and nrhs columns, with the X of least norm among the minimizers
// of ‖op(A) X - B‖ in each column. op(A) is Aᵀ if t is blas.Trans and A otherwise. The m×n matrix A
// must have full rank; the factorization of A times a power of two overwrites it. Gels returns false,
// with B undefined, if R or L has a zero on its diagonal. (LAPACK: dgels.)
func Gels(bk factor.Backend, t blas.Transpose, m, n, nrhs int, a, b block.Matrix) bool {
	given, wanted := m, n // rows of B and X
	if t == blas.Trans {
		given, wanted = n, m
	}
	ea, size := factor.Scale(bk, gelsRange, m, n, a)
	if size == 0 {
		clearRows(b, 0, max(m, n), nrhs)
		return true
	}
	eb, _ := factor.Scale(bk, gelsRange, given, nrhs, b)
	var f QR // of A or Aᵀ, whichever is tall
	ul := blas.Upper
	if m >= n {
		f = Geqrf(bk, true, 0, 0, m, n, a)
	} else {
		f, ul = Gelqf(bk, true, m, n, a), blas.Lower
	}
	least := (m >= n) == (t == blas.NoTrans) // least squares, not the least norm
	if least {
		f.Ormqr(bk, blas.Left, blas.Trans, nrhs, b)
	}
	for i := range f.K {
		if a.X[a.Row(i)+i] == 0 {
			return false
		}
	}
	factor.Trtrs(bk, blas.Left, ul, t, blas.NonUnit, f.K, nrhs, a, b)
	if !least {
		clearRows(b, f.K, f.M, nrhs)
		f.Ormqr(bk, blas.Left, blas.NoTrans, nrhs, b)
	}
	if e := eb - ea; e != 0 {
		factor.ScaleRows(bk, math.Ldexp(1, e), wanted, nrhs, b)
	}
	return true
}

func clearRows(a block.Matrix, i, m, n int) {
	for ; i < m; i++ {
		clear(a.Elements(i, 0, n))
	}
}
