package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A tile is what gemm holds in registers: rows×vectors accumulators, of which the last vector of a row
// may be a part of one (masked).
//
//	AVX-512   8×24: 24 accumulators, 3 vectors of B, 5 broadcast elements of A in flight: 32 registers
//	AVX2       6×8: 12 accumulators, 2 vectors of B, 2 broadcast elements of A: 16 registers
//
// A step of the sum loads rows + vectors operands for rows·vectors multiply-adds: 11 for 24 where the
// CPU can begin one 512-bit load for each multiply-add, and 8 for 12 with AVX2.
type tile struct {
	rows, vectors int
	masked        bool
}

// largest is the tile of the instruction set.
func largest(i isa) tile {
	if i.lanes == 8 {
		return tile{rows: 8, vectors: 3}
	}
	return tile{rows: 6, vectors: 2}
}

// steps is how many steps of the sum one turn of the loop takes.
const steps = 4

// gemmArguments are what lives through a call of gemm, on the stack unless it is used in every step.
// Strides are in bytes.
type gemmArguments struct {
	rowB                 reg.GPVirtual
	b, c, n              operand.Op   // the panel (nil if there is none), the tile, and the columns that are left
	ldc                  operand.Mem  // the distance between rows of C
	mask                 reg.Register // of the last vector: a mask register or a pointer to a mask
	next, nextCol        operand.Mem  // what of A is prefetched with the next tile, and the distance between its columns
	mode                 operand.Mem  // how C is made, see setMode
	closerRow, closerCol operand.Mem  // by how much rows, or columns, of A get closer one after the other
}

// gemm is the strip kernel, in Go
//
//	for jr := 0; jr < n; jr += NR {
//		for i := range m {
//			for j := range min(NR, n-jr) {
//				var s float64
//				for p := range k {
//					s = FMA(a[at(i, p)], b[jr/NR*panelB+p*rowB+j], s)
//				}
//				switch at := i*ldc + jr + j; store {
//				case Overwrite:
//					c[at] = alpha * s
//				case AddPacked:
//					at -= i * (i - 1) / 2
//					fallthrough
//				case Add:
//					c[at] = FMA(alpha, s, c[at])
//				}
//			}
//		}
//	}
//
// where at(i, p) is
//
//	i*rowA + p*colA              if formA is Even,
//	i*rowA + p*colA - i*(i-1)/2  if formA is PackedRows,
//	i*rowA + p*colA - p*(p-1)/2  if formA is PackedColumns,
//
// with one block of code for each number of rows, each of which has one for whole tiles and one for
// each number of vectors at the right edge.
func gemm(g *generator) {
	full := largest(g.isa)
	g.function("gemm", "func(m, n, k int, alpha float64, a *float64, rowA, colA int, formA uint8, b *float64, rowB, panelB int, store uint8, c *float64, ldc int)",
		fmt.Sprintf("is Kernel.Gemm with MR = %d and NR = %d. The reference is gemmGeneric.", full.rows, full.vectors*g.lanes))
	x := gemmArguments{
		rowB: g.bytes("rowB"), b: g.parameter("b"), c: g.parameter("c"), n: g.parameter("n"), ldc: g.AllocLocal(8),
		next: g.AllocLocal(8), nextCol: g.AllocLocal(8), mode: g.AllocLocal(8),
		closerRow: g.AllocLocal(8), closerCol: g.AllocLocal(8),
	}
	g.MOVQ(g.bytes("ldc"), x.ldc)
	g.setForm(x)
	if g.lanes == 8 {
		x.mask = g.K()
	} else {
		x.mask = g.GP64()
	}
	g.setMode(x)
	g.prefetchBegin(x)
	for r := full.rows; r > 1; r-- {
		g.CMPQ(g.parameter("m"), operand.Imm(uint64(r)))
		g.JEQ(operand.LabelRef(fmt.Sprintf("rows%d", r)))
	}
	for r := 1; r <= full.rows; r++ {
		g.Label(fmt.Sprintf("rows%d", r))
		g.columns(x, tile{rows: r, vectors: full.vectors}, func(t tile) { g.tile(x, t) })
	}
	g.Label("done")
	g.ret()
}

