package benchmarks

import (
	"fmt"
	"testing"

	"blskernel"
	"blskernel/lapack"
	"blskernel/mat"
)

// A solver is the factorization of a square M. BenchmarkOperation times it, inverses and SolveTo.
type solver[M any] interface {
	Factorize(a M) error
	RCond() float64
	Refine(x *mat.Dense, a M, b *mat.Dense) (lapack.ErrorBounds, error)
	SolveTo(dst, b *mat.Dense) error
	SolveRowsTo(dst, b *mat.Dense) error
}

// A method is a call of package lapack on matrices of order n.
type method struct {
	op      string
	prepare func(bk blskernel.Backend, n int) call
}

// methodsOf returns the methods of a factorization. They solve for as many right-hand sides as rows,
// refine a solution for 10, which hardly changes, and compute the condition of new factors.
func methodsOf[M any, F solver[M]](name string, create func(bk blskernel.Backend) F, matrix func(n int) M) []method {
	factored := func(bk blskernel.Backend, n int) (f F, a M) {
		f, a = create(bk), matrix(n)
		check(f.Factorize(a))
		return f, a
	}
	return []method{
		{name + ".SolveRowsTo", func(bk blskernel.Backend, n int) call {
			f, _ := factored(bk, n)
			x, rhs := dense(n, n), dense(n, n)
			return call{flops: 2 * cube(n), do: func() error { return f.SolveRowsTo(x, rhs) }}
		}},
		{name + ".Refine", func(bk blskernel.Backend, n int) call {
			f, a := factored(bk, n)
			x, rhs := dense(n, 10), dense(n, 10)
			check(f.SolveTo(x, rhs))
			return call{do: func() error { _, err := f.Refine(x, a, rhs); return err }}
		}},
		{name + ".RCond", func(bk blskernel.Backend, n int) call {
			f, a := factored(bk, n)
			return call{do: func() error { sink = f.RCond(); return nil }, reset: func() { check(f.Factorize(a)) }}
		}},
	}
}

// tall is the number of rows for each of the n columns in the QR factorizations.
const tall = 4

// BenchmarkLapack times methods of Cholesky, of a positive definite matrix, LDLT, of an indefinite one,
// LU and QR, with as many right-hand sides as columns. With 10 right-hand sides, it also times
// appending n rows and merging two triangles.
func BenchmarkLapack(b *testing.B) {
	const c = 10
	all := methodsOf("Cholesky", func(bk blskernel.Backend) *lapack.Cholesky { return &lapack.Cholesky{Backend: bk} },
		func(n int) *mat.SymPacked { return packed(n, float64(n)) })
	all = append(all, methodsOf("LDLT", func(bk blskernel.Backend) *lapack.LDLT { return &lapack.LDLT{Backend: bk} },
		func(n int) *mat.SymPacked { return packed(n, 0) })...)
	all = append(all, methodsOf("LU", func(bk blskernel.Backend) *lapack.LU { return &lapack.LU{Backend: bk} },
		func(n int) *mat.Dense { return dense(n, n) })...)
	all = append(all,
		method{"QR.Factorize", func(bk blskernel.Backend, n int) call { // 2k²l - 2k³/3
			f, a := &lapack.QR{Backend: bk}, dense(tall*n, n)
			return call{flops: 2*f3(n, n, tall*n) - 2*cube(n)/3, do: func() error { return f.Factorize(a) }}
		}},
		method{"QR.SolveTo", func(bk blskernel.Backend, n int) call { // 4lkc - 2k²c for Qᵀb and k²c for R
			f, x, rhs := &lapack.QR{Backend: bk}, dense(n, n), dense(tall*n, n)
			check(f.Factorize(rhs))
			return call{flops: 4*f3(tall*n, n, n) - cube(n), do: func() error { return f.SolveTo(x, rhs) }}
		}},
		method{"AppendRows", func(bk blskernel.Backend, n int) call {
			r, z, ya, ax := save(triangle(n)), save(vector(n*c)), save(vector(n*c)), dense(n, n)
			return call{
				flops: 2*cube(n) + 4*f3(n, n, c),
				reset: func() { r.reset(); z.reset(); ya.reset() },
				do:    func() error { return lapack.AppendRows(bk, r.dense(n, n), z.dense(n, c), ax, ya.dense(n, c)) },
			}
		}},
		method{"MergeTriangles", func(bk blskernel.Backend, n int) call {
			r1, z1, z2 := save(triangle(n)), save(vector(n*c)), save(vector(n*c))
			r2 := mat.NewDense(n, n, triangle(n))
			return call{
				flops: 2*cube(n)/3 + 2*f3(n, n, c),
				reset: func() { r1.reset(); z1.reset(); z2.reset() },
				do:    func() error { return lapack.MergeTriangles(bk, r1.dense(n, n), z1.dense(n, c), r2, z2.dense(n, c)) },
			}
		}})
	backends(b, func(b *testing.B, bk blskernel.Backend) {
		for _, m := range all {
			for _, n := range orders {
				b.Run(fmt.Sprintf("op=%s/n=%d", m.op, n), func(b *testing.B) { m.prepare(bk, n).run(b) })
			}
		}
	})
}
