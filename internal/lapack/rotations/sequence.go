// Package rotations makes plane rotations and applies many sweeps of them to the rows of a matrix, as
// the QR algorithms do to the vectors of symmetric and bidiagonal matrices.
//
// # Blocks
//
// Applied one by one, rotations of rows as long as a cache read and write memory for six flops an
// element. So a Sequence keeps a batch of sweeps, and applies it to panels of columns, in waves: block
// b of a batch has rotations b·chain - s to (b+1)·chain - s - 1 of sweep s, for s = 0, 1, ... in this
// order, and all that a rotation needs has been done in its block or in an earlier one. The rows of a
// block, chain + depth parts of a panel's width, stay in the L1 cache for all of its sweeps. This is
// the wavefront of Van Zee, van de Geijn and Quintana-Orti, Restructuring the tridiagonal and
// bidiagonal QR algorithms for performance, ACM Trans. Math. Softw. 40 (2014), doi 10.1145/2535371.
//
// Sweeps of ranges apart from each other share a place in a batch. Blocks without rotations are
// skipped. Panels go to threads; the bits of an element depend on neither.
package rotations

import (
	"blskernel/internal/backend"
	"blskernel/internal/block"
	"blskernel/internal/lapack"
	"blskernel/internal/memory"
)

const (
	depth   = 32 // sweeps of a batch
	chain   = 32 // rotations of a sweep in a block
	widest  = 64 // columns of a panel
	unit    = 8  // columns of panels come in multiples
	fused   = 4  // sweeps that a kernel applies at once
	perTime = 16 // elements that are rotated in a nanosecond, about
)

// A Sequence applies sweeps of plane rotations to neighbouring rows of a matrix. It has a copy of the
// matrix, in panels, from the first sweep to Flush.
type Sequence struct {
	on         backend.Rotator
	rows, cols int
	a          block.Matrix

	panels []float64 // the copy; panel p begins with column start(p)
	copied bool      // panels has the contents of a

	// A batch. Of backward sweeps rows are counted from the last one.
	backward  bool
	rotations int       // in all
	used      []int     // places in use at a rotation
	spans     []span    // of each block and sweep
	shears    []float64 // t and s of the rotations of each block and sweep
	signs     []float64 // 1 or -1 for each row, which it is to be multiplied by
}

// A span is a range of the rotations of a sweep in a block: those outside are not there, and those
// inside that no sweep has are the identity.
type span struct{ from, to int }

// New returns a Sequence for the rows×cols matrix a.
func New(bk lapack.Backend, rows, cols int, a block.Matrix) *Sequence {
	q := &Sequence{on: backend.Rotations(bk.Backend), rows: rows, cols: cols, a: a}
	blocks := (rows + depth + chain - 1) / chain
	q.used = make([]int, rows+1)
	q.spans = make([]span, blocks*depth)
	q.shears = make([]float64, 2*chain*blocks*depth)
	q.signs = make([]float64, rows)
	for i := range q.signs {
		q.signs[i] = 1
	}
	return q
}

// Forward adds a sweep: for j = 0, 1, ..., len(c)-1 in this order, rows from+j and from+j+1 become
// c[j]·row(from+j) + s[j]·row(from+j+1) and c[j]·row(from+j+1) - s[j]·row(from+j), where c[j]² + s[j]²
// = 1. It copies c and s.
func (q *Sequence) Forward(from int, c, s []float64) {
	q.turn(false)
	q.add(from, len(c), func(j int) (float64, float64) { return c[j], s[j] })
}

// Backward is Forward for j = len(c)-1, ..., 1, 0.
func (q *Sequence) Backward(from int, c, s []float64) {
	q.turn(true)
	last := len(c) - 1
	q.add(q.rows-2-from-last, len(c), func(j int) (float64, float64) { return c[last-j], -s[last-j] })
}

// turn begins a batch if the last one has the other direction.
func (q *Sequence) turn(backward bool) {
	if q.backward != backward {
		q.apply()
		q.backward = backward
	}
}

// place returns the place in the batch of a sweep of n rotations: the first one after all sweeps with a
// row in common, or with the sweep that ends in its first row, which comes before it in a wave.
func (q *Sequence) place(from, n int) int {
	place := 0
	for _, u := range q.used[from : from+n+1] {
		place = max(place, u)
	}
	if from > 0 {
		place = max(place, q.used[from-1]-1)
	}
	if place == depth {
		q.apply()
		place = 0
	}
	for j := range q.used[from : from+n] {
		q.used[from+j] = place + 1
	}
	return place
}

