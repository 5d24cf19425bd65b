package blas_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel"
	pureblas "blskernel/internal/linalg/blas"
	"blskernel/internal/linalg/block"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/fuzz"
	"blskernel/internal/testutil/guard"
	"blskernel/internal/testutil/testmat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// A shape takes numbers from the data of a fuzzer, and zeros after its end. Operands lie next to pages
// that cannot be touched.
type shape struct {
	fuzz.Choices
	rnd     *rand.Rand
	edge    guard.Edge
	regions []*guard.Region
}

func pick[T any](s *shape, from ...T) T { return from[s.Below(len(from))] }

func (s *shape) flag() bool { return s.Below(2) == 1 }

// size returns a size: mostly a small one, sometimes larger than one workspace.
func (s *shape) size() int {
	if n := s.Below(256); n < 232 {
		return 1 + n%50
	}
	return pick(s, 70, block.Size-1, block.Size, block.Size+1, block.Size+9, 210)
}

// A place is a block in guarded memory: dense, or a part of a larger packed triangle. Nothing outside
// the block, or outside the triangle, may be touched.
type place struct {
	block.Matrix
	all, before []float64
	rows, cols  int
}

// take puts a block of random elements into an unused region, on the diagonal if diagonal is set. A
// packed block on the diagonal has only its upper triangle.
func (s *shape) take(isPacked, diagonal bool, rows, cols int) place {
	p, r := place{rows: rows, cols: cols}, s.regions[0]
	s.regions = s.regions[1:]
	if isPacked {
		i := s.Below(5)
		j := i
		if !diagonal { // all rows must be above the diagonal
			j += rows - 1 + s.Below(5)
		}
		n := max(j+cols, i+rows) + s.Below(5)
		p.all = r.Slice(block.PackedLen(n), s.edge)
		p.Matrix = block.Packed(n, p.all, i, j)
	} else {
		ld := cols + s.Below(5)
		p.all = r.Slice((rows-1)*ld+cols, s.edge)
		p.Matrix = block.Dense(p.all, ld)
	}
	return p.fill(s.rnd)
}

func normal(rnd *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rnd.NormFloat64()
	}
	return x
}

func (p place) fill(rnd *rand.Rand) place {
	copy(p.all, normal(rnd, len(p.all)))
	p.before = slices.Clone(p.all)
	return p
}

func (p place) at(i, j int) int { return len(p.all) - len(p.X) + p.Row(i) + j }

// matrix returns op(X), where all is p.all or p.before and holds the block X.
func (p place) matrix(t blas.Transpose, all []float64) *testmat.Matrix {
	x := testmat.Func(p.rows, p.cols, func(i, j int) float64 { return all[p.at(i, j)] })
	if t != blas.NoTrans {
		x = x.T()
	}
	return x
}

func (p place) was(t blas.Transpose) *testmat.Matrix { return p.matrix(t, p.before) }

// unchanged fails the test if an element has changed, unless kept is true for it.
func (p place) unchanged(t *testing.T, name string, kept func(i, j int) bool) {
	t.Helper()
	after := slices.Clone(p.all)
	for i := range p.rows {
		for j := range p.cols {
			if kept(i, j) {
				after[p.at(i, j)] = p.before[p.at(i, j)]
			}
		}
	}
	for i, v := range after {
		if was := p.before[i]; math.Float64bits(v) != math.Float64bits(was) {
			t.Fatalf("%s: element %d, which is not to be written, was %v and is %v", name, i, was, v)
		}
	}
}

func nothing(int, int) bool { return false }

// products returns the products made of Dgemm and the pure backend's on each kernel. They compute in
// the goroutine of the test, because a fault in another goroutine would end the program.
func products(t testing.TB) []block.Ops {
	blskernel.SetThreads(1)
	t.Cleanup(func() { blskernel.SetThreads(0) })
	all := []block.Ops{pureblas.On(gonum.Implementation{})}
	for _, b := range backends.Pure(t) {
		all = append(all, pureblas.On(b))
	}
	return all
}

func regions(t testing.TB) (all []*guard.Region) {
	for range 3 {
		all = append(all, guard.New(t, 1<<17))
	}
	return all
}
