package benchmarks

import (
	"testing"

	"blskernel"
	"blskernel/lapack"
	"blskernel/mat"
)

// factored returns the factors of a general matrix of order n.
func factored(bk blskernel.Backend, n int) *lapack.LU {
	f := &lapack.LU{Backend: bk}
	check(f.Factorize(dense(n, n)))
	return f
}

func BenchmarkLUFactorize(b *testing.B) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f, a := &lapack.LU{Backend: bk}, dense(n, n)
		return call{flops: 2 * cube(n) / 3, do: func() error { return f.Factorize(a) }}
	})
}

func BenchmarkLUFactorizeInPlace(b *testing.B) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f, s := &lapack.LU{Backend: bk}, save(vector(n*n))
		return call{flops: 2 * cube(n) / 3, reset: s.reset, do: func() error { return f.FactorizeInPlace(s.dense(n, n)) }}
	})
}

func BenchmarkLUInverseTo(b *testing.B) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f, dst := factored(bk, n), dense(n, n)
		return call{flops: 4 * cube(n) / 3, do: func() error { return f.InverseTo(dst) }}
	})
}

func BenchmarkLUInverseInPlace(b *testing.B) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f, a := &lapack.LU{Backend: bk}, dense(n, n)
		return call{
			flops: 4 * cube(n) / 3,
			reset: func() { check(f.Factorize(a)) },
			do:    func() error { _, err := f.InverseInPlace(); return err },
		}
	})
}

func BenchmarkLUSolveTo(b *testing.B)     { solveLU(b, (*lapack.LU).SolveTo) }
func BenchmarkLUSolveRowsTo(b *testing.B) { solveLU(b, (*lapack.LU).SolveRowsTo) }

func solveLU(b *testing.B, how func(f *lapack.LU, dst, b *mat.Dense) error) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f, x, rhs := factored(bk, n), dense(n, n), dense(n, n)
		return call{flops: 2 * cube(n), do: func() error { return how(f, x, rhs) }}
	})
}

func BenchmarkLURefine(b *testing.B) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f, x, rhs, a := factored(bk, n), dense(n, 10), dense(n, 10), dense(n, n)
		check(f.SolveTo(x, rhs))
		return call{do: func() error { _, err := f.Refine(x, a, rhs); return err }}
	})
}

func BenchmarkLURCond(b *testing.B) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f := factored(bk, n)
		return call{do: func() error { sink = f.RCond(); return nil }}
	})
}
