package gemm

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
)

func keepAll(i, j int) bool { return true }

func keepHalf(ul blas.Uplo) func(i, j int) bool {
	if ul == blas.Upper {
		return func(i, j int) bool { return i <= j }
	}
	return func(i, j int) bool { return i >= j }
}

var (
	// ConjTrans, the same as Trans, is for gonum's tests.
	transposes = []blas.Transpose{blas.NoTrans, blas.Trans}
	triangles  = []blas.Uplo{blas.Upper, blas.Lower}
	sides      = []blas.Side{blas.Left, blas.Right}
)

// routines lists every product with every option.
func routines() []routine {
	var rs []routine
	add := func(build func(rnd *rand.Rand, m, n, k int, alpha, beta float64) *problem, name string, options ...any) {
		for _, o := range options {
			switch o := o.(type) {
			case blas.Transpose:
				name += fmt.Sprintf("/%c", o)
			case blas.Uplo:
				name += fmt.Sprintf("/%c", o)
			case blas.Side:
				name += fmt.Sprintf("/%c", o)
			}
		}
		rs = append(rs, routine{name, build})
	}
	for _, tA := range transposes {
		for _, tB := range transposes {
			add(func(rnd *rand.Rand, m, n, k int, alpha, beta float64) *problem {
				p := &problem{m: m, n: n, k: k, alpha: alpha, beta: beta, kept: keepAll, c: dense(inResult, m, n, max(1, n)+rnd.IntN(4))}
				p.a, p.A = operand(rnd, tA, m, k)
				p.b, p.B = operand(rnd, tB, k, n)
				p.call = func() { active.Dgemm(tA, tB, m, n, k, alpha, p.a.x, p.a.ld, p.b.x, p.b.ld, beta, p.c.x, p.c.ld) }
				return p
			}, "Dgemm", tA, tB)
			for _, ul := range triangles {
				add(func(rnd *rand.Rand, _, n, k int, alpha, beta float64) *problem {
					p := &problem{m: n, n: n, k: k, alpha: alpha, beta: beta, kept: keepHalf(ul), c: dense(inResult, n, n, max(1, n)+rnd.IntN(4))}
					p.a, p.A = operand(rnd, tA, n, k)
					p.b, p.B = operand(rnd, tB, k, n)
					p.call = func() { active.Dgemmt(ul, tA, tB, n, k, alpha, p.a.x, p.a.ld, p.b.x, p.b.ld, beta, p.c.x, p.c.ld) }
					return p
				}, "Dgemmt", ul, tA, tB)
			}
			add(func(rnd *rand.Rand, m, n, k int, alpha, beta float64) *problem {
				p := &problem{m: m, n: n, k: k, more: 1, alpha: alpha, beta: beta, kept: keepAll, c: dense(inResult, m, n, max(1, n)+rnd.IntN(4))}
				p.a, p.A = operand(rnd, tA, m, k)
				p.b, p.B = operand(rnd, tB, k, n)
				p.diagonal(rnd)
				p.call = func() {
					active.DgemmDiag(tA, tB, m, n, k, alpha, p.a.x, p.a.ld, p.d, p.b.x, p.b.ld, beta, p.c.x, p.c.ld)
				}
				return p
			}, "DgemmDiag", tA, tB)
			add(func(rnd *rand.Rand, m, n, k int, alpha, _ float64) *problem {
				p := &problem{m: m, n: n, k: k, alpha: alpha, kept: keepAll, c: dense(inResult, m, n, max(1, n)+rnd.IntN(4))}
				p.a, p.A = operand(rnd, tA, m, k)
				p.b, p.B = operand(rnd, tB, k, n)
				p.bias = values(rnd, n)
				p.call = func() {
					active.DgemmTanh(tA, tB, m, n, k, alpha, p.a.x, p.a.ld, p.b.x, p.b.ld, p.bias, p.c.x, p.c.ld)
				}
				return p
			}, "DgemmTanh", tA, tB)
			add(func(rnd *rand.Rand, _, n, k int, alpha, beta float64) *problem {
				p := &problem{m: n, n: n, k: k, alpha: alpha, beta: beta, kept: keepHalf(blas.Upper), c: packedUpper(inResult, n)}
				p.a, p.A = operand(rnd, tA, n, k)
				p.b, p.B = operand(rnd, tB, k, n)
				p.call = func() { active.Dgemmtp(tA, tB, n, k, alpha, p.a.x, p.a.ld, p.b.x, p.b.ld, beta, p.c.x) }
				return p
			}, "Dgemmtp", tA, tB)
		}
		for _, ul := range triangles {
			add(func(rnd *rand.Rand, _, n, k int, alpha, beta float64) *problem {
				p := &problem{m: n, n: n, k: k, alpha: alpha, beta: beta, kept: keepHalf(ul), c: dense(inResult, n, n, max(1, n)+rnd.IntN(4))}
				p.a, p.A = operand(rnd, tA, n, k)
				p.b, p.B = p.a, func(i, j int) float64 { return p.A(j, i) }
				p.call = func() { active.Dsyrk(ul, tA, n, k, alpha, p.a.x, p.a.ld, beta, p.c.x, p.c.ld) }
				return p
			}, "Dsyrk", ul, tA)
			add(func(rnd *rand.Rand, _, n, k int, alpha, beta float64) *problem {
				// (A B)·(B A)ᵀ
				p := &problem{m: n, n: n, k: 2 * k, alpha: alpha, beta: beta, kept: keepHalf(ul), c: dense(inResult, n, n, max(1, n)+rnd.IntN(4))}
				var a, b func(i, j int) float64
				p.a, a = operand(rnd, tA, n, k)
				p.b, b = operand(rnd, tA, n, k)
				p.A = func(i, l int) float64 {
					if l < k {
						return a(i, l)
					}
					return b(i, l-k)
				}
				p.B = func(l, j int) float64 {
					if l < k {
						return b(j, l)
					}
					return a(j, l-k)
				}
				p.call = func() { active.Dsyr2k(ul, tA, n, k, alpha, p.a.x, p.a.ld, p.b.x, p.b.ld, beta, p.c.x, p.c.ld) }
				return p
			}, "Dsyr2k", ul, tA)
		}
		add(func(rnd *rand.Rand, _, n, k int, alpha, beta float64) *problem {
			p := &problem{m: n, n: n, k: k, more: 1, alpha: alpha, beta: beta, kept: keepHalf(blas.Upper), c: packedUpper(inResult, n)}
			p.a, p.A = operand(rnd, tA, n, k)
			p.b, p.B = p.a, func(i, j int) float64 { return p.A(j, i) }
			p.diagonal(rnd)
			p.call = func() { active.DsprkDiag(tA, n, k, alpha, p.a.x, p.a.ld, p.d, beta, p.c.x) }
			return p
		}, "DsprkDiag", tA)
		add(func(rnd *rand.Rand, _, n, k int, alpha, beta float64) *problem {
			p := &problem{m: n, n: n, k: k, alpha: alpha, beta: beta, kept: keepHalf(blas.Upper), c: packedUpper(inResult, n)}
			p.a, p.A = operand(rnd, tA, n, k)
			p.b, p.B = p.a, func(i, j int) float64 { return p.A(j, i) }
			p.call = func() { active.Dsprk(tA, n, k, alpha, p.a.x, p.a.ld, beta, p.c.x) }
			return p
		}, "Dsprk", tA)
	}
	for _, side := range sides {
		symm := func(rnd *rand.Rand, s func(n int) store, ul blas.Uplo, m, n int, alpha, beta float64) *problem {
			p := &problem{m: m, n: n, k: m, alpha: alpha, beta: beta, kept: keepAll, c: dense(inResult, m, n, max(1, n)+rnd.IntN(4))}
			if side == blas.Right {
				p.k = n
			}
			p.a, p.A = symmetric(rnd, s(p.k), ul, p.k)
			p.b, p.B = operand(rnd, blas.NoTrans, m, n)
			return p
		}
		exchange := func(p *problem) {
			if side == blas.Right {
				p.A, p.B = p.B, p.A
			}
		}
		for _, ul := range triangles {
			add(func(rnd *rand.Rand, m, n, _ int, alpha, beta float64) *problem {
				p := symm(rnd, func(n int) store { return dense(inOperand, n, n, max(1, n)+rnd.IntN(4)) }, ul, m, n, alpha, beta)
				exchange(p)
				p.call = func() { active.Dsymm(side, ul, m, n, alpha, p.a.x, p.a.ld, p.b.x, p.b.ld, beta, p.c.x, p.c.ld) }
				return p
			}, "Dsymm", side, ul)
		}
		add(func(rnd *rand.Rand, m, n, _ int, alpha, beta float64) *problem {
			p := symm(rnd, func(n int) store { return packedUpper(inOperand, n) }, blas.Upper, m, n, alpha, beta)
			exchange(p)
			p.call = func() { active.Dspmm(side, m, n, alpha, p.a.x, p.b.x, p.b.ld, beta, p.c.x, p.c.ld) }
			return p
		}, "Dspmm", side)
	}
	return rs
}
