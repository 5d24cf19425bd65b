package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rotateSweeps is the number of sweeps that rotate applies at once. One alone reads and writes a row
// for three multiply-adds of each vector, and reaches 0.6 of the peak with AVX-512 on Zen 5.
const rotateSweeps = 4

// rotate is the loop
//
//	for w := range m {
//		for j := range k {
//			t, s := ts[w*ldt+2*j], ts[w*ldt+2*j+1]
//			for i := range n {
//				x, y := &a[(j-w)*lda+i], &a[(j-w+1)*lda+i]
//				*x = FMA(t, *y, *x)
//				*y = FMA(-s, *x, *y)
//				*x = FMA(t, *y, *x)
//			}
//		}
//	}
//
// for m = 1 or m = rotateSweeps. The loop over j is outside of that over w: step j reads row j+1,
// rotates it with row j, that with row j-1, and so on, and writes row j-m+1. The rows between stay in
// registers for the next step, which is one of m+1 that differ in the names of registers.
func rotate(g *generator) {
	g.function("rotate", "func(m, k, n int, ts *float64, ldt int, a *float64, lda int)",
		"is Kernel.Rotate. The reference is drotateGeneric.")
	r := rotating{g, g.argument("n"), g.argument("a"), g.bytes("ldt"), g.bytes("lda")}
	counts := []int{2}
	if g.lanes == 8 {
		counts = []int{4, 2, 1}
	}
	g.compare(g.argument("m"), operand.Imm(1), g.JE, "single")
	for range rotateSweeps - 1 {
		g.SUBQ(r.lda, r.a)
	}
	r.strips(rotateSweeps, counts)
	g.ret()
	g.Label("single")
	r.strips(1, counts)
	g.ret()
}

// A rotating has the arguments of rotate; a is the first row, and moves from strip to strip.
type rotating struct {
	*generator
	n, a, ldt, lda reg.GPVirtual
}

// strips writes the loops over strips of so many vectors of columns.
func (r rotating) strips(sweeps int, counts []int) {
	for _, count := range counts {
		label := fmt.Sprintf("rotate%dx%d", sweeps, count)
		r.while(label, r.n, count*r.lanes, []reg.GPVirtual{r.a}, func() { r.strip(label+"_", sweeps, count) })
	}
}

// strip writes one strip. In step j row i is in registers ((i-j+m-1) mod (m+1))·count and the
// following.
func (r rotating) strip(label string, sweeps, count int) {
	t, s := r.register(r.vecs-1), r.register(r.vecs-2)
	row := func(i, v int) reg.VecPhysical { return r.register(i%(sweeps+1)*count + v) }
	oldest, newest, k, ts, ldt3 := r.GP64(), r.GP64(), r.argument("k"), r.argument("ts"), r.GP64()
	r.LEAQ(operand.Mem{Base: r.ldt, Index: r.ldt, Scale: 2}, ldt3)
	r.MOVQ(r.a, oldest)
	r.MOVQ(r.a, newest)
	for i := range sweeps {
		for v := range count {
			r.VMOVUPD(r.at(newest, v), row(i, v))
		}
		r.ADDQ(r.lda, newest)
	}
	shears := []operand.Mem{{Base: ts}, {Base: ts, Index: r.ldt, Scale: 1}, {Base: ts, Index: r.ldt, Scale: 2}, {Base: ts, Index: ldt3, Scale: 1}}
	r.Label(label + "loop")
	for step := range sweeps + 1 {
		for v := range count {
			r.VMOVUPD(r.at(newest, v), row(step+sweeps, v))
		}
		for w, m := range shears[:sweeps] {
			r.VBROADCASTSD(m, t)
			r.VBROADCASTSD(m.Offset(8), s)
			x, y := step+sweeps-1-w, step+sweeps-w
			for v := range count {
				r.VFMADD231PD(row(y, v), t, row(x, v))
			}
			for v := range count {
				r.VFNMADD231PD(row(x, v), s, row(y, v))
			}
			for v := range count {
				r.VFMADD231PD(row(y, v), t, row(x, v))
			}
		}
		for v := range count {
			r.VMOVUPD(row(step, v), r.at(oldest, v))
		}
		r.ADDQ(r.lda, oldest)
		r.ADDQ(r.lda, newest)
		r.ADDQ(operand.Imm(16), ts)
		r.DECQ(k)
		r.JZ(operand.LabelRef(fmt.Sprint(label, "last", step)))
	}
	r.JMP(operand.LabelRef(label + "loop"))
	for step := range sweeps + 1 {
		r.Label(fmt.Sprint(label, "last", step))
		for i := range sweeps {
			for v := range count {
				r.VMOVUPD(row(step+1+i, v), r.at(oldest, v))
			}
			r.ADDQ(r.lda, oldest)
		}
		if step < sweeps {
			r.JMP(operand.LabelRef(label + "end"))
		}
	}
	r.Label(label + "end")
}
