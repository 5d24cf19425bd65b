package gemm

import (
	"fmt"
	"math/rand/v2"

	"blskernel/internal/linalg/block"

	"gonum.org/v1/gonum/blas"
)

var (
	// ConjTrans, the same as Trans, is for gonum's tests.
	transposes = []blas.Transpose{blas.NoTrans, blas.Trans}
	triangles  = []blas.Uplo{blas.Upper, blas.Lower}
	sides      = []blas.Side{blas.Left, blas.Right}
)

func routines() (rs []routine) {
	// add adds a routine that computes alpha·op(A)·op(B) + beta·C, for a square C if square; finish
	// sets its result and its call.
	add := func(name string, square bool, tA, tB blas.Transpose, finish func(rnd *rand.Rand, p *problem)) {
		rs = append(rs, routine{name, func(rnd *rand.Rand, m, n, k int, alpha, beta float64) *problem {
			if square {
				m = n
			}
			p := &problem{m: m, n: n, k: k, alpha: alpha, beta: beta}
			p.a, p.b = operand(rnd, tA, m, k), operand(rnd, tB, k, n)
			finish(rnd, p)
			return p
		}})
	}
	for _, tA := range transposes {
		for _, tB := range transposes {
			op := fmt.Sprintf("/%c/%c", tA, tB)
			add("Dgemm"+op, false, tA, tB, func(rnd *rand.Rand, p *problem) {
				p.whole(rnd)
				p.call = func() {
					active.Dgemm(tA, tB, p.m, p.n, p.k, p.alpha, p.a.x, p.a.ld, p.b.x, p.b.ld, p.beta, p.c.x, p.c.ld)
				}
			})
			add("DgemmTanh"+op, false, tA, tB, func(rnd *rand.Rand, p *problem) {
				p.whole(rnd)
				p.beta, p.bias = 0, values(rnd, p.n)
				p.call = func() {
					active.DgemmTanh(tA, tB, p.m, p.n, p.k, p.alpha, p.a.x, p.a.ld, p.b.x, p.b.ld, p.bias, p.c.x, p.c.ld)
				}
			})
			add("Dgemmtp"+op, true, tA, tB, func(_ *rand.Rand, p *problem) {
				p.packed()
				p.call = func() { active.Dgemmtp(tA, tB, p.n, p.k, p.alpha, p.a.x, p.a.ld, p.b.x, p.b.ld, p.beta, p.c.x) }
			})
			for _, ul := range triangles {
				add(fmt.Sprintf("Dgemmt/%c%s", ul, op), true, tA, tB, func(rnd *rand.Rand, p *problem) {
					p.half(rnd, ul)
					p.call = func() {
						active.Dgemmt(ul, tA, tB, p.n, p.k, p.alpha, p.a.x, p.a.ld, p.b.x, p.b.ld, p.beta, p.c.x, p.c.ld)
					}
				})
			}
		}
		op := fmt.Sprintf("/%c", tA)
		add("Dsprk"+op, true, tA, block.Other(tA), func(_ *rand.Rand, p *problem) {
			p.packed()
			p.call = func() { active.Dsprk(tA, p.n, p.k, p.alpha, p.a.x, p.a.ld, p.beta, p.c.x) }
		})
		add("BlockSyrk"+op, true, tA, block.Other(tA), func(rnd *rand.Rand, p *problem) {
			p.packed()
			p.d, p.beta = values(rnd, p.k), 1
			p.call = func() {
				a, c := block.Dense(p.a.x, p.a.ld), block.Packed(p.n, p.c.x, 0, 0)
				active.BlockSyrk(tA, p.n, p.k, p.alpha, a, p.d, c)
			}
		})
		for _, ul := range triangles {
			add(fmt.Sprintf("Dsyrk/%c%s", ul, op), true, tA, block.Other(tA), func(rnd *rand.Rand, p *problem) {
				p.half(rnd, ul)
				p.call = func() { active.Dsyrk(ul, tA, p.n, p.k, p.alpha, p.a.x, p.a.ld, p.beta, p.c.x, p.c.ld) }
			})
			add(fmt.Sprintf("Dsyr2k/%c%s", ul, op), true, tA, block.Other(tA), func(rnd *rand.Rand, p *problem) {
				p.half(rnd, ul)
				p.call = func() {
					active.Dsyr2k(ul, tA, p.n, p.k, p.alpha, p.a.x, p.a.ld, p.b.x, p.b.ld, p.beta, p.c.x, p.c.ld)
				}
			})
		}
	}
	for _, side := range sides {
		// symm adds a routine with a symmetric matrix of order n, stored as made.
		symm := func(name string, ul blas.Uplo, made func(rnd *rand.Rand, n int) store, call func(p *problem)) {
			rs = append(rs, routine{name, func(rnd *rand.Rand, m, n, _ int, alpha, beta float64) *problem {
				p := &problem{m: m, n: n, k: m, alpha: alpha, beta: beta}
				if side == blas.Right {
					p.k = n
				}
				p.a = made(rnd, p.k).fill(p.k, p.k, keepHalf(ul), func() float64 { return value(rnd) })
				p.b = operand(rnd, blas.NoTrans, m, n)
				p.whole(rnd)
				p.call = func() { call(p) }
				return p
			}})
		}
		for _, ul := range triangles {
			symm(fmt.Sprintf("Dsymm/%c/%c", side, ul), ul, func(rnd *rand.Rand, n int) store {
				return newDense(inOperand, n, n, max(1, n)+rnd.IntN(4))
			}, func(p *problem) {
				active.Dsymm(side, ul, p.m, p.n, p.alpha, p.a.x, p.a.ld, p.b.x, p.b.ld, p.beta, p.c.x, p.c.ld)
			})
		}
		symm(fmt.Sprintf("Dspmm/%c", side), blas.Upper, func(_ *rand.Rand, n int) store {
			return packedUpper(inOperand, n)
		}, func(p *problem) {
			active.Dspmm(side, p.m, p.n, p.alpha, p.a.x, p.b.x, p.b.ld, p.beta, p.c.x, p.c.ld)
		})
	}
	return rs
}
