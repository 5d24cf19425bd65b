//go:build race

package gemm

import (
	"runtime"
	"unsafe"

	"gonum.org/v1/gonum/blas"
)

// raceEnabled says that the race detector is on.
const raceEnabled = true

// announce tells the race detector, which does not see into the kernels, what the product reads and
// writes: the elements of the operands, row by row, as if the caller touched them now.
func (p *product) announce() {
	if p.m == 0 || p.n == 0 {
		return
	}
	if p.alpha != 0 && p.k > 0 {
		p.a.announce(p.m, p.k)
		p.b.announce(p.n, p.k)
		announceRead(p.b.diag)
	}
	announceRead(p.bias)
	for i := range p.m {
		c, _ := p.c.row(i, 0, p.n)
		announceWrite(c)
	}
}

// announce announces X, r×c, as read.
func (s *source) announce(r, c int) {
	if s.layout == byCols {
		r, c = c, r
	}
	for i := range r {
		from, to := 0, c
		switch s.layout {
		case symUpper:
			from = i
		case symLower:
			to = i + 1
		}
		announceRead(s.X[s.Row(i)+from : s.Row(i)+to])
	}
}

// announce announces the triangle as read, without its diagonal if that is ones, and B as written.
func (t *trxm) announce() {
	upper := t.ul == blas.Upper
	for i := range t.order {
		from, to := 0, i
		if upper {
			from, to = i+1, t.order
		}
		if !t.unit && upper {
			from = i
		} else if !t.unit {
			to = i + 1
		}
		announceRead(t.stored.X[t.stored.Row(i):][from:to])
	}
	rows, cols := t.order, t.n
	if t.right {
		rows, cols = cols, rows
	}
	for i := range rows {
		announceWrite(t.b.X[t.b.Row(i):][:cols])
	}
}

func announceRead(x []float64) {
	if len(x) > 0 {
		runtime.RaceReadRange(unsafe.Pointer(&x[0]), 8*len(x))
	}
}

func announceWrite(x []float64) {
	if len(x) > 0 {
		runtime.RaceWriteRange(unsafe.Pointer(&x[0]), 8*len(x))
	}
}
