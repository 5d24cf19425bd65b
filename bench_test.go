package blskernel_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"blskernel"
	"blskernel/bench/speed"
)

// The benchmarks below have names that benchstat can pivot, with the same keys in the same order for
// all:
//
//	go test -run '^$' -bench '^BenchmarkDgemm$' -count 10 . | tee bench.txt
//	benchstat -col /backend bench.txt
//
// Dgemm is the case without transposes, the others are the case that speed.Cases has first. The
// backends take turns by size, not call by call: blskernel bench is the fairer comparison.

func BenchmarkDgemm(b *testing.B)   { benchmark(b, "dgemm", "NN") }
func BenchmarkDgemmNT(b *testing.B) { benchmark(b, "dgemm", "NT") }
func BenchmarkDgemmTN(b *testing.B) { benchmark(b, "dgemm", "TN") }
func BenchmarkDgemmTT(b *testing.B) { benchmark(b, "dgemm", "TT") }
func BenchmarkDsyrk(b *testing.B)   { benchmark(b, "dsyrk", "UN") }
func BenchmarkDsymm(b *testing.B)   { benchmark(b, "dsymm", "LU") }
func BenchmarkDtrmm(b *testing.B)   { benchmark(b, "dtrmm", "LUN") }
func BenchmarkDtrsm(b *testing.B)   { benchmark(b, "dtrsm", "LUN") }

// benchmark runs one case on all squares, backends and numbers of threads, 1 and GOMAXPROCS. With
// -short it leaves out orders above 512. What a backend computes is checked first.
func benchmark(b *testing.B, op, args string) {
	c, ok := speed.Find(op, args)
	if !ok {
		b.Fatalf("no case %s of %s", args, op)
	}
	defer blskernel.SetThreads(0)
	for _, name := range blskernel.Names() {
		backend, err := blskernel.Lookup(name)
		if err != nil {
			b.Fatal(err)
		}
		for _, threads := range slices.Compact([]int{1, runtime.GOMAXPROCS(0)}) {
			for _, n := range speed.Sizes() {
				if testing.Short() && n > 512 {
					continue
				}
				b.Run(fmt.Sprintf("backend=%s/threads=%d/n=%d", name, threads, n), func(b *testing.B) {
					blskernel.SetThreads(threads)
					speed.Quiet()
					p := c.Prepare(speed.Square(n), 1)
					if err := p.Check(backend); err != nil {
						b.Fatal(err)
					}
					call, most := p.Bind(backend), p.Most()
					b.ResetTimer()
					for i := range b.N {
						if i%most == 0 {
							b.StopTimer()
							p.Reset()
							b.StartTimer()
						}
						call()
					}
					b.ReportMetric(p.Flops()*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
				})
			}
		}
	}
}
