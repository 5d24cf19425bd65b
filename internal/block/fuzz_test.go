package block_test

import (
	"fmt"
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
	for i := range p.all {
		p.all[i] = rnd.NormFloat64()
	}
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

// unchanged returns an error if anything has changed but the elements that are kept.
func (p *place) unchanged(kept func(i, j int) bool) error {
	after := slices.Clone(p.all)
	for i := range p.rows {
		for j := range p.cols {
			if kept(i, j) {
				after[p.at(i, j)] = p.before[p.at(i, j)]
			}
		}
	}
	for i, v := range after {
		if math.Float64bits(v) != math.Float64bits(p.before[i]) {
			return fmt.Errorf("element %d, which is not to be written, was %v and is %v", i, p.before[i], v)
		}
	}
	return nil
}

func nothing(int, int) bool    { return false }
func everything(int, int) bool { return true }

// products returns those of every backend and those made of Dgemm. They compute in the goroutine of the
// test, since a fault in another one ends the program.
func products(f *testing.F) []block.Products {
	blskernel.SetThreads(1)
	f.Cleanup(func() { blskernel.SetThreads(0) })
	all := []block.Products{block.On(gonum.Implementation{})}
	for _, b := range backends.All(f) {
		if b.Name() == "pure" {
			all = append(all, block.On(b))
		}
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

// run makes a call that touches nothing beside its operands.
func run(t *testing.T, call func()) {
	t.Helper()
	if guard.Faults(call) {
		t.Fatal("something beside an operand was read or written")
	}
}

func FuzzBlockGemm(f *testing.F) {
	seeds(f)
	all := products(f)
	var regions []*guard.Region
	for range 3 {
		regions = append(regions, guard.New(f, 1<<14))
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		s, rnd := &shape{data}, rand.New(rand.NewPCG(seed, 1))
		on, edge := all[s.Below(len(all))], guard.Edges[s.Below(2)]
		m, n, k := s.Below(50), s.Below(50), 1+s.Below(50)
		tA, tB := s.transpose(), s.transpose()
		packedA, packedB, packedC := s.Below(2) == 1, s.Below(2) == 1, s.Below(2) == 1
		alpha, beta := []float64{1, -1, 0.5}[s.Below(3)], []float64{1, 0, -2}[s.Below(3)]
		rowsA, colsA, rowsB, colsB := m, k, k, n
		if tA != blas.NoTrans {
			rowsA, colsA = k, m
		}
		if tB != blas.NoTrans {
			rowsB, colsB = n, k
		}
		if m == 0 || n == 0 {
			return // which callers do not ask for
		}
		a := s.take(rnd, regions[0], edge, packedA, rowsA, colsA)
		b := s.take(rnd, regions[1], edge, packedB, rowsB, colsB)
		c := s.take(rnd, regions[2], edge, packedC, m, n)
		run(t, func() { on.BlockGemm(tA, tB, m, n, k, alpha, a.Matrix, b.Matrix, beta, c.Matrix) })
		for i := range m {
			for j := range n {
				// Two multiplications by scalars, k terms, two additions: k+4 roundings
				// on the way of each.
				want, size := beta*c.was(blas.NoTrans, i, j), math.Abs(beta*c.was(blas.NoTrans, i, j))
				for l := range k {
					v := alpha * a.was(tA, i, l) * b.was(tB, l, j)
					want, size = want+v, size+math.Abs(v)
				}
				if got := c.all[c.at(i, j)]; !(math.Abs(got-want) <= 2.01*float64(k+4)*eps*size) {
					t.Fatalf("m=%d n=%d k=%d %c%c: element (%d,%d) is %v, want %v", m, n, k, tA, tB, i, j, got, want)
				}
			}
		}
		for _, err := range []error{a.unchanged(nothing), b.unchanged(nothing), c.unchanged(everything)} {
			if err != nil {
				t.Fatalf("m=%d n=%d k=%d %c%c: %v", m, n, k, tA, tB, err)
			}
		}
	})
}

func FuzzBlockSyrk(f *testing.F) {
	seeds(f)
	all := products(f)
	regions := []*guard.Region{guard.New(f, 1<<14), guard.New(f, 1<<14)}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		s, rnd := &shape{data}, rand.New(rand.NewPCG(seed, 2))
		on, edge := all[s.Below(len(all))], guard.Edges[s.Below(2)]
		n, k, tr := 1+s.Below(50), 1+s.Below(50), s.transpose()
		packedA, packedC, scaled := s.Below(2) == 1, s.Below(2) == 1, s.Below(2) == 1
		alpha := []float64{1, -1, 0.5}[s.Below(3)]
		rows, cols := n, k
		if tr != blas.NoTrans {
			rows, cols = k, n
		}
		a := s.take(rnd, regions[0], edge, packedA, rows, cols)
		c := s.diagonal(rnd, regions[1], edge, packedC, n)
		var d []float64
		if scaled {
			d = make([]float64, k)
			for i := range d {
				d[i] = rnd.NormFloat64()
			}
		}
		run(t, func() { on.BlockSyrk(tr, n, k, alpha, a.Matrix, d, c.Matrix) })
		for i := range n {
			for j := i; j < n; j++ {
				want := c.was(blas.NoTrans, i, j)
				size := math.Abs(want)
				for l := range k {
					v := alpha * a.was(tr, i, l) * a.was(tr, j, l)
					if scaled {
						v *= d[l]
					}
					want, size = want+v, size+math.Abs(v)
				}
				if got := c.all[c.at(i, j)]; !(math.Abs(got-want) <= 2.01*float64(k+5)*eps*size) {
					t.Fatalf("n=%d k=%d %c: element (%d,%d) is %v, want %v", n, k, tr, i, j, got, want)
				}
			}
		}
		for _, err := range []error{a.unchanged(nothing), c.unchanged(func(i, j int) bool { return i <= j })} {
			if err != nil {
				t.Fatalf("n=%d k=%d %c: %v", n, k, tr, err)
			}
		}
	})
}

