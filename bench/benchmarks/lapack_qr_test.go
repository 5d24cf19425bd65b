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

func flopsQR(n int) float64 { return 2*f3(n, n, tall*n) - 2*cube(n)/3 }

func newQR(bk blskernel.Backend) *lapack.QR { return &lapack.QR{Backend: bk} }
func tallMatrix(n int) *mat.Dense           { return dense(tall*n, n) }

var qr = kind[*mat.Dense, *lapack.QR]{newQR, tallMatrix, ofDense, flopsQR}

func BenchmarkQRFactorize(b *testing.B)        { factorize(b, qr) }
func BenchmarkQRFactorizeInPlace(b *testing.B) { factorizeInPlace(b, qr) }
func BenchmarkQRRCond(b *testing.B)            { rcond(b, qr) }

func BenchmarkQRQTo(b *testing.B) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f, dst := qr.factored(bk, n), tallMatrix(n)
		return call{flops: flopsQR(n), do: func() error { f.QTo(dst); return nil }}
	})
}

func BenchmarkQRQInPlace(b *testing.B) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f, a := newQR(bk), tallMatrix(n)
		return call{
			flops: flopsQR(n),
			reset: func() { check(f.Factorize(a)) },
			do:    func() error { f.QInPlace(); return nil },
		}
	})
}

func BenchmarkQRRTo(b *testing.B) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f, dst := qr.factored(bk, n), dense(n, n)
		return call{bytes: 8 * int64(n*n), do: func() error { f.RTo(dst); return nil }}
	})
}

// BenchmarkQRSolveTo solves with as many right-hand sides as columns: 4lkc - 2k²c for Qᵀb and k²c for
// R.
func BenchmarkQRSolveTo(b *testing.B) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f, x, rhs := qr.factored(bk, n), dense(n, n), tallMatrix(n)
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

func BenchmarkLapackInvertTriangle(b *testing.B) {
	squares(b, func(bk blskernel.Backend, n int) call {
		r := save(triangle(n))
		return call{flops: cube(n) / 3, reset: r.reset, do: func() error { return lapack.InvertTriangle(bk, r.dense(n, n)) }}
	})
}

func BenchmarkLapackSolveTriangular(b *testing.B) { solveTriangle(b, lapack.SolveTriangular) }

func BenchmarkLapackSolveTriangularRows(b *testing.B) { solveTriangle(b, lapack.SolveTriangularRows) }

func solveTriangle(b *testing.B, how func(bk blskernel.Backend, dst, r *mat.Dense, trans bool) error) {
	variants(b, transposes, func(bk blskernel.Backend, v string, n int) call {
		r, x := mat.NewDense(n, n, triangle(n)), save(vector(n*n))
		return call{flops: cube(n), reset: x.reset, do: func() error { return how(bk, x.dense(n, n), r, arg(v, 0) == 'T') }}
	})
}

func BenchmarkLapackRCondTriangle(b *testing.B) {
	squares(b, func(bk blskernel.Backend, n int) call {
		r := mat.NewDense(n, n, triangle(n))
		return call{do: func() error { sink = lapack.RCondTriangle(bk, r); return nil }}
	})
}
