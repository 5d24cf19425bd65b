package speed

import (
	"slices"

	"blskernel"
	"blskernel/internal/linalg/backend"

	"gonum.org/v1/gonum/blas"
)

func dgemm(args string, n int, r source) *Problem {
	tA, tB := blas.Transpose(args[0]), blas.Transpose(args[1])
	a, b := r.draw(n*n), r.draw(n*n)
	return computes(n*n, func(be blskernel.Backend, c []float64) { be.Dgemm(tA, tB, n, n, n, 1, a, n, b, n, 0, c, n) })
}

func dsyrk(args string, n int, r source) *Problem {
	ul, tA := blas.Uplo(args[0]), blas.Transpose(args[1])
	a := r.draw(n * n)
	return computes(n*n, func(be blskernel.Backend, c []float64) { be.Dsyrk(ul, tA, n, n, 1, a, n, 0, c, n) })
}

func dsyr2k(args string, n int, r source) *Problem {
	ul, tA := blas.Uplo(args[0]), blas.Transpose(args[1])
	a, b := r.draw(n*n), r.draw(n*n)
	return computes(n*n, func(be blskernel.Backend, c []float64) { be.Dsyr2k(ul, tA, n, n, 1, a, n, b, n, 0, c, n) })
}

func dsymm(args string, n int, r source) *Problem {
	side, ul := blas.Side(args[0]), blas.Uplo(args[1])
	a, b := r.draw(n*n), r.draw(n*n)
	return computes(n*n, func(be blskernel.Backend, c []float64) { be.Dsymm(side, ul, n, n, 1, a, n, b, n, 0, c, n) })
}

// dgemmtp computes A·Aᵀ with a B of its own, since the product has to be symmetric.
func dgemmtp(args string, n int, r source) *Problem {
	tA, tB := blas.Transpose(args[0]), blas.Transpose(args[1])
	a := r.draw(n * n)
	b := slices.Clone(a) // where one of the two is transposed
	if tA == tB {
		for i := range a {
			b[i%n*n+i/n] = a[i]
		}
	}
	return computes(n*(n+1)/2, func(be blskernel.Backend, c []float64) {
		blskernel.Packed(be).Dgemmtp(tA, tB, n, n, 1, a, n, b, n, 0, c)
	})
}

func dgemmt(args string, n int, r source) *Problem {
	ul, tA, tB := blas.Uplo(args[0]), blas.Transpose(args[1]), blas.Transpose(args[2])
	a, b := r.draw(n*n), r.draw(n*n)
	return computes(n*n, func(be blskernel.Backend, c []float64) {
		blskernel.Packed(be).Dgemmt(ul, tA, tB, n, n, 1, a, n, b, n, 0, c, n)
	})
}

func dgemmDiag(args string, n int, r source) *Problem {
	tA, tB := blas.Transpose(args[0]), blas.Transpose(args[1])
	a, d, b := r.draw(n*n), r.draw(n), r.draw(n*n)
	return computes(n*n, func(be blskernel.Backend, c []float64) {
		backend.Fused(be).DgemmDiag(tA, tB, n, n, n, 1, a, n, d, b, n, 0, c, n)
	})
}

func dgemmTanh(_ string, n int, r source) *Problem {
	a, b, bias := r.draw(n*n), r.draw(n*n), r.draw(n)
	return computes(n*n, func(be blskernel.Backend, c []float64) {
		backend.Fused(be).DgemmTanh(blas.NoTrans, blas.NoTrans, n, n, n, 1, a, n, b, n, bias, c, n)
	})
}

func dsprkDiag(args string, n int, r source) *Problem {
	a, d := r.draw(n*n), r.draw(n)
	return computes(n*(n+1)/2, func(be blskernel.Backend, c []float64) {
		backend.Fused(be).DsprkDiag(blas.Transpose(args[0]), n, n, 1, a, n, d, 0, c)
	})
}

func dsprk(args string, n int, r source) *Problem {
	a := r.draw(n * n)
	return computes(n*(n+1)/2, func(be blskernel.Backend, c []float64) {
		blskernel.Packed(be).Dsprk(blas.Transpose(args[0]), n, n, 1, a, n, 0, c)
	})
}

