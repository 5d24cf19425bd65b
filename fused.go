package blskernel

import (
	"blskernel/internal/gemm"
	"blskernel/internal/kernel"

	"gonum.org/v1/gonum/blas"
)

// FusedProducts are products with something before or after them that would otherwise be a pass over
// memory of its own. A Backend may implement them; Fused supplies them for every other.
//
// Matrices are row-major, op(X) is X or Xᵀ by the transpose argument, and no operand may overlap the
// result. A zero beta overwrites the result without reading it. The panics on bad arguments are those of Dgemm.
type FusedProducts interface {
	// DgemmDiag computes C = alpha*op(A)*diag(d)*op(B) + beta*C, where op(A) is m×k, d has k
	// elements, op(B) is k×n and C is m×n. It takes 2mnk flops.
	DgemmDiag(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, d []float64, b []float64, ldb int, beta float64, c []float64, ldc int)

	// DsprkDiag computes AP = alpha*A*diag(d)*Aᵀ + beta*AP (t is NoTrans, A is n×k) or
	// AP = alpha*Aᵀ*diag(d)*A + beta*AP (t is Trans, A is k×n) for a packed upper triangle AP of order n
	// and k elements d of any sign. It takes n²k flops.
	DsprkDiag(t blas.Transpose, n, k int, alpha float64, a []float64, lda int, d []float64, beta float64, ap []float64)

	// DgemmTanh computes C[i,j] = tanh(alpha*(op(A)*op(B))[i,j] + bias[j]), where op(A) is m×k, op(B)
	// is k×n, bias has n elements and C is m×n, which is not read. The hyperbolic tangent has an error
	// below 2 ulp. It takes 2mnk flops and mn hyperbolic tangents.
	DgemmTanh(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, bias []float64, c []float64, ldc int)
}

// Fused returns b's own FusedProducts, or else ones that are made of b's Dgemm on blocks, with a workspace. A
// nil b stands for Default().
func Fused(b Backend) FusedProducts {
	b = Or(b)
	if f, ok := b.(FusedProducts); ok {
		return f
	}
	return fusedViaDgemm{b, Packed(b)}
}

// fusedViaDgemm makes the FusedProducts from a Dgemm.
type fusedViaDgemm struct {
	b      blas.Float64
	packed PackedProducts
}

func (v fusedViaDgemm) DgemmDiag(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, d []float64, b []float64, ldb int, beta float64, c []float64, ldc int) {
	ok := checkDgemm(tA, tB, m, n, k, a, lda, b, ldb, c, ldc)
	require(len(d) >= k, shortD)
	if !ok {
		return
	}
	if k == 0 {
		v.b.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	eachScaled(tB, n, k, d, b, ldb, func(p, rows int, work []float64) {
		v.b.Dgemm(tA, blas.NoTrans, m, n, rows, alpha, opCols(tA, a, lda, p), lda, work, max(1, n), beta, c, ldc)
		beta = 1
	})
}

func (v fusedViaDgemm) DsprkDiag(t blas.Transpose, n, k int, alpha float64, a []float64, lda int, d []float64, beta float64, ap []float64) {
	ok := checkDsprk(t, n, k, a, lda, ap)
	require(len(d) >= k, shortD)
	if !ok {
		return
	}
	if k == 0 {
		v.packed.Dsprk(t, n, k, alpha, a, lda, beta, ap)
		return
	}
	eachScaled(otherTranspose(t), n, k, d, a, lda, func(p, rows int, work []float64) {
		v.packed.Dgemmtp(t, blas.NoTrans, n, rows, alpha, opCols(t, a, lda, p), lda, work, max(1, n), beta, ap)
		beta = 1
	})
}

func (v fusedViaDgemm) DgemmTanh(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, bias []float64, c []float64, ldc int) {
	ok := checkDgemm(tA, tB, m, n, k, a, lda, b, ldb, c, ldc)
	require(len(bias) >= n, shortBias)
	if !ok {
		return
	}
	v.b.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, 0, c, ldc)
	tanh := bestTanh()
	gemm.Rows(Threads(), m, n*timeOfTanh, func(from, to int) {
		for i := from; i < to; i++ {
			row := c[i*ldc : i*ldc+n]
			for j, x := range bias[:n] {
				row[j] += x
			}
			tanh(row, row)
		}
	})
}

// timeOfTanh is the time of a hyperbolic tangent in nanoseconds, about.
const timeOfTanh = 1

// bestTanh returns the Tanh of the selected kernel, or of the best where the wish of the environment,
// which is for the pure backend, cannot be granted.
func bestTanh() func(dst, src []float64) {
	k, err := kernel.Selected()
	if err != nil {
		k, _ = kernel.Lookup(kernel.Names()[0])
	}
	return k.Tanh
}

// eachScaled calls f for blocks of rows of diag(d)*op(B), an n column matrix of k rows: the block from row
// p on.
func eachScaled(tB blas.Transpose, n, k int, d, b []float64, ldb int, f func(p, rows int, work []float64)) {
	work := make([]float64, min(packedBlock, k)*n)
	for p := 0; p < k; p += packedBlock {
		rows := min(packedBlock, k-p)
		for r := range rows {
			row := work[r*n : (r+1)*n]
			step, at := 1, (p+r)*ldb
			if tB != blas.NoTrans {
				step, at = ldb, p+r
			}
			for j := range row {
				row[j] = d[p+r] * b[at+j*step]
			}
		}
		f(p, rows, work)
	}
}
