package benchmarks

import (
	"testing"

	"blskernel"
)

// Vectors have as many elements as a matrix of the order in the name. The operations of Level 1 and 2
// are limited by memory, so that MB/s are of interest beside GFLOP/s. Where they add to an operand the
// multiplier changes its sign from call to call, so that the operand stays where it is.

// sink keeps results that nobody else takes.
var sink float64

func BenchmarkDdot(b *testing.B) {
	squares(b, func(bk blskernel.Backend, n int) call {
		n *= n
		x, y := vector(n), vector(n)
		return call{flops: 2 * float64(n), bytes: 16 * int64(n), do: func() error {
			sink = bk.Ddot(n, x, 1, y, 1)
			return nil
		}}
	})
}

func BenchmarkDaxpy(b *testing.B) {
	squares(b, func(bk blskernel.Backend, n int) call {
		n *= n
		x, y, alpha := vector(n), vector(n), 1.0
		return call{flops: 2 * float64(n), bytes: 24 * int64(n), do: func() error {
			alpha = -alpha
			bk.Daxpy(n, alpha, x, 1, y, 1)
			return nil
		}}
	})
}

func BenchmarkDscal(b *testing.B) {
	squares(b, func(bk blskernel.Backend, n int) call {
		n *= n
		x := vector(n)
		return call{flops: float64(n), bytes: 16 * int64(n), do: func() error {
			bk.Dscal(n, -1, x, 1)
			return nil
		}}
	})
}
