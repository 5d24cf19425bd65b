package speed

import (
	"math"

	"blskernel"

	"gonum.org/v1/gonum/blas"
)

// A call runs an operation on a backend.
type call func(be blskernel.Backend)

// computes returns the problem of an operation that overwrites c, with n columns, by a matrix whose
// elements are sums of terms products. On the way of each product to C·t there are at most terms + n
// roundings, in whatever order the sums are taken, with fused operations or not. Elements of the
// operands are at most 1/2.
func computes(c operand, n, terms int, want operator, do call) *Problem {
	return &Problem{
		call: do, reset: func() { poison(c.data) }, most: mostCalls, signs: n, result: c.by, expected: want,
		bound: rounding(terms+n, float64(terms)*float64(n)/4),
	}
}

func dgemm(args string, s Shape, r source) *Problem {
	tA, tB := blas.Transpose(args[0]), blas.Transpose(args[1])
	a, b := r.draw(general(tA, s.M, s.K)), r.draw(general(tB, s.K, s.N))
	c := general(blas.NoTrans, s.M, s.N).zero()
	return computes(c, s.N, s.K, product(blas.Left, a.by, b.by), func(be blskernel.Backend) {
		be.Dgemm(tA, tB, s.M, s.N, s.K, 1, a.data, a.ld, b.data, b.ld, 0, c.data, c.ld)
	})
}

// gram draws A for which op(A) is n×k, and returns it with its transpose.
func (r source) gram(op blas.Transpose, n, k int) (a, transpose operand) {
	other := blas.Trans
	if op != blas.NoTrans {
		other = blas.NoTrans
	}
	a = r.draw(general(op, n, k))
	return a, operand{general(other, k, n), a.data}
}

func dsyrk(args string, s Shape, r source) *Problem {
	ul, tA := blas.Uplo(args[0]), blas.Transpose(args[1])
	a, at := r.gram(tA, s.N, s.K)
	c := symmetric(ul, s.N).zero()
	return computes(c, s.N, s.K, product(blas.Left, a.by, at.by), func(be blskernel.Backend) {
		be.Dsyrk(ul, tA, s.N, s.K, 1, a.data, a.ld, 0, c.data, c.ld)
	})
}

func dsyr2k(args string, s Shape, r source) *Problem {
	ul, tA := blas.Uplo(args[0]), blas.Transpose(args[1])
	a, at := r.gram(tA, s.N, s.K)
	b, bt := r.gram(tA, s.N, s.K)
	c := symmetric(ul, s.N).zero()
	want := func(t []float64) []float64 {
		y := a.by(bt.by(t))
		reference.Daxpy(s.N, 1, b.by(at.by(t)), 1, y, 1)
		return y
	}
	return computes(c, s.N, 2*s.K, want, func(be blskernel.Backend) {
		be.Dsyr2k(ul, tA, s.N, s.K, 1, a.data, a.ld, b.data, b.ld, 0, c.data, c.ld)
	})
}

func dsymm(args string, s Shape, r source) *Problem {
	side, ul, n := blas.Side(args[0]), blas.Uplo(args[1]), order(args[0], s)
	a, b := r.draw(symmetric(ul, n)), r.draw(general(blas.NoTrans, s.M, s.N))
	c := b.zero()
	return computes(c, s.N, n, product(side, a.by, b.by), func(be blskernel.Backend) {
		be.Dsymm(side, ul, s.M, s.N, 1, a.data, a.ld, b.data, b.ld, 0, c.data, c.ld)
	})
}