// columns writes the loop over the columns of a strip of C, of which x.n are left, for one number of
// rows: whole tiles, and one block of code for each number of vectors that may be left at the right
// edge.
func (g *generator) columns(x gemmArguments, t tile, write func(tile)) {
	whole, edge := fmt.Sprintf("whole%d", t.rows), fmt.Sprintf("edge%d", t.rows)
	width := t.vectors * g.lanes
	g.Label(whole)
	g.CMPQ(x.n, operand.Imm(uint64(width)))
	g.JLT(operand.LabelRef(edge))
	write(t)
	if x.b != nil {
		g.ADDQ(g.bytes("panelB"), x.b)
	}
	g.ADDQ(operand.Imm(uint64(8*width)), x.c)
	g.SUBQ(operand.Imm(uint64(width)), x.n)
	g.JMP(operand.LabelRef(whole))

	g.Label(edge)
	g.CMPQ(x.n, operand.Imm(0))
	g.JEQ(operand.LabelRef("done"))
	for v := 1; v <= t.vectors; v++ {
		next := fmt.Sprintf("edge%d_%d", t.rows, v+1)
		if v < t.vectors {
			g.CMPQ(x.n, operand.Imm(uint64(v*g.lanes)))
			g.JGT(operand.LabelRef(next))
		}
		g.setMask(x, v)
		write(tile{t.rows, v, true})
		g.JMP(operand.LabelRef("done"))
		if v < t.vectors {
			g.Label(next)
		}
	}
}

// setMask makes the mask for n - (v-1)·lanes elements of a vector.
func (g *generator) setMask(x gemmArguments, v int) {
	rest := g.GP64()
	g.MOVQ(x.n, rest)
	g.SUBQ(operand.Imm(uint64((v-1)*g.lanes)), rest)
	g.maskOf(rest, x.mask)
}

// tile writes the computation of one tile of C.
func (g *generator) tile(x gemmArguments, t tile) {
	name := fmt.Sprintf("r%dv%d", t.rows, t.vectors)
	if t.masked {
		name += "m"
	}
	k, late := g.argument("k"), reg.GPVirtual(nil)
	if t == largest(g.isa) {
		late = g.prefetch(x, k)
	}
	a := g.rowsOfA(x, t.rows)
	b := g.GP64()
	g.MOVQ(x.b, b)
	acc := func(r, v int) reg.VecPhysical { return g.register(r*t.vectors + v) }
	rows := func(v int) reg.VecPhysical { return g.register(t.rows*t.vectors + v) }
	free := t.rows*t.vectors + t.vectors // the first register that is left
	for r := range t.rows {
		for v := range t.vectors {
			g.zero(acc(r, v))
		}
	}
	step := func() {
		for v := range t.vectors {
			g.load(x, t, g.at(b, v), v, rows(v))
		}
		if t == largest(g.isa) {
			for v := range t.vectors {
				g.PREFETCHT0(operand.Mem{Base: b, Index: x.rowB, Scale: 8, Disp: 8 * g.lanes * v})
			}
		}
		g.ADDQ(x.rowB, b)
		for r := range t.rows {
			if g.lanes == 8 && t.vectors == 1 {
				// One load either way, and without a register between it has twice the throughput on
				// Zen 4.
				g.VFMADD231PD_BCST(a.row(r), rows(0), acc(r, 0))
				continue
			}
			element := g.register(free + r%(g.vecs-free))
			g.VBROADCASTSD(a.row(r), element)
			for v := range t.vectors {
				g.VFMADD231PD(rows(v), element, acc(r, v))
			}
		}
		g.ADDQ(a.col, a.offset)
		g.SUBQ(x.closerCol, a.col)
	}
	g.SUBQ(operand.Imm(steps), k)
	g.JLT(operand.LabelRef(name + "rest"))
	g.Label(name + "loop")
	for range steps {
		step()
	}
	g.SUBQ(operand.Imm(steps), k)
	g.JGE(operand.LabelRef(name + "loop"))
	g.Label(name + "rest")
	if late != nil {
		g.TESTQ(late, late)
		g.JEQ(operand.LabelRef(name + "last"))
		g.prefetchC(x, t)
		g.LEAQ(operand.Mem{Base: late, Disp: -steps}, k)
		g.XORQ(late, late)
		g.JMP(operand.LabelRef(name + "loop"))
		g.Label(name + "last")
	}
	g.ADDQ(operand.Imm(steps), k)
	g.JEQ(operand.LabelRef(name + "store"))
	g.Label(name + "one")
	step()
	g.DECQ(k)
	g.JNE(operand.LabelRef(name + "one"))

	g.Label(name + "store")
	first, ldc := g.GP64(), g.GP64()
	g.MOVQ(x.c, first)
	g.MOVQ(x.ldc, ldc)
	c := g.stack(first, ldc, t.rows)
	alpha, old := rows(0), g.register(free)
	g.CMPQ(x.mode, operand.Imm(modeProduct))
	g.JEQ(operand.LabelRef(name + "product"))
	g.VBROADCASTSD(g.parameter("alpha"), alpha)
	g.JLT(operand.LabelRef(name + "scaled"))
	add := func(shorter func(r int) int) {
		for r := range t.rows {
			for v := range t.vectors {
				m := c.row(r, v*8*g.lanes-8*shorter(r))
				if t.masked && v == t.vectors-1 {
					g.load(x, t, m, v, old)
					g.VFMADD213PD(old, alpha, acc(r, v))
				} else {
					g.VFMADD213PD(m, alpha, acc(r, v))
				}
				g.store(x, t, acc(r, v), v, m, old)
			}
		}
		g.JMP(operand.LabelRef(name + "end"))
	}
	if t.rows > leastPacked {
		g.CMPQ(x.mode, operand.Imm(modePacked))
		g.JEQ(operand.LabelRef(name + "packed"))
	}
	add(equal)
	if t.rows > leastPacked {
		g.Label(name + "packed")
		add(packed)
	}
	g.Label(name + "scaled")
	for r := range t.rows {
		for v := range t.vectors {
			g.VMULPD(alpha, acc(r, v), acc(r, v))
		}
	}
	g.Label(name + "product")
	for r := range t.rows {
		for v := range t.vectors {
			g.store(x, t, acc(r, v), v, c.row(r, v*8*g.lanes), old)
		}
	}
	g.Label(name + "end")
}

