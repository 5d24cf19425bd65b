package benchmarks

import (
	"testing"

	"blskernel"
	"blskernel/lapack"
	"blskernel/mat"
)

// A factorization is what all of them can do, with matrices M.
type factorization[M any] interface {
	Factorize(a M) error
	FactorizeInPlace(a M) error
	RCond() float64
}

// A solver is the factorization of a square matrix.
type solver[M any] interface {
	factorization[M]
	InverseInPlace() (M, error)
	InverseTo(dst M) error
	Refine(x *mat.Dense, a M, b *mat.Dense) (lapack.ErrorBounds, error)
	SolveTo(dst, b *mat.Dense) error
}

// A kind is a factorization, the matrix of order n that it is of, and the flops that it takes.
type kind[M any, F factorization[M]] struct {
	create func(bk blskernel.Backend) F
	matrix func(n int) M
	data   func(a M) []float64
	flops  func(n int) float64
}

// factored returns the factors of the matrix.
func (k kind[M, F]) factored(bk blskernel.Backend, n int) F {
	f := k.create(bk)
	check(f.Factorize(k.matrix(n)))
	return f
}

func newCholesky(bk blskernel.Backend) *lapack.Cholesky { return &lapack.Cholesky{Backend: bk} }
func newLDLT(bk blskernel.Backend) *lapack.LDLT         { return &lapack.LDLT{Backend: bk} }
func newLU(bk blskernel.Backend) *lapack.LU             { return &lapack.LU{Backend: bk} }

// A is positive definite for Cholesky, and indefinite for LDLT.
func definite(n int) *mat.SymPacked   { return packed(n, float64(n)) }
func indefinite(n int) *mat.SymPacked { return packed(n, 0) }
func general(n int) *mat.Dense        { return dense(n, n) }

func ofPacked(a *mat.SymPacked) []float64 { return a.RawSymPacked().Data }
func ofDense(a *mat.Dense) []float64      { return a.RawMatrix().Data }

var (
	cholesky = kind[*mat.SymPacked, *lapack.Cholesky]{newCholesky, definite, ofPacked, thirdOfCube}
	ldlt     = kind[*mat.SymPacked, *lapack.LDLT]{newLDLT, indefinite, ofPacked, thirdOfCube}
	lu       = kind[*mat.Dense, *lapack.LU]{newLU, general, ofDense, twoThirdsOfCube}
)

func BenchmarkCholeskyFactorize(b *testing.B) { factorize(b, cholesky) }
func BenchmarkLDLTFactorize(b *testing.B)     { factorize(b, ldlt) }
func BenchmarkLUFactorize(b *testing.B)       { factorize(b, lu) }

func factorize[M any, F factorization[M]](b *testing.B, k kind[M, F]) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f, a := k.create(bk), k.matrix(n)
		return call{flops: k.flops(n), do: func() error { return f.Factorize(a) }}
	})
}

func BenchmarkCholeskyFactorizeInPlace(b *testing.B) { factorizeInPlace(b, cholesky) }
func BenchmarkLDLTFactorizeInPlace(b *testing.B)     { factorizeInPlace(b, ldlt) }
func BenchmarkLUFactorizeInPlace(b *testing.B)       { factorizeInPlace(b, lu) }

func factorizeInPlace[M any, F factorization[M]](b *testing.B, k kind[M, F]) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f, a := k.create(bk), k.matrix(n)
		reset := save(k.data(a)).reset
		return call{flops: k.flops(n), reset: reset, do: func() error { return f.FactorizeInPlace(a) }}
	})
}

func BenchmarkCholeskyInverseTo(b *testing.B) { inverseTo(b, cholesky) }
func BenchmarkLDLTInverseTo(b *testing.B)     { inverseTo(b, ldlt) }
func BenchmarkLUInverseTo(b *testing.B)       { inverseTo(b, lu) }

func inverseTo[M any, F solver[M]](b *testing.B, k kind[M, F]) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f, dst := k.factored(bk, n), k.matrix(n)
		return call{flops: 2 * k.flops(n), do: func() error { return f.InverseTo(dst) }}
	})
}

func BenchmarkCholeskyInverseInPlace(b *testing.B) { inverseInPlace(b, cholesky) }
func BenchmarkLDLTInverseInPlace(b *testing.B)     { inverseInPlace(b, ldlt) }
func BenchmarkLUInverseInPlace(b *testing.B)       { inverseInPlace(b, lu) }

func inverseInPlace[M any, F solver[M]](b *testing.B, k kind[M, F]) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f, a := k.create(bk), k.matrix(n)
		return call{
			flops: 2 * k.flops(n),
			reset: func() { check(f.Factorize(a)) },
			do:    func() error { _, err := f.InverseInPlace(); return err },
		}
	})
}

func BenchmarkCholeskySolveTo(b *testing.B)     { solve(b, cholesky, (*lapack.Cholesky).SolveTo) }
func BenchmarkLDLTSolveTo(b *testing.B)         { solve(b, ldlt, (*lapack.LDLT).SolveTo) }
func BenchmarkLUSolveTo(b *testing.B)           { solve(b, lu, (*lapack.LU).SolveTo) }
func BenchmarkCholeskySolveRowsTo(b *testing.B) { solve(b, cholesky, (*lapack.Cholesky).SolveRowsTo) }
func BenchmarkLDLTSolveRowsTo(b *testing.B)     { solve(b, ldlt, (*lapack.LDLT).SolveRowsTo) }
func BenchmarkLUSolveRowsTo(b *testing.B)       { solve(b, lu, (*lapack.LU).SolveRowsTo) }

// solve times solutions with as many right-hand sides as rows.
func solve[M any, F solver[M]](b *testing.B, k kind[M, F], how func(f F, dst, b *mat.Dense) error) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f, x, rhs := k.factored(bk, n), dense(n, n), dense(n, n)
		return call{flops: 2 * cube(n), do: func() error { return how(f, x, rhs) }}
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

func rcond[M any, F factorization[M]](b *testing.B, k kind[M, F]) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f := k.factored(bk, n)
		return call{do: func() error { sink = f.RCond(); return nil }}
	})
}

func BenchmarkCholeskySolveUTo(b *testing.B)     { solveU(b, (*lapack.Cholesky).SolveUTo) }
func BenchmarkCholeskySolveURowsTo(b *testing.B) { solveU(b, (*lapack.Cholesky).SolveURowsTo) }

// solveU times half solves, of both halves.
func solveU(b *testing.B, how func(c *lapack.Cholesky, dst, b *mat.Dense, trans bool) error) {
	variants(b, transposes, func(bk blskernel.Backend, v string, n int) call {
		f, x, rhs := cholesky.factored(bk, n), dense(n, n), dense(n, n)
		return call{flops: cube(n), do: func() error { return how(f, x, rhs, arg(v, 0) == 'T') }}
	})
}

func BenchmarkCholeskySolveUTriangle(b *testing.B) { withU(b, (*lapack.Cholesky).SolveUTriangle) }
func BenchmarkCholeskyMulUTriangle(b *testing.B)   { withU(b, (*lapack.Cholesky).MulUTriangle) }

// withU times what overwrites a triangle by its product with U or its inverse.
func withU(b *testing.B, how func(c *lapack.Cholesky, r *mat.Dense) error) {
	squares(b, func(bk blskernel.Backend, n int) call {
		f, t := cholesky.factored(bk, n), save(triangle(n))
		return call{flops: cube(n) / 3, reset: t.reset, do: func() error { return how(f, t.dense(n, n)) }}
	})
}