// dgemmtp computes A·D·Aᵀ with B = D·Aᵀ, where the diagonal D has elements 1 and 1/2: B has no
// rounding errors, and the product is symmetric.
func dgemmtp(args string, s Shape, r source) *Problem {
	tA, tB := blas.Transpose(args[0]), blas.Transpose(args[1])
	a, b := r.draw(general(tA, s.N, s.K)), general(tB, s.K, s.N).zero()
	// at returns the position of element (i, j) of op(X).
	at := func(op blas.Transpose, ld, i, j int) int {
		if op != blas.NoTrans {
			i, j = j, i
		}
		return i*ld + j
	}
	for p := range s.K {
		d := math.Ldexp(1, -r.IntN(2))
		for i := range s.N {
			b.data[at(tB, b.ld, p, i)] = d * a.data[at(tA, a.ld, i, p)]
		}
	}
	c := packed(blas.Upper, s.N).zero()
	return computes(c, s.N, s.K, product(blas.Left, a.by, b.by), func(be blskernel.Backend) {
		blskernel.Packed(be).Dgemmtp(tA, tB, s.N, s.K, 1, a.data, a.ld, b.data, b.ld, 0, c.data)
	})
}

func dsprk(args string, s Shape, r source) *Problem {
	tA := blas.Transpose(args[0])
	a, at := r.gram(tA, s.N, s.K)
	c := packed(blas.Upper, s.N).zero()
	return computes(c, s.N, s.K, product(blas.Left, a.by, at.by), func(be blskernel.Backend) {
		blskernel.Packed(be).Dsprk(tA, s.N, s.K, 1, a.data, a.ld, 0, c.data)
	})
}

func dspmm(args string, s Shape, r source) *Problem {
	side, n := blas.Side(args[0]), order(args[0], s)
	a, b := r.draw(packed(blas.Upper, n)), r.draw(general(blas.NoTrans, s.M, s.N))
	c := b.zero()
	return computes(c, s.N, n, product(side, a.by, b.by), func(be blskernel.Backend) {
		blskernel.Packed(be).Dspmm(side, s.M, s.N, 1, a.data, b.data, b.ld, 0, c.data, c.ld)
	})
}

// timesVector returns the problem of y = A·x: a product with one column.
func timesVector(r source, a operand, rows, cols int, do func(be blskernel.Backend, x, y []float64)) *Problem {
	x, y := r.draw(general(blas.NoTrans, cols, 1)), general(blas.NoTrans, rows, 1).zero()
	return computes(y, 1, cols, product(blas.Left, a.by, x.by), func(be blskernel.Backend) { do(be, x.data, y.data) })
}

func dgemv(args string, s Shape, r source) *Problem {
	tA, rows, cols := blas.Transpose(args[0]), s.M, s.N
	if tA != blas.NoTrans {
		rows, cols = cols, rows
	}
	a := r.draw(general(tA, rows, cols))
	return timesVector(r, a, rows, cols, func(be blskernel.Backend, x, y []float64) {
		be.Dgemv(tA, s.M, s.N, 1, a.data, a.ld, x, 1, 0, y, 1)
	})
}

func dsymv(args string, s Shape, r source) *Problem {
	ul := blas.Uplo(args[0])
	a := r.draw(symmetric(ul, s.N))
	return timesVector(r, a, s.N, s.N, func(be blskernel.Backend, x, y []float64) {
		be.Dsymv(ul, s.N, 1, a.data, a.ld, x, 1, 0, y, 1)
	})
}

func dspmv(args string, s Shape, r source) *Problem {
	ul := blas.Uplo(args[0])
	a := r.draw(packed(ul, s.N))
	return timesVector(r, a, s.N, s.N, func(be blskernel.Backend, x, y []float64) {
		be.Dspmv(ul, s.N, 1, a.data, x, 1, 0, y, 1)
	})
}

func ddot(_ string, s Shape, r source) *Problem {
	a := r.draw(general(blas.NoTrans, 1, s.N))
	return timesVector(r, a, 1, s.N, func(be blskernel.Backend, x, y []float64) { y[0] = be.Ddot(s.N, a.data, 1, x, 1) })
}

// inPlace returns the problem of an operation that reads and overwrites c, with n columns, which is
// restored from initial.
func inPlace(c operand, initial []float64, n int, result, expected operator, do call) *Problem {
	return &Problem{
		call: do, reset: func() { copy(c.data, initial) }, most: mostInPlace, signs: n, result: result, expected: expected,
	}
}

