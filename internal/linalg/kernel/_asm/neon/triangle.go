package neon

import "math"

// triangle writes Kernel.Solve and Kernel.Multiply, for the diagonal blocks of triangular matrices.
func triangle(g *generator) {
	g.triangular(triangular{"Solve", true})
	g.triangular(triangular{"Multiply", false})
}

type triangular struct {
	name  string
	solve bool
}

// A triangularCode holds the registers that Solve or Multiply needs throughout.
type triangularCode struct {
	*generator
	triangular
	t, rowT, colT, d general // T, and its diagonal or ones
	n, x, ldx        general // the number of columns left, and their tile of X
}

// triangular writes Kernel.Solve or Kernel.Multiply, with all rows of a tile of X in registers and code
// for each number of rows and of columns. A nil d stands for ones.
func (g *generator) triangular(op triangular) {
	g.function(op.name)
	x := triangularCode{generator: g, triangular: op,
		t: g.load("t"), rowT: g.bytes("rowT"), colT: g.bytes("colT"), d: g.load("d"),
		n: g.load("n"), x: g.load("x"), ldx: g.bytes("ldx")}
	given := g.unique("given")
	g.jumpIf(x.d, unequal, 0, given)
	var ones [tileRows]uint64
	for i := range ones {
		ones[i] = math.Float64bits(1)
	}
	g.op("MOVD", g.table("ones", ones[:]...), x.d)
	g.here(given)
	g.eachTile(g.load("m"), x.n, x.tile, func() { g.op("ADD", 8*tileColumns, x.x, x.x) })
}

// tile writes the code for one tile. Row r of the tile is in the registers from rows[r] on.
func (x triangularCode) tile(t tile) {
	const factor = vector(31)
	spare := vector(tileRows * tileColumns / 2)
	var rows [tileRows]vector
	p := x.general()
	eachRow := func(do func(r int)) {
		x.op("MOVD", x.x, p)
		for r := range t.rows {
			do(r)
			x.op("ADD", x.ldx, p, p)
		}
	}
	eachRow(func(r int) {
		rows[r] = t.at(r, 0)
		t.row(x.generator).load(p, rows[r])
	})
	// eliminate subtracts or adds row j to the rows below; p points to T[j+1,j].
	eliminate := func(j int) {
		for i := j + 1; i < t.rows; i++ {
			x.loadOne(at(p, 0), factor)
			x.op("ADD", x.rowT, p, p)
			for v := range vector(t.vectors()) {
				if x.solve {
					x.fmlsLane(rows[j]+v, factor, 0, rows[i]+v)
				} else {
					x.fmlaLane(rows[j]+v, factor, 0, rows[i]+v)
				}
			}
		}
	}
	column := x.general()
	x.op("ADD", x.rowT, x.t, column) // T[1,0]
	if x.solve {
		for j := range t.rows {
			x.loadOne(at(x.d, 8*j), factor)
			for v := range vector(t.vectors()) {
				x.zero(spare + v)
				x.fmlaLane(rows[j]+v, factor, 0, spare+v)
			}
			spare, rows[j] = rows[j], spare
			x.op("MOVD", column, p)
			eliminate(j)
			x.op("ADD", x.rowT, column, column)
			x.op("ADD", x.colT, column, column)
		}
	} else {
		for range t.rows - 1 {
			x.op("ADD", x.rowT, column, column)
			x.op("ADD", x.colT, column, column)
		}
		for j := t.rows - 1; j >= 0; j-- {
			x.op("MOVD", column, p)
			eliminate(j)
			x.op("SUB", x.rowT, column, column)
			x.op("SUB", x.colT, column, column)
			x.loadOne(at(x.d, 8*j), factor)
			for v := range vector(t.vectors()) {
				x.fmulLane(rows[j]+v, factor, 0, rows[j]+v)
			}
		}
	}
	eachRow(func(r int) { t.row(x.generator).store(rows[r], p) })
	x.release(p, column)
}
