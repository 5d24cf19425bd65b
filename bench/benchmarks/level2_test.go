package benchmarks

import (
	"testing"

	"blskernel"

	"gonum.org/v1/gonum/blas"
)

var (
	transposes = []string{"args=N", "args=T"}
	uplos      = []string{"args=U", "args=L"}
	triangular = []string{"args=UN", "args=UT", "args=LN", "args=LT"}
)

// arg returns argument i of a variant "args=XYZ".
func arg(variant string, i int) byte { return variant[len("args=")+i] }

func uplo(variant string, i int) blas.Uplo       { return blas.Uplo(arg(variant, i)) }
func trans(variant string, i int) blas.Transpose { return blas.Transpose(arg(variant, i)) }

func BenchmarkDgemv(b *testing.B) {
	variants(b, transposes, func(bk blskernel.Backend, v string, n int) call {
		a, x, y := vector(n*n), vector(n), vector(n)
		return call{flops: 2 * f2(n, n), bytes: 8 * int64(n*n), do: func() error {
			bk.Dgemv(trans(v, 0), n, n, 1, a, n, x, 1, 0, y, 1)
			return nil
		}}
	})
}

func BenchmarkDger(b *testing.B) {
	squares(b, func(bk blskernel.Backend, n int) call {
		a, x, y, alpha := vector(n*n), vector(n), vector(n), 1.0
		return call{flops: 2 * f2(n, n), bytes: 16 * int64(n*n), do: func() error {
			alpha = -alpha
			bk.Dger(n, n, alpha, x, 1, y, 1, a, n)
			return nil
		}}
	})
}

func BenchmarkDsymv(b *testing.B) {
	variants(b, uplos, func(bk blskernel.Backend, v string, n int) call {
		a, x, y := vector(n*n), vector(n), vector(n)
		return call{flops: 2 * f2(n, n), bytes: 4 * int64(n*n), do: func() error {
			bk.Dsymv(uplo(v, 0), n, 1, a, n, x, 1, 0, y, 1)
			return nil
		}}
	})
}

func BenchmarkDspmv(b *testing.B) {
	variants(b, uplos, func(bk blskernel.Backend, v string, n int) call {
		ap, x, y := vector(n*(n+1)/2), vector(n), vector(n)
		return call{flops: 2 * f2(n, n), bytes: 4 * int64(n*n), do: func() error {
			bk.Dspmv(uplo(v, 0), n, 1, ap, x, 1, 0, y, 1)
			return nil
		}}
	})
}

func BenchmarkDsyr(b *testing.B) {
	variants(b, uplos, func(bk blskernel.Backend, v string, n int) call {
		a, x, alpha := vector(n*n), vector(n), 1.0
		return call{flops: f2(n, n), bytes: 8 * int64(n*n), do: func() error {
			alpha = -alpha
			bk.Dsyr(uplo(v, 0), n, alpha, x, 1, a, n)
			return nil
		}}
	})
}

func BenchmarkDspr(b *testing.B) {
	variants(b, uplos, func(bk blskernel.Backend, v string, n int) call {
		ap, x, alpha := vector(n*(n+1)/2), vector(n), 1.0
		return call{flops: f2(n, n), bytes: 8 * int64(n*n), do: func() error {
			alpha = -alpha
			bk.Dspr(uplo(v, 0), n, alpha, x, 1, ap)
			return nil
		}}
	})
}

// BenchmarkDtrsv copies the right-hand side within the time: n numbers for n² flops.
func BenchmarkDtrsv(b *testing.B) {
	variants(b, triangular, func(bk blskernel.Backend, v string, n int) call {
		a, x := triangle(n), save(vector(n))
		return call{flops: f2(n, n), bytes: 4 * int64(n*n), do: func() error {
			x.reset()
			bk.Dtrsv(uplo(v, 0), trans(v, 1), blas.NonUnit, n, a, n, x.data, 1)
			return nil
		}}
	})
}
