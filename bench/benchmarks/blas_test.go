package benchmarks

import (
	"fmt"
	"testing"

	"blskernel"
	"blskernel/bench/speed"
)

// BenchmarkOperation runs all cases of all operations of package speed, which has their operands and
// flops. Operations on vectors alone take as many elements as a matrix of the order in the name.
func BenchmarkOperation(b *testing.B) {
	backends(b, func(b *testing.B, bk blskernel.Backend) {
		for _, op := range speed.Operations() {
			for _, c := range speed.Cases(op) {
				for _, n := range orders {
					name := fmt.Sprintf("op=%s/", op)
					if c.Args != "" {
						name += "args=" + c.Args + "/"
					}
					order := n
					if c.Flops(2) == 2*c.Flops(1) && c.Flops(1) > 0 {
						order = n * n
					}
					b.Run(fmt.Sprintf("%sn=%d", name, n), func(b *testing.B) { operation(c.Prepare(order, 1), bk).run(b) })
				}
			}
		}
	})
}

// operation returns a call of a problem on a backend. A problem that allows several calls is reset
// after the largest allowed number of calls, within the timing.
func operation(p *speed.Problem, bk blskernel.Backend) call {
	do, calls := p.Bind(bk), 0
	c := call{flops: p.Flops(), do: func() error {
		if calls++; calls%p.Calls() == 0 {
			p.Reset()
		}
		do()
		return p.Err()
	}}
	if p.Calls() == 1 {
		c.reset, c.do = p.Reset, func() error { do(); return p.Err() }
	}
	return c
}

// sink keeps results from being optimized away.
var sink float64
