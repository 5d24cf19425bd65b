package gemm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel/internal/linalg/block"
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

// FuzzPackSource packs any block of any source, with panels of any width, and compares each element
// with that of the storage by the definition of the layouts; the storage is guarded, and so is the
// packed block.
func FuzzPackSource(f *testing.F) {
	seed(f, 30, 2, 8, 2, 2)
	all := kernels.All(f)
	storage, packedInto := guard.New(f, 1<<14), guard.New(f, 1<<15)
	buffer := make([]float64, gathered*gatheredSteps)
	f.Fuzz(func(t *testing.T, data []byte, numbers uint64) {
		s, rnd := &shape{data}, rand.New(rand.NewPCG(numbers, 12))
		k := all[s.Below(len(all))]
		edge := guard.Edges[s.Below(2)]
		form := s.Below(8)
		w := []int{k.MR, k.NR, 1 + s.Below(30)}[s.Below(3)]
		rows, cols := 1+s.Below(66), 1+s.Below(90)
		if form >= 2 && form < 5 {
			rows = cols
		}
		var x []float64
		var src source
		var at func(i, p int) int
		stored := func(i, p int) bool { return true }
		switch form {
		case 0, 1:
			ld := cols + s.Below(4)
			x = storage.Slice((rows-1)*ld+cols, edge)
			at = func(i, p int) int { return i*ld + p }
			src = opA(blas.NoTrans, block.Dense(x, ld))
		case 2, 3:
			ld := cols + s.Below(4)
			x = storage.Slice((rows-1)*ld+cols, edge)
			src = source{layout: symUpper, Matrix: block.Dense(x, ld)}
			stored = func(i, p int) bool { return i <= p }
			if form == 3 {
				src.layout = symLower
				stored = func(i, p int) bool { return i >= p }
			}
			at = func(i, p int) int {
				if !stored(i, p) {
					i, p = p, i
				}
				return i*ld + p
			}
		case 4:
			x = storage.Slice(block.PackedLen(rows), edge)
			src = source{layout: symUpper, Matrix: block.Packed(rows, x, 0, 0)}
			at = func(i, p int) int { return block.PackedIndex(rows, i, p) }
		default: // a block of a packed triangle, above its diagonal
			i := s.Below(4)
			j := i + rows - 1 + s.Below(4)
			n := j + cols + s.Below(4)
			x = storage.Slice(block.PackedLen(n), edge)
			src = opA(blas.NoTrans, block.Packed(n, x, i, j))
			at = func(r, p int) int { return block.PackedIndex(n, i+r, j+p) }
		}
		// The other way round X is the transpose of what is stored.
		if transposed := form == 1 || form == 6; transposed {
			src = opA(blas.Trans, src.Matrix)
			byRow := at
			at = func(i, p int) int { return byRow(p, i) }
			rows, cols = cols, rows
		}
		for i := range x {
			x[i] = math.NaN()
		}
		for i := range rows {
			for p := range cols {
				x[at(i, p)] = rnd.NormFloat64()
			}
		}
		if s.Below(2) == 1 {
			src.diag = values(rnd, cols)
		}
		i0, p0 := s.Below(rows), s.Below(cols)
		i1, p1 := i0+1+s.Below(rows-i0), p0+1+s.Below(cols-p0)
		kc := p1 - p0
		dst := packedInto.Slice(roundUp(i1-i0, w)*kc, edge)
		for i := range dst {
			dst[i] = inResult
		}
		if guard.Faults(func() { src.pack(&k, buffer, dst, w, i0, i1, p0, p1) }) {
			t.Fatal("something beside the storage or the packed block was touched")
		}
		for y, got := range dst {
			i, p := i0+y/(w*kc)*w+y%w, p0+y%(w*kc)/w
			want := inResult
			if i < i1 {
				if want = x[at(i, p)]; src.diag != nil {
					want *= src.diag[p]
				}
			}
			if got != want {
				t.Fatalf("form %d, w=%d, [%d:%d, %d:%d] of %d×%d: element (%d,%d) is %v, want %v", form, w, i0, i1, p0, p1, rows, cols, i, p, got, want)
			}
		}
	})
}

