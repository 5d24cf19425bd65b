package benchmarks

import (
	"flag"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"blskernel"
	"blskernel/bench/speed"
	"blskernel/internal/testutil"
)

var (
	orders = []int{64, 256}
	added  = []int{50, 300} // one below k and one above it, which Improved treats differently
	flagL  = flag.Int("l", 1000, "`samples` that a model has before it is updated")
	flagK  = flag.Int("k", 200, "`nodes` of a model")
	flagC  = flag.Int("targets", 10, "`targets` of a model")
)

func init() {
	flag.Func("orders", "`orders` of matrices, with commas between them", numbers(&orders))
	flag.Func("q", "`rows` that are added to a model or removed from it, with commas between them", numbers(&added))
}

// numbers returns a parser that sets list to positive numbers, separated by commas.
func numbers(list *[]int) func(s string) error {
	return func(s string) error {
		*list = nil
		for _, field := range strings.Split(s, ",") {
			n, err := strconv.Atoi(field)
			if err != nil || n < 1 {
				return fmt.Errorf("%q is not a positive number", field)
			}
			*list = append(*list, n)
		}
		return nil
	}
}

// A call is an operation on operands that are already there.
type call struct {
	do    func() error
	reset func()  // restores what do overwrites; nil if do may be called again and again
	flops float64 // nominal; 0 if unknown
}

// run times c. It is called once for each benchmark, since b.Loop finds the number of calls by itself.
func (c call) run(b *testing.B) {
	b.Helper()
	blskernel.SetThreads(0) // OpenBLAS takes over the GOMAXPROCS that -cpu has set
	if c.reset != nil {
		c.reset()
	}
	testutil.NoError(b, c.do())
	speed.Quiet()
	var elapsed time.Duration
	if c.reset == nil {
		for b.Loop() {
			testutil.NoError(b, c.do())
		}
		elapsed = b.Elapsed()
	} else {
		for b.Loop() {
			c.reset()
			began := time.Now()
			err := c.do()
			elapsed += time.Since(began)
			testutil.NoError(b, err)
		}
		b.ReportMetric(float64(elapsed.Nanoseconds())/float64(b.N), "ns/op")
	}
	if c.flops > 0 {
		b.ReportMetric(c.flops*float64(b.N)/elapsed.Seconds()/1e9, "GFLOP/s")
	}
}

// backends runs a sub-benchmark for each backend that this process can use.
func backends(b *testing.B, run func(b *testing.B, bk blskernel.Backend)) {
	for _, name := range blskernel.Names() {
		bk, err := blskernel.Lookup(name)
		testutil.NoError(b, err)
		b.Run("backend="+name, func(b *testing.B) { run(b, bk) })
	}
}

// must returns v, and panics on an error, since preparing a benchmark does not fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