func dspmm(args string, n int, r source) *Problem {
	a, b := r.draw(n*(n+1)/2), r.draw(n*n)
	return computes(n*n, func(be blskernel.Backend, c []float64) {
		blskernel.Packed(be).Dspmm(blas.Side(args[0]), n, n, 1, a, b, n, 0, c, n)
	})
}

func dgemv(args string, n int, r source) *Problem {
	a, x := r.draw(n*n), r.draw(n)
	return computes(n, func(be blskernel.Backend, y []float64) {
		be.Dgemv(blas.Transpose(args[0]), n, n, 1, a, n, x, 1, 0, y, 1)
	})
}

func dsymv(args string, n int, r source) *Problem {
	a, x := r.draw(n*n), r.draw(n)
	return computes(n, func(be blskernel.Backend, y []float64) { be.Dsymv(blas.Uplo(args[0]), n, 1, a, n, x, 1, 0, y, 1) })
}

func dspmv(args string, n int, r source) *Problem {
	a, x := r.draw(n*(n+1)/2), r.draw(n)
	return computes(n, func(be blskernel.Backend, y []float64) { be.Dspmv(blas.Uplo(args[0]), n, 1, a, x, 1, 0, y, 1) })
}

func ddot(_ string, n int, r source) *Problem {
	x, y := r.draw(n), r.draw(n)
	return computes(1, func(be blskernel.Backend, sum []float64) { sum[0] = be.Ddot(n, x, 1, y, 1) })
}

// Operations that add to an operand can be repeated: elements grow by at most 1/4 in a call.

func dger(_ string, n int, r source) *Problem {
	x, y := r.draw(n), r.draw(n)
	return inPlace(r.draw(n*n), func(be blskernel.Backend, a []float64) { be.Dger(n, n, 1, x, 1, y, 1, a, n) })
}

func dsyr(args string, n int, r source) *Problem {
	x := r.draw(n)
	return inPlace(r.draw(n*n), func(be blskernel.Backend, a []float64) { be.Dsyr(blas.Uplo(args[0]), n, 1, x, 1, a, n) })
}

func dspr(args string, n int, r source) *Problem {
	x := r.draw(n)
	return inPlace(r.draw(n*(n+1)/2), func(be blskernel.Backend, a []float64) { be.Dspr(blas.Uplo(args[0]), n, 1, x, 1, a) })
}

func daxpy(_ string, n int, r source) *Problem {
	x := r.draw(n)
	return inPlace(r.draw(n), func(be blskernel.Backend, y []float64) { be.Daxpy(n, 1, x, 1, y, 1) })
}

func dscal(_ string, n int, r source) *Problem {
	return inPlace(r.draw(n), func(be blskernel.Backend, x []float64) { be.Dscal(n, -1, x, 1) })
}

func dtrsv(args string, n int, r source) *Problem {
	ul, tA := blas.Uplo(args[0]), blas.Transpose(args[1])
	a := r.nearIdentity(n)
	return inPlace(r.draw(n), func(be blskernel.Backend, x []float64) { be.Dtrsv(ul, tA, blas.NonUnit, n, a, n, x, 1) })
}

func dtrmm(args string, n int, r source) *Problem {
	side, ul, tA := blas.Side(args[0]), blas.Uplo(args[1]), blas.Transpose(args[2])
	a := r.nearIdentity(n)
	return inPlace(r.draw(n*n), func(be blskernel.Backend, b []float64) {
		be.Dtrmm(side, ul, tA, blas.NonUnit, n, n, 1, a, n, b, n)
	})
}

func dtrsm(args string, n int, r source) *Problem {
	side, ul, tA := blas.Side(args[0]), blas.Uplo(args[1]), blas.Transpose(args[2])
	a := r.nearIdentity(n)
	return inPlace(r.draw(n*n), func(be blskernel.Backend, b []float64) {
		be.Dtrsm(side, ul, tA, blas.NonUnit, n, n, 1, a, n, b, n)
	})
}
