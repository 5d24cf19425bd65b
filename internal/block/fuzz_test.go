package block_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/block"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/fuzz"
	"blskernel/internal/testutil/guard"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// A shape takes numbers from the data of a fuzzer; there are zeros where it ends.
type shape struct{ fuzz.Choices }

func (s *shape) transpose() blas.Transpose {
	return []blas.Transpose{blas.NoTrans, blas.Trans}[s.Below(2)]
}

// A place is a block somewhere in guarded memory: dense, or packed, as a part of a larger triangle of
// which everything may be touched and nothing else.
type place struct {
	block.Matrix
	all, before []float64
	rows, cols  int
}

// take puts a block of random elements into a region.
func (s *shape) take(rnd *rand.Rand, r *guard.Region, edge guard.Edge, isPacked bool, rows, cols int) place {
	p := place{rows: rows, cols: cols}
	if isPacked {
		// The block begins at (i, j), and all of its rows have to be above the diagonal.
		i := s.Below(5)
		j := i + max(rows-1, 0) + s.Below(5)
		n := max(j+cols, i+rows) + s.Below(5)
		p.all = r.Slice(block.PackedLen(n), edge)
		p.Matrix = block.Packed(n, p.all, i, j)
	} else {
		ld := max(1, cols) + s.Below(5)
		p.all = r.Slice(max(0, rows-1)*ld+cols, edge)
		p.Matrix = block.Dense(p.all, ld)
	}
	p.fill(rnd)
	return p
}

// diagonal is take for a block of order n on the diagonal, of which the upper triangle is used.
func (s *shape) diagonal(rnd *rand.Rand, r *guard.Region, edge guard.Edge, isPacked bool, n int) place {
	if !isPacked {
		return s.take(rnd, r, edge, false, n, n)
	}
	p := place{rows: n, cols: n}
	i := s.Below(5)
	order := i + n + s.Below(5)
	p.all = r.Slice(block.PackedLen(order), edge)
	p.Matrix = block.Packed(order, p.all, i, i)
	p.fill(rnd)
	return p
}

// fill makes all elements random.
func (p *place) fill(rnd *rand.Rand) {
	copy(p.all, normal(rnd, len(p.all)))
	p.before = slices.Clone(p.all)
}

// at returns the index of element (i, j) in all.
func (p *place) at(i, j int) int { return len(p.all) - len(p.X) + p.Row(i) + j }

// was returns element (i, j) of op(X) before the call.
func (p *place) was(t blas.Transpose, i, j int) float64 {
	if t != blas.NoTrans {
		i, j = j, i
	}
	return p.before[p.at(i, j)]
}

// unchanged fails the test if anything has changed but the elements that are kept.
func (p *place) unchanged(t *testing.T, name string, kept func(i, j int) bool) {
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

// products returns those of every backend and those made of Dgemm. They compute in the goroutine of the
// test, since a fault in another one ends the program.
func products(f *testing.F) []block.Products {
	blskernel.SetThreads(1)
	f.Cleanup(func() { blskernel.SetThreads(0) })
	all := []block.Products{block.On(gonum.Implementation{})}
	for _, b := range backends.Pure(f) {
		all = append(all, block.On(b))
	}
	return all
}

// FuzzPackedMatrix follows a chain of blocks of blocks of a packed matrix and of a dense one, and
// compares the elements of the last, and what Copy makes of it.
func FuzzPackedMatrix(f *testing.F) {
	for n := range byte(12) {
		f.Add([]byte{n, n / 3, n / 2, 1, 0, 1, 2, 1, 3})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &shape{data}
		n := 1 + s.Below(60)
		value := func(i, j int) float64 { return float64(1000*i + j) }
		ap := make([]float64, block.PackedLen(n))
		ld := n + s.Below(3)
		full := make([]float64, n*ld)
		for i := range n {
			for j := range n {
				full[i*ld+j] = value(i, j)
				if i <= j {
					ap[block.PackedIndex(n, i, j)] = value(i, j)
				}
			}
		}
		i := s.Below(n)
		j := i + s.Below(n-i)
		p, d := block.Packed(n, ap, i, j), block.Dense(full[i*ld+j:], ld)
		for range 4 {
			// The block below may not reach under the diagonal.
			r, c := s.Below(n-i), s.Below(n-j)
			if i+r > j+c {
				break
			}
			i, j, p, d = i+r, j+c, p.Sub(r, c), d.Sub(r, c)
		}
		rows, cols := 1+s.Below(min(n-i, j-i+1)), 1+s.Below(n-j)
		copied := make([]float64, rows*cols)
		for _, m := range []block.Matrix{p, d} {
			clear(copied)
			block.Copy(block.Dense(copied, cols), m, rows, cols)
			for r := range rows {
				for c := range cols {
					if got, want := m.X[m.Row(r)+c], value(i+r, j+c); got != want || copied[r*cols+c] != want {
						t.Fatalf("n=%d: element (%d,%d) of the block at (%d,%d) is %v, copied %v, want %v", n, r, c, i, j, got, copied[r*cols+c], want)
					}
				}
			}
		}
	})
}

