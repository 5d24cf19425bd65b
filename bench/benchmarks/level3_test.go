package benchmarks

import (
	"fmt"
	"testing"

	"blskernel"
	"blskernel/bench/speed"
)

// The cases of these operations, their operands, their flops and the check of their results are those
// of package speed.

func BenchmarkDgemm(b *testing.B)   { cases(b, "dgemm") }
func BenchmarkDsyrk(b *testing.B)   { cases(b, "dsyrk") }
func BenchmarkDsyr2k(b *testing.B)  { cases(b, "dsyr2k") }
func BenchmarkDsymm(b *testing.B)   { cases(b, "dsymm") }
func BenchmarkDtrmm(b *testing.B)   { cases(b, "dtrmm") }
func BenchmarkDtrsm(b *testing.B)   { cases(b, "dtrsm") }
func BenchmarkDgemmtp(b *testing.B) { cases(b, "dgemmtp") }
func BenchmarkDsprk(b *testing.B)   { cases(b, "dsprk") }
func BenchmarkDspmm(b *testing.B)   { cases(b, "dspmm") }

// cases runs all cases of an operation on all backends and squares.
func cases(b *testing.B, op string) {
	all := speed.Cases(op)
	if len(all) == 0 {
		b.Fatalf("no operation %s", op)
	}
	backends(b, func(b *testing.B, bk blskernel.Backend) {
		for _, c := range all {
			for _, n := range orders {
				b.Run(fmt.Sprintf("args=%s/n=%d", c.Args, n), func(b *testing.B) {
					p := c.Prepare(speed.Square(n), 1)
					if err := p.Check(bk); err != nil {
						b.Fatal(err)
					}
					do := p.Bind(bk)
					timed := call{flops: p.Flops(), do: func() error { do(); return p.Err() }}
					if op == "dtrmm" || op == "dtrsm" { // which overwrite what they read
						timed.reset = p.Reset
					}
					timed.run(b)
				})
			}
		}
	})
}