// equal and packed say how many elements row r of C lies before r·ldc, in a matrix with equal distances
// between rows and in packed storage. In a tile of up to leastPacked rows there is no difference.
func equal(int) int { return 0 }

func packed(r int) int { return r * (r - 1) / 2 }

const leastPacked = 2

// The modes: C = alpha·A·B, C = A·B, and C = alpha·A·B + C in equally distant or packed rows, in an
// order that one comparison tells apart.
const (
	modeScaled = iota
	modeProduct
	modeAdd
	modePacked
)

// setMode sets the mode from the arguments store and alpha.
func (g *generator) setMode(x gemmArguments) {
	store := g.GP64()
	g.MOVBQZX(g.parameter("store"), store)
	g.ADDQ(operand.Imm(modeAdd-1), store)
	g.MOVQ(store, x.mode)
	g.CMPQ(store, operand.Imm(modeAdd))
	g.JGE(operand.LabelRef("moded"))
	g.MOVQ(operand.U32(modeScaled), x.mode)
	one := g.GP64()
	g.MOVQ(operand.U64(math.Float64bits(1)), one)
	g.CMPQ(one, g.parameter("alpha"))
	g.JNE(operand.LabelRef("moded"))
	g.MOVQ(operand.U32(modeProduct), x.mode)
	g.Label("moded")
}

// prefetched is the length, in steps of the sum, of the part of the next strip's A that is prefetched
// with each tile, to the second level of cache: the strip after this one will read it first thing, when
// nothing else is there to do. Strips shorter than leastPrefetched do without, and request the tile of
// C at once.
const (
	prefetched      = 32
	leastPrefetched = 96
	lateSteps       = 64
)

