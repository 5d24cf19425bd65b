package neon

import "slices"

// The lanes of an inner product: manyLanes while at least manyLanes elements are left, then fewLanes.
const (
	manyLanes = 32
	fewLanes  = 8
)

// inner writes the loop
//
//	for i := range n { for r := range rows { sum[r] += row(r)[i] * x[i] } }
//
// where row(r) is at pointers[r], and leaves eight lanes of row r for sums: lanes 2j and 2j+1 are
// register j*rows + r. If many is true, manyLanes elements have their own lanes while that many are
// left. Then the lanes are added in pairs until fewLanes are left, which take the remaining elements.
// The order in a row does not depend on the number of rows. The loop overwrites n, x and the pointers.
func (g *generator) inner(n, x general, pointers []general, many bool) {
	rows, all := len(pointers), append(slices.Clip(pointers), x)
	g.zeros(fewLanes / 2 * rows)
	if many {
		few := g.unique("few")
		g.jumpIf(n, less, manyLanes, few)
		g.innerMany(n, x, pointers, all)
		g.here(few)
	}
	g.eights(n, all, func(j int, p part) { p.products(j, x, pointers) })
}

// innerMany is inner for the many lanes. One row takes 16 registers. For two or three rows the loop
// runs twice, each time for half of the vectors, two of every four. The first half is summed into
// vectors 0 and 1, which then move to later registers. Three rows share each load of x, and leave
// registers to load only one vector at a time.
func (g *generator) innerMany(n, x general, pointers, all []general) {
	rows, passes, chunk := len(pointers), 2, 2
	switch rows {
	case 1:
		passes = 1
	case 3:
		chunk = 1
	}
	count, width := manyLanes/2/passes, fewLanes/2/passes // vectors of a row in a pass: before and after the sums
	left := g.general()
	for pass := range passes {
		g.op("MOVD", n, left)
		g.zeros(count * rows)
		g.while(left, manyLanes, func() {
			for j := 0; j < count; j += chunk {
				place := j/width*fewLanes/2 + j%width + pass*width
				part{g, chunk, false, 16 * place}.products(j, x, pointers)
			}
			g.forward(all, manyLanes)
		})
		sum := 0
		switch {
		case pass == 1:
			sum = width * rows
		case passes == 2:
			sum = count * rows
			g.op("SUB", left, n, n) // the number of elements to go back
			for _, p := range all {
				g.op("SUB", n.shifted(3), p)
			}
			g.op("ADD", left, n)
		}
		for i := range vector(2 * width * rows) {
			g.fadd(i, i+vector(2*width*rows), i)
		}
		for i := range vector(width * rows) {
			g.fadd(i, i+vector(width*rows), vector(sum)+i)
		}
	}
	for i := range vector((passes - 1) * width * rows) {
		g.copy(vector(count*rows)+i, i)
	}
	g.op("MOVD", left, n)
	g.release(left)
}

// products adds the products of a part of each row and of x to the lanes, from vector j on. It loads
// both into the last registers.
func (p part) products(j int, x general, pointers []general) {
	count, rows := max(p.count, 1), len(pointers)
	v := vector(32 - count)
	u := v - vector(count)
	p.load(x, u)
	for r, row := range pointers {
		p.load(row, v)
		for i := range count {
			p.fmla(u+vector(i), v+vector(i), vector((j+i)*rows+r))
		}
	}
}

func (g *generator) zeros(n int) {
	for v := range vector(n) {
		g.zero(v)
	}
}

// sums adds up the eight lanes of each row as inner leaves them. The total of row r becomes element 0
// of register r. The last four lanes are added to the first four; p, q, r, s give (p+q) + (r+s).
func (g *generator) sums(rows int) {
	for i := range vector(2 * rows) {
		g.fadd(i, i+vector(2*rows), i)
	}
	for r := range vector(rows) {
		g.faddp(r, r+vector(rows), r)
		g.faddpScalar(r, r)
	}
}
