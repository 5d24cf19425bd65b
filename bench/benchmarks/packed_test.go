package benchmarks

import (
	"testing"

	"blskernel"
	"blskernel/internal/backend"

	"gonum.org/v1/gonum/blas"
)

// The products that the BLAS does not have and package speed neither.

func BenchmarkDgemmt(b *testing.B) {
	variants(b, []string{"args=UNN", "args=UNT", "args=UTN", "args=LNN"}, func(bk blskernel.Backend, v string, n int) call {
		p, x, y, z := blskernel.Packed(bk), vector(n*n), vector(n*n), vector(n*n)
		return call{flops: cube(n), do: func() error {
			p.Dgemmt(uplo(v, 0), trans(v, 1), trans(v, 2), n, n, 1, x, n, y, n, 0, z, n)
			return nil
		}}
	})
}

func BenchmarkDgemmDiag(b *testing.B) {
	variants(b, []string{"args=NN", "args=NT", "args=TN", "args=TT"}, func(bk blskernel.Backend, v string, n int) call {
		f, x, y, z, d := backend.Fused(bk), vector(n*n), vector(n*n), vector(n*n), vector(n)
		return call{flops: 2 * cube(n), do: func() error {
			f.DgemmDiag(trans(v, 0), trans(v, 1), n, n, n, 1, x, n, d, y, n, 0, z, n)
			return nil
		}}
	})
}

func BenchmarkDsprkDiag(b *testing.B) {
	variants(b, transposes, func(bk blskernel.Backend, v string, n int) call {
		f, x, d, ap := backend.Fused(bk), vector(n*n), vector(n), vector(n*(n+1)/2)
		return call{flops: cube(n), do: func() error {
			f.DsprkDiag(trans(v, 0), n, n, 1, x, n, d, 0, ap)
			return nil
		}}
	})
}

// BenchmarkDgemmTanh counts the flops of the product alone.
func BenchmarkDgemmTanh(b *testing.B) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f, x, y, z, bias := backend.Fused(bk), vector(n*n), vector(n*n), vector(n*n), vector(n)
		return call{flops: 2 * cube(n), do: func() error {
			f.DgemmTanh(blas.NoTrans, blas.NoTrans, n, n, n, 1, x, n, y, n, bias, z, n)
			return nil
		}}
	})
}