// prefetchBegin sets the address of what the first tile prefetches: the row of A after the last of a
// full strip.
func (g *generator) prefetchBegin(x gemmArguments) {
	rows := uint32(largest(g.isa).rows)
	p, closer := g.bytes("rowA"), g.GP64()
	g.IMUL3Q(operand.U32(rows), p, p)
	g.MOVQ(x.closerRow, closer)
	g.IMUL3Q(operand.U32(rows*(rows-1)/2), closer, closer)
	g.SUBQ(closer, p)
	g.ADDQ(g.parameter("a"), p)
	g.MOVQ(p, x.next)
	g.MOVQ(g.bytes("colA"), x.nextCol)
}

// prefetch splits the sum of k steps into k and then late steps, between which the tile of C is
// requested: earlier it would be displaced again by the panel of B that streams through the first level
// of cache. late is zero for short sums. And it requests the next part of the next strip of A: rows×4
// lines that are 64 bytes apart in rows rowA apart if A is stored by rows, and otherwise one line every
// colA. Of columns that get closer every fourth is where it belongs, and the others less than a line
// beside.
func (g *generator) prefetch(x gemmArguments, k reg.GPVirtual) (late reg.GPVirtual) {
	late = g.GP64()
	id := g.unique()
	done, byRows, loop := "fetched"+id, "fetch"+id, "fetching"+id
	g.XORQ(late, late)
	g.CMPQ(k, operand.Imm(leastPrefetched))
	g.JGE(operand.LabelRef("long" + id))
	g.prefetchC(x, largest(g.isa))
	g.JMP(operand.LabelRef(done))
	g.Label("long" + id)
	g.MOVQ(k, late)
	g.SUBQ(operand.Imm(lateSteps), k)
	g.ANDQ(operand.I32(-steps), k)
	g.SUBQ(k, late)
	p, line, row, count := g.GP64(), g.GP64(), g.GP64(), g.GP64()
	g.MOVQ(x.next, p)
	g.MOVQ(operand.U32(8), count)
	g.CMPQ(x.nextCol, operand.Imm(8))
	g.JEQ(operand.LabelRef(byRows))

	g.MOVQ(x.nextCol, line)
	byCols := "fetchColumns" + id
	g.Label(byCols)
	g.PREFETCHT1(operand.Mem{Base: p})
	g.PREFETCHT1(operand.Mem{Base: p, Index: line, Scale: 1})
	g.PREFETCHT1(operand.Mem{Base: p, Index: line, Scale: 2})
	g.LEAQ(operand.Mem{Base: line, Index: line, Scale: 2}, row)
	g.PREFETCHT1(operand.Mem{Base: p, Index: row, Scale: 1})
	g.ADDQ(line, row)
	g.ADDQ(row, p)
	g.MOVQ(x.closerCol, row)
	g.LEAQ(operand.Mem{Base: row, Index: row, Scale: 2}, row)
	g.SUBQ(row, p) // 0 + 1 + 2 + 3 times closerCol
	g.SUBQ(row, p)
	g.MOVQ(x.closerCol, row)
	g.SHLQ(operand.Imm(2), row)
	g.SUBQ(row, line)
	g.DECQ(count)
	g.JNE(operand.LabelRef(byCols))
	g.MOVQ(p, x.next)
	g.MOVQ(line, x.nextCol)
	g.JMP(operand.LabelRef(done))

	g.Label(byRows)
	g.MOVQ(g.bytes("rowA"), row)
	g.MOVQ(x.closerRow, line)
	g.SHLQ(operand.Imm(3), line)
	g.SUBQ(line, row)
	g.ADDQ(operand.U32(256), x.next)
	g.Label(loop)
	for i := range 4 {
		g.PREFETCHT1(operand.Mem{Base: p, Disp: 64 * i})
	}
	g.ADDQ(row, p)
	g.SUBQ(x.closerRow, row)
	g.DECQ(count)
	g.JNE(operand.LabelRef(loop))
	g.Label(done)
	return late
}

// prefetchC requests the tile of C.
func (g *generator) prefetchC(x gemmArguments, t tile) {
	id, c := g.unique(), g.GP64()
	request := func(shorter func(r int) int) {
		g.MOVQ(x.c, c)
		for r := range t.rows {
			for v := range t.vectors {
				g.PREFETCHT0(operand.Mem{Base: c, Disp: v*8*g.lanes - 8*shorter(r)})
			}
			g.ADDQ(x.ldc, c)
		}
	}
	g.CMPQ(x.mode, operand.Imm(modePacked))
	g.JEQ(operand.LabelRef("requestPacked" + id))
	request(equal)
	g.JMP(operand.LabelRef("requested" + id))
	g.Label("requestPacked" + id)
	request(packed)
	g.Label("requested" + id)
}

