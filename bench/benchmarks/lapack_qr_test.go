package benchmarks

import (
	"testing"

	"blskernel"
	"blskernel/lapack"
	"blskernel/mat"
)

// The QR factorizations are of matrices with four times as many rows as columns, the n of the name:
// 2k²l - 2k³/3 flops.
const tall = 4

func BenchmarkQRFactorize(b *testing.B) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f, a := &lapack.QR{Backend: bk}, dense(tall*n, n)
		return call{flops: 2*f3(n, n, tall*n) - 2*cube(n)/3, do: func() error { return f.Factorize(a) }}
	})
}

// BenchmarkQRSolveTo solves with as many right-hand sides as columns: 4lkc - 2k²c for Qᵀb and k²c for
// R.
func BenchmarkQRSolveTo(b *testing.B) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f, x, rhs := &lapack.QR{Backend: bk}, dense(n, n), dense(tall*n, n)
		check(f.Factorize(rhs))
		return call{flops: 4*f3(tall*n, n, n) - cube(n), do: func() error { return f.SolveTo(x, rhs) }}
	})
}

// BenchmarkLapackAppendRows appends as many rows as R has, with 10 right-hand sides.
func BenchmarkLapackAppendRows(b *testing.B) {
	const c = 10
	squares(b, func(bk blskernel.Backend, n int) call {
		r, z, ya, ax := save(triangle(n)), save(vector(n*c)), save(vector(n*c)), dense(n, n)
		return call{
			flops: 2*cube(n) + 4*f3(n, n, c),
			reset: func() { r.reset(); z.reset(); ya.reset() },
			do:    func() error { return lapack.AppendRows(bk, r.dense(n, n), z.dense(n, c), ax, ya.dense(n, c)) },
		}
	})
}

// BenchmarkLapackMergeTriangles has 10 right-hand sides.
func BenchmarkLapackMergeTriangles(b *testing.B) {
	const c = 10
	squares(b, func(bk blskernel.Backend, n int) call {
		r1, z1, z2 := save(triangle(n)), save(vector(n*c)), save(vector(n*c))
		r2 := mat.NewDense(n, n, triangle(n))
		return call{
			flops: 2*cube(n)/3 + 2*f3(n, n, c),
			reset: func() { r1.reset(); z1.reset(); z2.reset() },
			do:    func() error { return lapack.MergeTriangles(bk, r1.dense(n, n), z1.dense(n, c), r2, z2.dense(n, c)) },
		}
	})
}