// adds returns the problem of adding x·yᵀ to c, again and again: elements grow by at most the largest
// product in a call.
func adds(c operand, x, y []float64, do call) *Problem {
	n := len(y)
	p := inPlace(c, c.copied().data, n, c.by, func(t []float64) []float64 {
		z := c.by(t)
		reference.Daxpy(len(x), reference.Ddot(n, y, 1, t, 1), x, 1, z, 1)
		return z
	}, do)
	p.bound = rounding(n+2, float64(n)*(0.5+float64(largest(x)*largest(y))))
	return p
}

func dger(_ string, s Shape, r source) *Problem {
	x, y := r.draw(general(blas.NoTrans, s.M, 1)).data, r.draw(general(blas.NoTrans, s.N, 1)).data
	a := r.draw(general(blas.NoTrans, s.M, s.N))
	return adds(a, x, y, func(be blskernel.Backend) { be.Dger(s.M, s.N, 1, x, 1, y, 1, a.data, a.ld) })
}

func dsyr(args string, s Shape, r source) *Problem {
	ul := blas.Uplo(args[0])
	x, a := r.draw(general(blas.NoTrans, s.N, 1)).data, r.draw(symmetric(ul, s.N))
	return adds(a, x, x, func(be blskernel.Backend) { be.Dsyr(ul, s.N, 1, x, 1, a.data, a.ld) })
}

func dspr(args string, s Shape, r source) *Problem {
	ul := blas.Uplo(args[0])
	x, a := r.draw(general(blas.NoTrans, s.N, 1)).data, r.draw(packed(ul, s.N))
	return adds(a, x, x, func(be blskernel.Backend) { be.Dspr(ul, s.N, 1, x, 1, a.data) })
}

func daxpy(_ string, s Shape, r source) *Problem {
	column := general(blas.NoTrans, s.N, 1)
	x, y := r.draw(column).data, r.draw(column)
	return adds(y, x, []float64{1}, func(be blskernel.Backend) { be.Daxpy(s.N, 1, x, 1, y.data, 1) })
}

// dtrmm multiplies B by a triangular T: a row of |T| and a column add up to 1 + spread at most.
func dtrmm(args string, s Shape, r source) *Problem {
	side, ul, tA, n := blas.Side(args[0]), blas.Uplo(args[1]), blas.Transpose(args[2]), order(args[0], s)
	a, b := r.nearIdentity(triangular(ul, tA, n), n), r.draw(general(blas.NoTrans, s.M, s.N))
	p := inPlace(b, b.copied().data, s.N, b.by, product(side, a.by, b.by), func(be blskernel.Backend) {
		be.Dtrmm(side, ul, tA, blas.NonUnit, s.M, s.N, 1, a.data, a.ld, b.data, b.ld)
	})
	p.bound = rounding(n+s.N, (1+spread)*float64(s.N)/2)
	return p
}

// dtrsm is checked by its residual: B·t before against op(T)·(X·t) after, or X·(op(T)·t). A solution by
// substitution has |B - T·X| <= γ_n |T|·|X|. Blocked ones multiply by inverses of blocks on the
// diagonal, which costs as much again times the condition of a block, at most (1 + spread)/(1 - spread)
// < 2: three γ_n in all. X is at most 1/(1 - spread) times B.
func dtrsm(args string, s Shape, r source) *Problem {
	side, ul, tA, n := blas.Side(args[0]), blas.Uplo(args[1]), blas.Transpose(args[2]), order(args[0], s)
	a, b := r.nearIdentity(triangular(ul, tA, n), n), r.draw(general(blas.NoTrans, s.M, s.N))
	p := inPlace(b, b.copied().data, s.N, product(side, a.by, b.by), b.by, func(be blskernel.Backend) {
		be.Dtrsm(side, ul, tA, blas.NonUnit, s.M, s.N, 1, a.data, a.ld, b.data, b.ld)
	})
	p.bound = rounding(3*n+s.N, (1+spread)/(1-spread)*float64(s.N)/2)
	return p
}
