package svd

import (
	"blskernel/internal/block"
	"blskernel/internal/lapack"
)

// A plane is the rows of a matrix from row first on that are rotated in pairs, in n columns from column
// first on.
type plane struct {
	z        block.Matrix
	first, n int
}

// forward makes rows from+j and from+j+1, for j = 0, 1, ... in this order, c[j]·row(from+j) +
// s[j]·row(from+j+1) and c[j]·row(from+j+1) - s[j]·row(from+j).
func (p *plane) forward(from int, c, s []float64) {
	for j := range c {
		p.rotate(from+j, c[j], s[j])
	}
}

// backward is forward from the last j to the first.
func (p *plane) backward(from int, c, s []float64) {
	for j := len(c) - 1; j >= 0; j-- {
		p.rotate(from+j, c[j], s[j])
	}
}

func (p *plane) rotate(i int, c, s float64) {
	i += p.first
	lapack.Rot(c, s, p.z.Elements(i, p.first, p.first+p.n), p.z.Elements(i+1, p.first, p.first+p.n))
}

// unit makes x the unit vector with a one at i.
func unit(x []float64, i int) {
	clear(x)
	x[i] = 1
}
