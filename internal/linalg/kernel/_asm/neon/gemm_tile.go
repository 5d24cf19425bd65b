package neon

import "blskernel/internal/linalg/kernel/_asm/spec"

// The registers of a step: the vectors of B, and then turnsA registers that rows of A use in turn.
const (
	registerB = vector(tileRows * tileColumns / 2)
	registerA = registerB + tileColumns/2
	turnsA    = 32 - int(registerA)
)

func (x gemmCode) tile(t tile) {
	x.clear(t)
	x.sum(t)
	x.end(t)
}

// clear sets the accumulators to zero, or to alpha·C if store is Continue.
func (x gemmCode) clear(t tile) {
	store := x.general()
	more, begun := x.unique("continue"), x.unique("begun")
	x.op("MOVBU", x.argument("store"), store)
	x.jumpIf(store, equal, spec.StoreContinue, more)
	for i := range vector(t.rows * t.vectors()) {
		x.zero(i)
	}
	x.jump(begun)
	x.here(more)
	x.loadOneArgument("alpha", registerB)
	x.eachRowOfC(t.rows, func(r int, p general) {
		t.row(x.generator).load(p, t.at(r, 0))
		for v := range t.vectors() {
			x.fmulLane(t.at(r, v), registerB, 0, t.at(r, v))
		}
	})
	x.here(begun)
	x.release(store)
}

// sum writes the loop over k. A full tile prefetches C first.
func (x gemmCode) sum(t tile) {
	full := t == tile{tileRows, tileColumns}
	x.op("MOVD", x.argument("k"), x.k)
	if full {
		x.prefetchC()
	}
	x.op("MOVD", "ZR", x.offset)
	x.op("MOVD", x.b, x.bp)
	one, store := x.unique("one"), x.unique("store")
	if t.whole() {
		loop, rest := x.unique("loop"), x.unique("rest")
		x.op("SUBS", steps, x.k, x.k)
		x.op(string(negative), rest)
		x.here(loop)
		for range steps {
			x.step(t)
		}
		x.op("SUBS", steps, x.k, x.k)
		x.op("BPL", loop)
		x.here(rest)
		x.op("ADDS", steps, x.k, x.k)
		x.op(string(equal), store)
	}
	x.here(one)
	x.step(t)
	x.op("SUBS", 1, x.k, x.k)
	x.op(string(unequal), one)
	x.here(store)
}

// step writes one rank-1 update of the tile. It prefetches the line with the end of the row of B eight
// steps ahead. If the row begins in an earlier line, the tile to the left has read that line.
func (x gemmCode) step(t tile) {
	t.row(x.generator).load(x.bp, registerB)
	if t == (tile{tileRows, tileColumns}) {
		x.prefetchAhead(x.bp, x.ahead)
	}
	x.op("ADD", x.rowB, x.bp, x.bp)
	element := func(r int) vector { return registerA + vector(r%turnsA) }
	for first := 0; first < t.rows; first += turnsA {
		last := min(first+turnsA, t.rows)
		for r := first; r < last; r++ {
			x.loadOne(plus(x.a[r], x.offset), element(r))
		}
		for r := first; r < last; r++ {
			for v := range t.vectors() {
				x.fmlaLane(registerB+vector(v), element(r), 0, t.at(r, v))
			}
		}
	}
	x.op("ADD", x.colA, x.offset, x.offset)
}

func (x gemmCode) end(t tile) {
	alpha := registerA
	product, scaled, end := x.unique("product"), x.unique("scaled"), x.unique("stored")
	x.jumpIf(x.mode, equal, modeProduct, product)
	x.loadOneArgument("alpha", alpha)
	x.jumpIf(x.mode, less, modeProduct, scaled)
	x.eachRowOfC(t.rows, func(r int, p general) {
		t.row(x.generator).load(p, registerB)
		for v := range t.vectors() {
			x.fmlaLane(t.at(r, v), alpha, 0, registerB+vector(v))
		}
		t.row(x.generator).store(registerB, p)
	})
	x.jump(end)
	x.here(scaled)
	for i := range vector(t.rows * t.vectors()) {
		x.fmulLane(i, alpha, 0, i)
	}
	x.here(product)
	x.eachRowOfC(t.rows, func(r int, p general) { t.row(x.generator).store(t.at(r, 0), p) })
	x.here(end)
}

// eachRowOfC calls body for rows 0 to rows-1 of the tile of C; p holds the address of row r.
func (x gemmCode) eachRowOfC(rows int, body func(r int, p general)) {
	p, distance := x.general(), x.general()
	x.op("MOVD", x.c, p)
	x.op("MOVD", x.ldc, distance)
	for r := range rows {
		body(r, p)
		if r < rows-1 {
			x.op("ADD", distance, p, p)
			x.op("SUB", x.closerC, distance, distance)
		}
	}
	x.release(p, distance)
}

// prefetchC prefetches both ends of each row of C in the tile.
func (x gemmCode) prefetchC() {
	x.eachRowOfC(tileRows, func(_ int, p general) {
		x.op("PRFM", at(p, 0), "PSTL1KEEP")
		x.op("PRFM", at(p, 8*tileColumns-8), "PSTL1KEEP")
	})
}