// add adds a sweep of n rotations. The kernel's three shears need c >= 0: otherwise they rotate by half
// a turn less, and both rows change their signs.
func (q *Sequence) add(from, n int, rotation func(j int) (c, s float64)) {
	if n == 0 {
		return
	}
	place := q.place(from, n)
	q.rotations += n
	sign := q.signs[from]
	for j := 0; j < n; {
		at := place + from + j
		which, first := at/chain*depth+place, at%chain
		count := min(n-j, chain-first)
		sp := &q.spans[which]
		if sp.from == sp.to {
			*sp = span{first, first}
		}
		*sp = span{min(sp.from, first), max(sp.to, first+count)}
		shears := q.shears[2*(which*chain+first):][:2*count]
		signs := q.signs[from+j : from+j+count+1]
		for i := range count {
			c, s := rotation(j + i)
			next := signs[i+1]
			s *= sign * next
			if c < 0 {
				c, s, sign, next = -c, -s, -sign, -next
			}
			shears[2*i], shears[2*i+1] = s/(1+c), s
			signs[i], sign = sign, next
		}
		signs[count] = sign
		j += count
	}
}

// Flush applies all sweeps that were added. Before it the contents of the matrix are those before the
// first sweep, or undefined.
func (q *Sequence) Flush() {
	q.apply()
	if q.copied {
		q.each(1, func(panel block.Matrix, from, to int) {
			block.Copy(q.a.Sub(0, from), panel, q.rows, min(to, q.cols)-from)
		})
	}
	q.copied = false
}

// each calls do for each panel, of columns from to to-1, where each element of it takes the given time.
func (q *Sequence) each(nanoseconds float64, do func(panel block.Matrix, from, to int)) {
	units := (q.cols + unit - 1) / unit
	count := (units*unit + widest - 1) / widest
	q.on.BlockRows(count, 1+int(nanoseconds*float64(q.cols)/float64(count)), func(p, end int) {
		for ; p < end; p++ {
			from, to := p*units/count*unit, (p+1)*units/count*unit
			do(block.Dense(q.panels[from*q.rows:to*q.rows], to-from), from, to)
		}
	})
}

// apply applies the batch to the panels.
func (q *Sequence) apply() {
	if q.rotations == 0 {
		return
	}
	if q.panels == nil {
		q.panels = memory.Zeros(q.rows * ((q.cols + unit - 1) / unit * unit))
	}
	q.each(float64(q.rotations)/perTime, func(panel block.Matrix, from, to int) {
		if !q.copied {
			block.Copy(panel, q.a.Sub(0, from), q.rows, min(to, q.cols)-from)
		}
		q.waves(panel)
	})
	q.copied = true
	for i, s := range q.spans {
		clear(q.shears[2*(i*chain+s.from) : 2*(i*chain+s.to)])
	}
	clear(q.spans)
	clear(q.used)
	for i := range q.signs {
		q.signs[i] = 1
	}
	q.rotations = 0
}

// waves applies the batch to one panel.
func (q *Sequence) waves(panel block.Matrix) {
	first, ld := 0, panel.Ld
	if q.backward {
		first, ld = (q.rows-1)*ld, -ld
	}
	// rotate applies rotations from to to-1 of m sweeps from spans[i] on.
	rotate := func(m, i, from, to int) {
		if from < to {
			row := i/depth*chain - i%depth + from
			q.on.Rotate(m, to-from, panel.Ld, q.shears[2*(i*chain+from):], 2*chain, panel.X, first+row*ld, ld)
		}
	}
	for i := 0; i < len(q.spans); i += fused {
		from, to := 0, chain // what all sweeps have
		for _, s := range q.spans[i : i+fused] {
			from, to = max(from, s.from), min(to, s.to)
		}
		to = max(from, to)
		for w, s := range q.spans[i : i+fused] {
			rotate(1, i+w, s.from, min(s.to, from))
		}
		rotate(fused, i, from, to)
		for w, s := range q.spans[i : i+fused] {
			rotate(1, i+w, max(s.from, to), s.to)
		}
	}
	for i, sign := range q.signs {
		if sign < 0 {
			row := panel.X[first+i*ld:][:panel.Ld]
			for j, v := range row {
				row[j] = -v
			}
		}
	}
}
