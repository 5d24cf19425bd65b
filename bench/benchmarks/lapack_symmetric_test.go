package benchmarks

import (
	"testing"

	"blskernel"
	"blskernel/lapack"
	"blskernel/mat"
)

// A symmetric is what Cholesky and LDLT have in common.
type symmetric interface {
	Factorize(a *mat.SymPacked) error
	FactorizeInPlace(a *mat.SymPacked) error
	InverseInPlace() (*mat.SymPacked, error)
	InverseTo(dst *mat.SymPacked) error
	RCond() float64
	Refine(x *mat.Dense, a *mat.SymPacked, b *mat.Dense) (lapack.ErrorBounds, error)
	SolveRowsTo(dst, b *mat.Dense) error
	SolveTo(dst, b *mat.Dense) error
}

func newCholesky(bk blskernel.Backend) symmetric { return &lapack.Cholesky{Backend: bk} }
func newLDLT(bk blskernel.Backend) symmetric     { return &lapack.LDLT{Backend: bk} }

// A of the benchmarks is positive definite for Cholesky, and indefinite for LDLT.
func definite(n int) *mat.SymPacked   { return packed(n, float64(n)) }
func indefinite(n int) *mat.SymPacked { return packed(n, 0) }

func BenchmarkCholeskyFactorize(b *testing.B) { factorize(b, newCholesky, definite) }
func BenchmarkLDLTFactorize(b *testing.B)     { factorize(b, newLDLT, indefinite) }

func factorize(b *testing.B, create func(blskernel.Backend) symmetric, matrix func(int) *mat.SymPacked) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f, a := create(bk), matrix(n)
		return call{flops: cube(n) / 3, do: func() error { return f.Factorize(a) }}
	})
}

func BenchmarkCholeskyFactorizeInPlace(b *testing.B) { factorizeInPlace(b, newCholesky, definite) }
func BenchmarkLDLTFactorizeInPlace(b *testing.B)     { factorizeInPlace(b, newLDLT, indefinite) }

func factorizeInPlace(b *testing.B, create func(blskernel.Backend) symmetric, matrix func(int) *mat.SymPacked) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f, s := create(bk), save(matrix(n).RawSymPacked().Data)
		return call{flops: cube(n) / 3, reset: s.reset, do: func() error {
			return f.FactorizeInPlace(mat.NewSymPacked(n, s.data))
		}}
	})
}

func BenchmarkCholeskyInverseTo(b *testing.B) { inverseTo(b, newCholesky, definite) }
func BenchmarkLDLTInverseTo(b *testing.B)     { inverseTo(b, newLDLT, indefinite) }

func inverseTo(b *testing.B, create func(blskernel.Backend) symmetric, matrix func(int) *mat.SymPacked) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f, dst := create(bk), mat.NewSymPacked(n, nil)
		check(f.Factorize(matrix(n)))
		return call{flops: 2 * cube(n) / 3, do: func() error { return f.InverseTo(dst) }}
	})
}

func BenchmarkCholeskyInverseInPlace(b *testing.B) { inverseInPlace(b, newCholesky, definite) }
func BenchmarkLDLTInverseInPlace(b *testing.B)     { inverseInPlace(b, newLDLT, indefinite) }

func inverseInPlace(b *testing.B, create func(blskernel.Backend) symmetric, matrix func(int) *mat.SymPacked) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f, a := create(bk), matrix(n)
		return call{
			flops: 2 * cube(n) / 3,
			reset: func() { check(f.Factorize(a)) },
			do:    func() error { _, err := f.InverseInPlace(); return err },
		}
	})
}

func BenchmarkCholeskySolveTo(b *testing.B) { solve(b, newCholesky, definite, symmetric.SolveTo) }
func BenchmarkLDLTSolveTo(b *testing.B)     { solve(b, newLDLT, indefinite, symmetric.SolveTo) }
func BenchmarkCholeskySolveRowsTo(b *testing.B) {
	solve(b, newCholesky, definite, symmetric.SolveRowsTo)
}
func BenchmarkLDLTSolveRowsTo(b *testing.B) { solve(b, newLDLT, indefinite, symmetric.SolveRowsTo) }

// solve times solutions with as many right-hand sides as rows.
func solve(b *testing.B, create func(blskernel.Backend) symmetric, matrix func(int) *mat.SymPacked, how func(f symmetric, dst, b *mat.Dense) error) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f, x, rhs := create(bk), dense(n, n), dense(n, n)
		check(f.Factorize(matrix(n)))
		return call{flops: 2 * cube(n), do: func() error { return how(f, x, rhs) }}
	})
}

func BenchmarkCholeskyRefine(b *testing.B) { refine(b, newCholesky, definite) }
func BenchmarkLDLTRefine(b *testing.B)     { refine(b, newLDLT, indefinite) }

// refine starts from the solution for 10 right-hand sides, which a step hardly changes.
func refine(b *testing.B, create func(blskernel.Backend) symmetric, matrix func(int) *mat.SymPacked) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f, a, x, rhs := create(bk), matrix(n), dense(n, 10), dense(n, 10)
		check(f.Factorize(a))
		check(f.SolveTo(x, rhs))
		return call{do: func() error { _, err := f.Refine(x, a, rhs); return err }}
	})
}

func BenchmarkCholeskyRCond(b *testing.B) { rcond(b, newCholesky, definite) }
func BenchmarkLDLTRCond(b *testing.B)     { rcond(b, newLDLT, indefinite) }

func rcond(b *testing.B, create func(blskernel.Backend) symmetric, matrix func(int) *mat.SymPacked) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f := create(bk)
		check(f.Factorize(matrix(n)))
		return call{do: func() error { sink = f.RCond(); return nil }}
	})
}

func BenchmarkCholeskySolveUTo(b *testing.B) { solveU(b, (*lapack.Cholesky).SolveUTo) }

func BenchmarkCholeskySolveURowsTo(b *testing.B) { solveU(b, (*lapack.Cholesky).SolveURowsTo) }

// solveU times half solves, of both halves.
func solveU(b *testing.B, how func(c *lapack.Cholesky, dst, b *mat.Dense, trans bool) error) {
	variants(b, transposes, func(bk blskernel.Backend, v string, n int) call {
		f, x, rhs := &lapack.Cholesky{Backend: bk}, dense(n, n), dense(n, n)
		check(f.Factorize(definite(n)))
		return call{flops: cube(n), do: func() error { return how(f, x, rhs, arg(v, 0) == 'T') }}
	})
}

func BenchmarkCholeskySolveUTriangle(b *testing.B) {
	withU(b, (*lapack.Cholesky).SolveUTriangle)
}

func BenchmarkCholeskyMulUTriangle(b *testing.B) {
	withU(b, (*lapack.Cholesky).MulUTriangle)
}

// withU times what overwrites a triangle by its product with U or its inverse.
func withU(b *testing.B, how func(c *lapack.Cholesky, r *mat.Dense) error) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f, t := &lapack.Cholesky{Backend: bk}, save(triangle(n))
		check(f.Factorize(definite(n)))
		return call{flops: cube(n) / 3, reset: t.reset, do: func() error { return how(f, t.dense(n, n)) }}
	})
}
