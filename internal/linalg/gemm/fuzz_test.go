package gemm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel/internal/linalg/cpu"
	"blskernel/internal/linalg/kernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/fuzz"
	"blskernel/internal/testutil/guard"
	"blskernel/internal/testutil/kernels"
)

// A shape takes numbers from the data of a fuzzer, and zeros after the end of the data.
type shape struct{ fuzz.Choices }

// engine makes an engine on one of the kernels with block sizes that the fuzzer chooses, so that small
// matrices have many blocks. With its caches B is always or never read in place.
func (s *shape) engine(all []kernel.Kernel) *Engine {
	k := all[s.Below(len(all))]
	depths := []int{8, 16, 24, 32, 40, 48, 160, 2 * (fewRows + 16)}
	return &Engine{
		kernel: k, pool: pool,
		blocks: blockSizes{MC: (1 + s.Below(4)) * k.MR, KC: depths[s.Below(8)], NC: (1 + s.Below(4)) * k.NR},
		caches: cpu.Caches{L2: []int{0, math.MaxInt}[s.Below(2)]},
	}
}

// scalars are the pairs (alpha, beta) with which every routine is called.
var scalars = [][2]float64{{1, 0}, {1, 1}, {-1, 1}, {0.7, -1.3}, {-2.5, 0}, {0, 0}, {0, 1}, {0, 0.3}}

// alone keeps calls on the goroutine of the test, because a fault on another one would end the program.
func alone(f *testing.F) {
	setThreads(f, 1)
	use(f, active)
}

// edges are lengths near the boundaries of tiles and blocks.
var edges = []byte{0, 1, 2, 5, 6, 7, 8, 9, 10, 15, 16, 17, 18, 23, 24, 25, 26, 33, 34, 48, 49, 50, 57, 58, 64, 65}

// seed adds inputs for each of the given forms of a call, and takes each length in edges the given
// number of times. The choices before the form, and between it and the lengths, are random, and so are
// the other lengths.
func seed(f *testing.F, times, before, forms, between, lengths int) {
	rnd := rand.New(rand.NewPCG(16, 1))
	for form := range forms {
		for i := range times * len(edges) {
			data := append(fuzz.Random(rnd, before), byte(form))
			data = append(append(data, fuzz.Random(rnd, between)...), edges[i%len(edges)])
			for range lengths - 1 {
				data = append(data, edges[rnd.IntN(len(edges))])
			}
			f.Add(append(data, fuzz.Random(rnd, 8)...), rnd.Uint64())
		}
	}
}

// base returns an engine with the KC of e, the only size that affects results, and otherwise the blocks
// and caches of this machine.
func base(e *Engine) *Engine {
	b := onPool(New(e.kernel))
	b.blocks.KC = e.blocks.KC
	return b
}

// FuzzProducts calls every routine, with block sizes that the fuzzer chooses, on operands next to pages
// that cannot be touched. It compares with the blocks of this machine, bit for bit.
func FuzzProducts(f *testing.F) {
	testutil.NotUnderRace(f, "TestConcurrentRoutines and TestReproducible divide all routines")
	rs := append(routines(), triangularRoutines()...)
	seed(f, 3, 6, len(rs), 1, 3)
	alone(f)
	all, regions := kernels.All(f), newFences(f, 1<<14)
	f.Fuzz(func(t *testing.T, data []byte, numbers uint64) {
		s, rnd := &shape{data}, rand.New(rand.NewPCG(numbers, 13))
		edge := guard.Edges[s.Below(2)]
		e := s.engine(all)
		r := rs[s.Below(len(rs))]
		ab := scalars[s.Below(len(scalars))]
		p := r.build(rnd, s.Below(100), s.Below(100), s.Below(100), ab[0], ab[1])
		p.fill(rnd)
		want, a, b := p.on(base(e)), slices.Clone(p.a.all), slices.Clone(p.b.all)
		active = e
		regions.call(t, p, edge)
		if !identical(p.c.all, want) || !identical(p.a.all, a) || !identical(p.b.all, b) {
			t.Fatalf("%s, %v, kernel %s, blocks %+v: the bits differ", r.name, p, e.kernel.Name, e.blocks)
		}
	})
}