// seeds adds shapes about the boundaries of tiles and of panels.
func seeds(f *testing.F) {
	for form := range byte(8) {
		for _, size := range []byte{0, 1, 2, 7, 8, 9, 23, 24, 25, 49} {
			f.Add([]byte{form, form / 4, size, (size + form) % 50, (size * form) % 50, form, form >> 1, form >> 2, 1, 2, 3, 4}, uint64(size))
		}
	}
	rnd := rand.New(rand.NewPCG(17, 1))
	for range 200 {
		data := make([]byte, 20)
		for i := range data {
			data[i] = byte(rnd.IntN(256))
		}
		f.Add(data, rnd.Uint64())
	}
}

// regions returns n guarded regions.
func regions(f *testing.F, n int) (all []*guard.Region) {
	for range n {
		all = append(all, guard.New(f, 1<<14))
	}
	return all
}

func FuzzBlockGemm(f *testing.F) {
	seeds(f)
	all, memory := products(f), regions(f, 3)
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		s, rnd := &shape{data}, rand.New(rand.NewPCG(seed, 1))
		on, edge := all[s.Below(len(all))], guard.Edges[s.Below(2)]
		g := gemm{m: s.Below(50), n: s.Below(50), k: 1 + s.Below(50), tA: s.transpose(), tB: s.transpose()}
		packed := []bool{s.Below(2) == 1, s.Below(2) == 1, s.Below(2) == 1}
		g.alpha, g.beta = []float64{1, -1, 0.5}[s.Below(3)], []float64{1, 0, -2}[s.Below(3)]
		if g.m == 0 || g.n == 0 {
			return // which callers do not ask for
		}
		g.operands(func(operand, rows, cols int) place {
			return s.take(rnd, memory[operand], edge, packed[operand], rows, cols)
		})
		g.check(t, on)
	})
}

// normal returns n random numbers.
func normal(rnd *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rnd.NormFloat64()
	}
	return x
}

func FuzzBlockSyrk(f *testing.F) {
	seeds(f)
	all, memory := products(f), regions(f, 2)
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		s, rnd := &shape{data}, rand.New(rand.NewPCG(seed, 2))
		on, edge := all[s.Below(len(all))], guard.Edges[s.Below(2)]
		g := syrk{n: 1 + s.Below(50), k: 1 + s.Below(50), t: s.transpose()}
		packedA, packedC, scaled := s.Below(2) == 1, s.Below(2) == 1, s.Below(2) == 1
		g.alpha = []float64{1, -1, 0.5}[s.Below(3)]
		rows, cols := block.Stored(g.t, g.n, g.k)
		g.a = s.take(rnd, memory[0], edge, packedA, rows, cols)
		g.c = s.diagonal(rnd, memory[1], edge, packedC, g.n)
		if scaled {
			g.d = normal(rnd, g.k)
		}
		g.check(t, on)
	})
}

func FuzzBlockTrsm(f *testing.F) {
	seeds(f)
	all, memory := products(f), regions(f, 2)
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		s, rnd := &shape{data}, rand.New(rand.NewPCG(seed, 3))
		on, edge := all[s.Below(len(all))], guard.Edges[s.Below(2)]
		g := trsm{m: 1 + s.Below(50), n: 1 + s.Below(50), t: s.transpose(), ul: blas.Upper}
		g.side, g.diag = []blas.Side{blas.Left, blas.Right}[s.Below(2)], []blas.Diag{blas.NonUnit, blas.Unit}[s.Below(2)]
		packedA, packedB := s.Below(2) == 1, s.Below(2) == 1
		if !packedA && s.Below(2) == 1 {
			g.ul = blas.Lower
		}
		g.alpha = []float64{1, -1, 0.5}[s.Below(3)]
		g.a = s.diagonal(rnd, memory[0], edge, packedA, g.order())
		g.fill(rnd)
		g.b = s.take(rnd, memory[1], edge, packedB, g.m, g.n)
		g.check(t, on)
	})
}
