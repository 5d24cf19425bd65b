package benchmarks

import (
	"fmt"
	"testing"

	"blskernel"
	"blskernel/bench/speed"
	"blskernel/internal/backend"

	"gonum.org/v1/gonum/blas"
)

// Package speed has the cases of these operations, their operands, their flops and the check of their
// results. The vectors of ddot, daxpy and dscal have as many elements as a matrix of the order in the
// name.

func BenchmarkDgemm(b *testing.B)   { cases(b, "dgemm") }
func BenchmarkDsyrk(b *testing.B)   { cases(b, "dsyrk") }
func BenchmarkDsyr2k(b *testing.B)  { cases(b, "dsyr2k") }
func BenchmarkDsymm(b *testing.B)   { cases(b, "dsymm") }
func BenchmarkDtrmm(b *testing.B)   { cases(b, "dtrmm") }
func BenchmarkDtrsm(b *testing.B)   { cases(b, "dtrsm") }
func BenchmarkDgemmtp(b *testing.B) { cases(b, "dgemmtp") }
func BenchmarkDsprk(b *testing.B)   { cases(b, "dsprk") }
func BenchmarkDspmm(b *testing.B)   { cases(b, "dspmm") }
func BenchmarkDgemv(b *testing.B)   { cases(b, "dgemv") }
func BenchmarkDger(b *testing.B)    { cases(b, "dger") }
func BenchmarkDsymv(b *testing.B)   { cases(b, "dsymv") }
func BenchmarkDspmv(b *testing.B)   { cases(b, "dspmv") }
func BenchmarkDsyr(b *testing.B)    { cases(b, "dsyr") }
func BenchmarkDspr(b *testing.B)    { cases(b, "dspr") }
func BenchmarkDdot(b *testing.B)    { cases(b, "ddot") }
func BenchmarkDaxpy(b *testing.B)   { cases(b, "daxpy") }

// cases runs all cases of an operation on all backends and squares.
func cases(b *testing.B, op string) {
	all := speed.Cases(op)
	if len(all) == 0 {
		b.Fatalf("no operation %s", op)
	}
	backends(b, func(b *testing.B, bk blskernel.Backend) {
		for _, c := range all {
			for _, n := range orders {
				name := fmt.Sprintf("n=%d", n)
				if c.Args != "" {
					name = "args=" + c.Args + "/" + name
				}
				order := n
				if op == "ddot" || op == "daxpy" {
					order = n * n
				}
				b.Run(name, func(b *testing.B) {
					p := c.Prepare(order, 1)
					do := p.Bind(bk)
					timed := call{flops: p.Flops(), do: func() error { do(); return p.Err() }}
					// Solutions and products in place shrink or grow by a factor;
					// sums grow by a summand, and need no reset.
					if op == "dtrmm" || op == "dtrsm" {
						timed.reset = p.Reset
					}
					timed.run(b)
				})
			}
		}
	})
}

// sink keeps results from being optimized away.
var sink float64

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

var (
	transposes = []string{"args=N", "args=T"}
	triangular = []string{"args=UN", "args=UT", "args=LN", "args=LT"}
)

// arg returns argument i of a variant "args=XYZ".
func arg(variant string, i int) byte { return variant[len("args=")+i] }

func uplo(variant string, i int) blas.Uplo       { return blas.Uplo(arg(variant, i)) }
func trans(variant string, i int) blas.Transpose { return blas.Transpose(arg(variant, i)) }

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
