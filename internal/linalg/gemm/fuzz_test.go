package gemm

import (
	"math"
	"math/rand/v2"
	"testing"

	"blskernel/internal/linalg/cpu"
	"blskernel/internal/linalg/kernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/fuzz"
	"blskernel/internal/testutil/guard"
	"blskernel/internal/testutil/kernels"

	"gonum.org/v1/gonum/blas"
)

// A shape takes numbers from the data of a fuzzer; there are zeros where it ends.
type shape struct{ fuzz.Choices }

// engine makes an engine on one of the kernels with block sizes that the fuzzer chooses, so that small
// matrices have many blocks, and with caches in which B is read where it lies, or never.
func (s *shape) engine(all []kernel.Kernel) *Engine {
	k := all[s.Below(len(all))]
	depths := []int{8, 16, 24, 32, 40, 48, 160, 2 * (fewRows + 16)}
	return &Engine{
		kernel: k, pool: pool,
		blocks: blockSizes{MC: (1 + s.Below(4)) * k.MR, KC: depths[s.Below(8)], NC: (1 + s.Below(4)) * k.NR},
		caches: cpu.Caches{L2: []int{0, math.MaxInt}[s.Below(2)]},
	}
}

// alone lets calls compute in the goroutine of the test, since a fault in another one ends the program.
func alone(f *testing.F) {
	setThreads(f, 1)
	use(f, active)
}

// edges are lengths about the boundaries of tiles and blocks.
var edges = []byte{0, 1, 2, 5, 6, 7, 8, 9, 10, 15, 16, 17, 18, 23, 24, 25, 26, 33, 34, 48, 49, 50, 57, 58, 64, 65}

// seed adds inputs for so many forms of a call: for each, all lengths of edges, so many times, with the
// choices that come before the form, and those between it and the lengths, at random, and the lengths
// in another order each time.
func seed(f *testing.F, times, before, forms, between, lengths int) {
	rnd := rand.New(rand.NewPCG(16, 1))
	random := func(n int) (data []byte) {
		for range n {
			data = append(data, byte(rnd.IntN(256)))
		}
		return data
	}
	for form := range forms {
		for i := range times * len(edges) {
			data := append(random(before), byte(form))
			data = append(append(data, random(between)...), edges[i%len(edges)])
			for range lengths - 1 {
				data = append(data, edges[rnd.IntN(len(edges))])
			}
			f.Add(append(data, random(8)...), rnd.Uint64())
		}
	}
}

// FuzzProducts calls every routine that is a product, with block sizes that the fuzzer chooses too, on
// operands between pages that cannot be touched, and compares with sums in twice the precision.
func FuzzProducts(f *testing.F) {
	testutil.NotUnderRace(f, "TestConcurrentRoutines and TestReproducible divide all routines")
	rs := routines()
	seed(f, 3, 6, len(rs), 1, 3)
	alone(f)
	all, regions := kernels.All(f), newFences(f, 1<<14)
	f.Fuzz(func(t *testing.T, data []byte, numbers uint64) {
		s, rnd := &shape{data}, rand.New(rand.NewPCG(numbers, 13))
		edge := guard.Edges[s.Below(2)]
		active = s.engine(all)
		r := rs[s.Below(len(rs))]
		ab := scalars[s.Below(len(scalars))]
		p := r.build(rnd, s.Below(66), s.Below(66), s.Below(66), ab[0], ab[1])
		p.fill(rnd)
		x := p.expect()
		regions.call(t, p, edge)
		p.verify(t, x)
		if t.Failed() {
			t.Fatalf("%s, kernel %s, blocks %+v", r.name, active.kernel.Name, active.blocks)
		}
	})
}

// FuzzTriangular is FuzzProducts for Dtrsm and Dtrmm, with the bounds of solved and multiplied.
func FuzzTriangular(f *testing.F) {
	testutil.NotUnderRace(f, "TestConcurrentRoutines and TestReproducible divide all routines")
	seed(f, 3, 6, 32, 0, 2)
	alone(f)
	all, regions := kernels.All(f), newFences(f, 1<<14)
	f.Fuzz(func(t *testing.T, data []byte, numbers uint64) {
		s, rnd := &shape{data}, rand.New(rand.NewPCG(numbers, 14))
		edge := guard.Edges[s.Below(2)]
		active = s.engine(all)
		form := s.Below(32)
		side, ul, tA := sides[form&1], triangles[form>>1&1], transposes[form>>2&1]
		d, solve := []blas.Diag{blas.NonUnit, blas.Unit}[form>>3&1], form>>4 == 1
		p := newTriangular(rnd, side, ul, tA, d, s.Below(100), s.Below(100), []float64{1, -0.7, 0}[s.Below(3)])
		routine, within := active.Dtrmm, p.multiplied
		if solve {
			routine, within = active.Dtrsm, p.solved
		}
		guarded := func(side blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
			heldA, heldB := regions[0].Copy(a, edge), regions[1].Copy(b, edge)
			if guard.Faults(func() { routine(side, ul, tA, d, m, n, alpha, heldA, lda, heldB, ldb) }) {
				t.Fatalf("%v, blocks %+v: something beside an operand was touched", p, active.blocks)
			}
			copy(a, heldA)
			copy(b, heldB)
		}
		p.check(t, guarded, within)
		if t.Failed() {
			t.Fatalf("%v, solve %v, kernel %s, blocks %+v", p, solve, active.kernel.Name, active.blocks)
		}
	})
}
