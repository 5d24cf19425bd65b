package eigensym

import (
	"math"
	"slices"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/factor/qr"

	"gonum.org/v1/gonum/blas"
)

// Syev writes the eigenvalues of the symmetric n×n matrix A, n > 0, to w in ascending order. a holds
// the triangle ul of A. If wanted is set, it overwrites all of a with the eigenvectors, column j for
// w[j]; otherwise a does not change. It returns false, with a unchanged and w undefined, if A is not
// finite or the iteration does not converge. (LAPACK: dsyev, dsyevd.)
//
// The values take 4n³/3 flops; the vectors take another 2n³ plus at most about 4n³/3. The workspace is
// about n(n+200) numbers for values, and n(4n+200) with vectors.
func Syev(bk factor.Backend, ul blas.Uplo, wanted bool, n int, a block.Matrix, w []float64) bool {
	if factor.NotFinite(bk, ul, n, n, a) != nil {
		return false
	}
	work := factor.Acquire()
	defer work.Release()
	z := work.Matrix(n, n)
	exponent := load(bk, ul, n, a, z)
	e, tau := work.Take(n-1), work.Take(n-1)
	Sytrd(bk, n, z, w, e, tau)
	if !wanted {
		ok := Sterf(w, e)
		slices.Sort(w)
		bk.Dscal(n, math.Ldexp(1, exponent), w, 1)
		return ok
	}
	vectors := work.Matrix(n, n)
	if !Stedc(bk, w, e, vectors) {
		return false
	}
	if n > 1 {
		q := qr.Reflections(true, n-1, z.Sub(0, 1), tau)
		q.Ormqr(bk, blas.Right, blas.Trans, n, vectors.Sub(0, 1))
	}
	factor.Permute(factor.Sort(w), vectors, n)
	bk.Dscal(n, math.Ldexp(1, exponent), w, 1)
	bk.Transpose(n, n, vectors.X, vectors.Ld, a.X, a.Ld)
	return true
}

// load writes the triangle ul of a to the upper triangle of z, and zeros below it. It divides z by
// 2^exponent if products of elements might otherwise overflow or underflow.
func load(bk factor.Backend, ul blas.Uplo, n int, a, z block.Matrix) (exponent int) {
	if ul == blas.Upper {
		block.CopyUpper(z, a, n)
	} else {
		bk.Transpose(n, n, a.X, a.Ld, z.X, z.Ld)
	}
	for i := range n {
		clear(z.Elements(i, 0, i))
	}
	exponent, _ = factor.Scale(bk, 400, n, n, z)
	return exponent
}
