package benchmarks

import (
	"testing"

	"blskernel"
	"blskernel/mat"
)

// product times a product of matrices of order n into dst.
func product(b *testing.B, flops func(n int) float64, multiply func(bk blskernel.Backend, dst, x *mat.Dense, s *mat.SymPacked)) {
	squares(b, func(bk blskernel.Backend, n int) call {
		dst, x, s := dense(n, n), dense(n, n), packed(n, 0)
		return call{flops: flops(n), do: func() error {
			multiply(bk, dst, x, s)
			return nil
		}}
	})
}

func BenchmarkMatMul(b *testing.B) {
	product(b, twoCubes, func(bk blskernel.Backend, dst, x *mat.Dense, _ *mat.SymPacked) { mat.Mul(bk, dst, x, x) })
}

func BenchmarkMatMulTrans(b *testing.B) {
	product(b, twoCubes, func(bk blskernel.Backend, dst, x *mat.Dense, _ *mat.SymPacked) {
		mat.MulTrans(bk, dst, x, true, x, false)
	})
}

func BenchmarkMatSymOuterK(b *testing.B) {
	product(b, cube, func(bk blskernel.Backend, _, x *mat.Dense, s *mat.SymPacked) { mat.SymOuterK(bk, s, 1, x, true) })
}

func BenchmarkMatSymMul(b *testing.B) {
	product(b, twoCubes, func(bk blskernel.Backend, dst, x *mat.Dense, s *mat.SymPacked) { mat.SymMul(bk, dst, s, x) })
}

func BenchmarkMatMulSym(b *testing.B) {
	product(b, twoCubes, func(bk blskernel.Backend, dst, x *mat.Dense, s *mat.SymPacked) { mat.MulSym(bk, dst, x, s) })
}