// FuzzSink walks over any block of any sink, dense or packed, whole or one triangle: columns, row,
// whole, load, store and scale agree with the definition of the part that is kept, and touch nothing
// else.
func FuzzSink(f *testing.F) {
	seed(f, 3, 1, 5, 0, 2)
	storage := guard.New(f, 1<<14)
	f.Fuzz(func(t *testing.T, data []byte, _ uint64) {
		s := &shape{data}
		edge := guard.Edges[s.Below(2)]
		form := s.Below(5)
		n := 1 + s.Below(66)
		rows := n
		if form == 0 {
			rows = 1 + s.Below(66)
		}
		kept := keepAll
		var x []float64
		var c sink
		var at func(i, j int) int
		switch form {
		case 3:
			x = storage.Slice(block.PackedLen(n), edge)
			c, kept = oneTriangle(blas.Upper, block.Packed(n, x, 0, 0)), keepHalf(blas.Upper)
			at = func(i, j int) int { return block.PackedIndex(n, i, j) }
		case 4: // all of a block of a packed triangle
			j := rows - 1 + s.Below(4)
			order := j + n + s.Below(4)
			x = storage.Slice(block.PackedLen(order), edge)
			c = dense(block.Packed(order, x, 0, j))
			at = func(i, col int) int { return block.PackedIndex(order, i, j+col) }
		default:
			ld := n + s.Below(4)
			x = storage.Slice((rows-1)*ld+n, edge)
			at = func(i, j int) int { return i*ld + j }
			c = dense(block.Dense(x, ld))
			if form > 0 {
				ul := triangles[form-1]
				c, kept = oneTriangle(ul, c.Matrix), keepHalf(ul)
			}
		}
		for i := range x {
			x[i] = float64(i + 1)
		}
		before := slices.Clone(x)
		i0, j0 := s.Below(rows), s.Below(n)
		m, j1 := 1+s.Below(rows-i0), j0+1+s.Below(n-j0)
		width := j1 - j0

		from, to := c.columns(i0, i0+m, j0, j1)
		first, last := c.whole(i0, m, j0, j1)
		for j := j0; j < j1; j++ {
			some, every := false, true
			for i := i0; i < i0+m; i++ {
				some, every = some || kept(i, j), every && kept(i, j)
			}
			if some != (from <= j && j < to) || every != (first <= j && j < last) {
				t.Fatalf("form %d: column %d of rows %d to %d: columns %d to %d, whole %d to %d", form, j, i0, i0+m, from, to, first, last)
			}
		}
		load := make([]float64, m*width)
		for i := range load {
			load[i] = -1
		}
		if guard.Faults(func() { c.load(load, i0, m, j0, j1) }) {
			t.Fatal("load touches something beside C")
		}
		for r := range m {
			row, begin := c.row(i0+r, j0, j1)
			for j := j0; j < j1; j++ {
				want := -1.0
				if kept(i0+r, j) {
					want = before[at(i0+r, j)]
					if j < begin || row[j-begin] != want {
						t.Fatalf("form %d: row %d begins at column %d", form, i0+r, begin)
					}
				}
				if got := load[r*width+j-j0]; got != want {
					t.Fatalf("form %d: loaded (%d,%d) is %v, want %v", form, i0+r, j, got, want)
				}
				load[r*width+j-j0] = -before[at(i0+r, j)] // something else, to be stored
			}
		}
		beta := []float64{0, 1, -0.5}[s.Below(3)]
		if guard.Faults(func() {
			c.store(load, i0, m, j0, j1)
			c.scale(beta, i0, i0+m, j0, j1)
		}) {
			t.Fatal("store or scale touches something beside C")
		}
		for i := i0; i < i0+m; i++ {
			for j := j0; j < j1; j++ {
				if kept(i, j) {
					before[at(i, j)] *= -beta
				}
			}
		}
		for i, v := range x {
			if v != before[i] {
				t.Fatalf("form %d: element %d of the storage is %v, want %v", form, i, v, before[i])
			}
		}
	})
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