// FuzzBlockTrsm multiplies the solution by the triangle again: |op(A)·X - alpha·B| <= gamma_{k+4}
// |op(A)||X| for a triangle of order k (Higham, Accuracy and Stability of Numerical Algorithms, theorem
// 8.5), and the sums by which it is found have the same bound.
func FuzzBlockTrsm(f *testing.F) {
	seeds(f)
	all := products(f)
	regions := []*guard.Region{guard.New(f, 1<<14), guard.New(f, 1<<14)}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		s, rnd := &shape{data}, rand.New(rand.NewPCG(seed, 3))
		on, edge := all[s.Below(len(all))], guard.Edges[s.Below(2)]
		m, n, tr := 1+s.Below(50), 1+s.Below(50), s.transpose()
		side, diag := []blas.Side{blas.Left, blas.Right}[s.Below(2)], []blas.Diag{blas.NonUnit, blas.Unit}[s.Below(2)]
		packedA, packedB := s.Below(2) == 1, s.Below(2) == 1
		ul := blas.Upper
		if !packedA && s.Below(2) == 1 {
			ul = blas.Lower
		}
		alpha := []float64{1, -1, 0.5}[s.Below(3)]
		k := m
		if side == blas.Right {
			k = n
		}
		a := s.diagonal(rnd, regions[0], edge, packedA, k)
		inside := func(i, j int) bool { return i == j && diag == blas.NonUnit || i != j && (i < j) == (ul == blas.Upper) }
		for i := range k {
			for j := range k {
				at := 0
				switch {
				case packedA && i > j:
					continue
				default:
					at = a.at(i, j)
				}
				switch {
				case !inside(i, j):
					a.all[at] = math.NaN()
				case i == j:
					a.all[at] = 2 + rnd.Float64()
				default:
					a.all[at] /= float64(k)
				}
			}
		}
		a.before = slices.Clone(a.all)
		b := s.take(rnd, regions[1], edge, packedB, m, n)
		run(t, func() { on.BlockTrsm(side, ul, tr, diag, m, n, alpha, a.Matrix, b.Matrix) })
		element := func(i, j int) float64 { // of op(A)
			if tr != blas.NoTrans {
				i, j = j, i
			}
			switch {
			case i == j && diag == blas.Unit:
				return 1
			case !inside(i, j):
				return 0
			}
			return a.before[a.at(i, j)]
		}
		for i := range m {
			for j := range n {
				sum, size := -alpha*b.was(blas.NoTrans, i, j), math.Abs(alpha*b.was(blas.NoTrans, i, j))
				for l := range k {
					v := 0.0
					if side == blas.Left {
						v = element(i, l) * b.all[b.at(l, j)]
					} else {
						v = b.all[b.at(i, l)] * element(l, j)
					}
					sum, size = sum+v, size+math.Abs(v)
				}
				if !(math.Abs(sum) <= 2.01*float64(k+4)*eps*size) {
					t.Fatalf("m=%d n=%d %c%c%c%c: row %d, column %d: residual %v", m, n, side, ul, tr, diag, i, j, sum)
				}
			}
		}
		for _, err := range []error{a.unchanged(nothing), b.unchanged(everything)} {
			if err != nil {
				t.Fatalf("m=%d n=%d %c%c%c%c: %v", m, n, side, ul, tr, diag, err)
			}
		}
	})
}
