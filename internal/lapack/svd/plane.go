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

// rotate makes rows x and y of the plane, if there is one, c·x + s·y and c·y - s·x.
func (p *plane) rotate(x, y int, c, s float64) {
	if p != nil {
		row := func(i int) []float64 { return p.z.Elements(p.first+i, p.first, p.first+p.n) }
		lapack.Rot(c, s, row(x), row(y))
	}
}