// load loads vector v of a row, masked if it is the last of a masked tile.
func (g *generator) load(x gemmArguments, t tile, m operand.Mem, v int, dst reg.Register) {
	switch {
	case !t.masked || v < t.vectors-1:
		g.VMOVUPD(m, dst)
	case g.lanes == 8:
		g.VMOVUPD_Z(m, x.mask, dst)
	default: // dst holds the mask first: there is no register for it
		g.VMOVUPD(operand.Mem{Base: x.mask}, dst)
		g.VMASKMOVPD(m, dst, dst)
	}
}

// store stores vector v of a row, masked as for load; spare may be lost.
func (g *generator) store(x gemmArguments, t tile, src reg.Register, v int, m operand.Mem, spare reg.Register) {
	switch {
	case !t.masked || v < t.vectors-1:
		g.VMOVUPD(src, m)
	case g.lanes == 8:
		g.VMOVUPD(src, x.mask, m)
	default:
		g.VMOVUPD(operand.Mem{Base: x.mask}, spare)
		g.VMASKMOVPD(src, spare, m)
	}
}

// A stack of rows gives addresses of rows that are stride bytes apart by pointers to every third one:
// an address has room for once or twice the stride.
type stack struct {
	pointers []reg.GPVirtual
	stride   reg.GPVirtual
}

// stack makes the pointers for n rows; first is the pointer to the first.
func (g *generator) stack(first, stride reg.GPVirtual, n int) stack {
	s := stack{[]reg.GPVirtual{first}, stride}
	for len(s.pointers)*3 < n {
		p, last := g.GP64(), s.pointers[len(s.pointers)-1]
		g.LEAQ(operand.Mem{Base: last, Index: stride, Scale: 2}, p)
		g.ADDQ(stride, p)
		s.pointers = append(s.pointers, p)
	}
	return s
}

// row is the address disp bytes after the beginning of row r.
func (s stack) row(r, disp int) operand.Mem {
	m := operand.Mem{Base: s.pointers[r/3], Disp: disp}
	if r%3 > 0 {
		m.Index, m.Scale = s.stride, uint8(r%3)
	}
	return m
}

// rowsOfA are the rows of A that a tile reads: one pointer to each, since the distance between them may
// change, and the offset of the step in all of them.
type rowsOfA struct {
	pointers    []reg.GPVirtual
	offset, col reg.GPVirtual
}

// rowsOfA makes the pointers for n rows.
func (g *generator) rowsOfA(x gemmArguments, n int) rowsOfA {
	a := rowsOfA{[]reg.GPVirtual{g.argument("a")}, g.GP64(), g.bytes("colA")}
	distance := g.bytes("rowA")
	for r := 1; r < n; r++ {
		p := g.GP64()
		g.LEAQ(operand.Mem{Base: a.pointers[r-1], Index: distance, Scale: 1}, p)
		g.SUBQ(x.closerRow, distance)
		a.pointers = append(a.pointers, p)
	}
	g.XORQ(a.offset, a.offset)
	return a
}

// row is the address of the element of row r.
func (a rowsOfA) row(r int) operand.Mem {
	return operand.Mem{Base: a.pointers[r], Index: a.offset, Scale: 1}
}

// setForm sets by how much rows or columns of A get closer from the argument formA: 0, 1 for rows, 2
// for columns.
func (g *generator) setForm(x gemmArguments) {
	form, one := g.GP64(), g.GP64()
	g.MOVBQZX(g.parameter("formA"), form)
	g.MOVQ(form, one)
	g.ANDQ(operand.Imm(1), one)
	g.SHLQ(operand.Imm(3), one)
	g.MOVQ(one, x.closerRow)
	g.ANDQ(operand.Imm(2), form)
	g.SHLQ(operand.Imm(2), form)
	g.MOVQ(form, x.closerCol)
}
