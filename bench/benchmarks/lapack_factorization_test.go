package benchmarks

import (
	"testing"

	"blskernel"
	"blskernel/lapack"
	"blskernel/mat"
)

// A solver is the factorization of a square matrix M.
type solver[M any] interface {
	Factorize(a M) error
	RCond() float64
	Refine(x *mat.Dense, a M, b *mat.Dense) (lapack.ErrorBounds, error)
	SolveTo(dst, b *mat.Dense) error
	SolveRowsTo(dst, b *mat.Dense) error
}

// A kind is a factorization and the matrix of order n that it factorizes. BenchmarkOperation times
// factorizations, inverses and SolveTo.
type kind[M any, F solver[M]] struct {
	create func(bk blskernel.Backend) F
	matrix func(n int) M
}

// factored returns the factors of the matrix.
func (k kind[M, F]) factored(bk blskernel.Backend, n int) F {
	f := k.create(bk)
	check(f.Factorize(k.matrix(n)))
	return f
}

// A is positive definite for Cholesky, and indefinite for LDLT.
var (
	cholesky = kind[*mat.SymPacked, *lapack.Cholesky]{
		func(bk blskernel.Backend) *lapack.Cholesky { return &lapack.Cholesky{Backend: bk} },
		func(n int) *mat.SymPacked { return packed(n, float64(n)) },
	}
	ldlt = kind[*mat.SymPacked, *lapack.LDLT]{
		func(bk blskernel.Backend) *lapack.LDLT { return &lapack.LDLT{Backend: bk} },
		func(n int) *mat.SymPacked { return packed(n, 0) },
	}
	lu = kind[*mat.Dense, *lapack.LU]{
		func(bk blskernel.Backend) *lapack.LU { return &lapack.LU{Backend: bk} },
		func(n int) *mat.Dense { return dense(n, n) },
	}
)

func BenchmarkCholeskySolveRowsTo(b *testing.B) { solveRows(b, cholesky) }
func BenchmarkLDLTSolveRowsTo(b *testing.B)     { solveRows(b, ldlt) }
func BenchmarkLUSolveRowsTo(b *testing.B)       { solveRows(b, lu) }

// solveRows times solutions with as many right-hand sides as rows.
func solveRows[M any, F solver[M]](b *testing.B, k kind[M, F]) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f, x, rhs := k.factored(bk, n), dense(n, n), dense(n, n)
		return call{flops: 2 * cube(n), do: func() error { return f.SolveRowsTo(x, rhs) }}
	})
}

func BenchmarkCholeskyRefine(b *testing.B) { refine(b, cholesky) }
func BenchmarkLDLTRefine(b *testing.B)     { refine(b, ldlt) }
func BenchmarkLURefine(b *testing.B)       { refine(b, lu) }

// refine starts from the solution for 10 right-hand sides, which a step hardly changes.
func refine[M any, F solver[M]](b *testing.B, k kind[M, F]) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f, a, x, rhs := k.factored(bk, n), k.matrix(n), dense(n, 10), dense(n, 10)
		check(f.SolveTo(x, rhs))
		return call{do: func() error { _, err := f.Refine(x, a, rhs); return err }}
	})
}

func BenchmarkCholeskyRCond(b *testing.B) { rcond(b, cholesky) }
func BenchmarkLDLTRCond(b *testing.B)     { rcond(b, ldlt) }
func BenchmarkLURCond(b *testing.B)       { rcond(b, lu) }

func rcond[M any, F solver[M]](b *testing.B, k kind[M, F]) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f, a := k.factored(bk, n), k.matrix(n)
		return call{do: func() error { sink = f.RCond(); return nil }, reset: func() { check(f.Factorize(a)) }}
	})
}

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
