package eigen

import (
	"math"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
)

// A chain holds bulges of two shifts each, two rows apart, in a window on the diagonal. Row and column
// indices are relative to the window.
type chain struct {
	h       block.Matrix // the window
	u       block.Matrix // the product of the reflections; row and column i belong to row start+1+i of h
	shifts  []complex128
	bulges  []reflection // the last reflection of each bulge
	start   int          // the column of bulge 0 at first; negative if the window is cut off
	top     int          // the first row of the active block; 0 or negative
	bottom  int          // its last row; may be outside the window
	last    int          // the last row of the window
	tiny    float64
	columns int // the order of u
}

// sweep chases a chain of bulges, one for each pair of shifts, from row ktop to row kbot. It works in
// windows; in each of them the chain moves by its own length. The product of the window's reflections
// then multiplies the rest of h, and z. (LAPACK: dlaqr5.)
func (m *multishift) sweep(ktop, kbot int, shifts []complex128) {
	bulges := len(shifts) / 2
	columns := 4 * bulges
	if ktop+2 <= kbot {
		m.set(ktop+2, ktop, 0)
	}
	h, u := square0(columns+1), square0(columns)
	c := chain{shifts: shifts, bulges: make([]reflection, bulges), tiny: m.tiny(), columns: columns, h: h}
	for start := ktop - 2*bulges + 1; start <= kbot-2; start += 2 * bulges {
		from, end := max(ktop, start), min(start+columns, kbot)+1
		block.Copy(h, m.h.Sub(from, from), end-from, end-from)
		factor.Identity(columns, u)
		c.u = u
		c.start, c.top, c.bottom, c.last = start-from, ktop-from, kbot-from, end-1-from
		for k := c.start; k <= min(c.start+2*bulges-1, c.bottom-2); k++ {
			c.advance(k)
		}
		block.Copy(m.h.Sub(from, from), h, end-from, end-from)
		cut := max(0, ktop-start-1)
		at := start + 1 + cut
		m.spread(u.Sub(cut, cut), min(start+columns, kbot)+1-at, at, ktop, kbot, from, end)
	}
}

// advance moves all bulges down by one row, bulge 0 from column k.
func (c *chain) advance(k int) {
	first := max(0, (c.top-k)/2)
	end := min(len(c.bulges), (c.bottom-k-1)/2)
	if at := k + 2*end; end < len(c.bulges) && at == c.bottom-2 {
		c.pair(end, at)
	}
	for m := end - 1; m >= first; m-- {
		at := k + 2*m
		r := &c.bulges[m]
		if at == c.top-1 {
			*r, _ = reflect(firstColumn(c.h, 3, at+1, c.shifts[2*m], c.shifts[2*m+1]))
		} else {
			c.next(m, at)
		}
		// From the left, apply r only to the column that the test in deflate needs; the
		// next loop does the rest.
		r.right(c.h, 3, at+1, max(0, k), min(c.bottom, at+3)+1)
		r.left(c.h, 3, at+1, at+1, at+2)
		c.deflate(at)
	}
	for m := end - 1; m >= first; m-- {
		r, at := &c.bulges[m], k+2*m
		r.right(c.h, 3, at+1, 0, max(0, k))
		r.left(c.h, 3, at+1, max(c.top, at+2), c.last+1)
		row := at - c.start
		from := max(0, c.top-c.start-1, row-1-(k-c.start))
		r.right(c.u, 3, row, from, min(c.columns, k+2*end-c.start+3))
	}
}

// next computes the reflection that moves bulge m, now in column at, down by one row.
func (c *chain) next(m, at int) {
	h, r := c.h, &c.bulges[m]
	// The reflection of the bulge has not reached the row below, which begins with two zeros.
	below := (*[3]float64)(h.X[(at+3)*h.Ld+at:])
	s := r.v2 * below[2]
	below[0], below[1] = -(s * r.t0), -(s * r.t1)
	below[2] -= float64(s * r.t2)
	x, y := &h.X[(at+1)*h.Ld+at], &h.X[(at+2)*h.Ld+at]
	next, beta := reflect(*x, *y, below[0])
	if below[0] == 0 && below[1] == 0 && below[2] != 0 {
		// The bulge has collapsed. A new one begins here if the fill-in is negligible.
		again, _ := reflect(firstColumn(h, 3, at+1, c.shifts[2*m], c.shifts[2*m+1]))
		s := *x + float64(again.v1**y)
		size := math.Abs(h.X[at*h.Ld+at]) + math.Abs(h.X[(at+1)*h.Ld+at+1]) + math.Abs(h.X[(at+2)*h.Ld+at+2])
		if math.Abs(*y-float64(s*again.t1))+math.Abs(s*again.t2) <= ulp*size {
			next, beta = again, *x-float64(s*again.t0)
		}
	}
	*r, *x, *y, below[0] = next, beta, 0, 0
}

// pair moves a bulge of order 2, the last part of bulge m, off the end of the active block.
func (c *chain) pair(m, at int) {
	h, r := c.h, &c.bulges[m]
	if at == c.top-1 {
		*r, _ = reflect(firstColumn(h, 2, at+1, c.shifts[2*m], c.shifts[2*m+1]))
	} else {
		x, y := &h.X[(at+1)*h.Ld+at], &h.X[(at+2)*h.Ld+at]
		*r, *x = reflect(*x, *y, 0)
		*y = 0
	}
	r.right(h, 2, at+1, 0, min(c.bottom, at+3)+1)
	r.left(h, 2, at+1, at+1, c.last+1)
	c.deflate(at)
	r.right(c.u, 2, at-c.start, max(0, c.top-c.start-1), c.columns)
}

// deflate sets the element below the diagonal in column k to zero if it is negligible. If that
// collapses a bulge, next may start it again.
func (c *chain) deflate(k int) {
	if k < max(c.top, 0) || c.h.X[(k+1)*c.h.Ld+k] == 0 {
		return
	}
	if negligible(c.h, k+1, max(0, c.top), min(c.last, c.bottom)+1, c.tiny) {
		c.h.X[(k+1)*c.h.Ld+k] = 0
	}
}
