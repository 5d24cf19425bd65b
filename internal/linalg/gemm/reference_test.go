package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/cpu"
	"blskernel/internal/linalg/kernel"
	"blskernel/internal/linalg/workers"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/kernels"

	"gonum.org/v1/gonum/blas"
)

// unit is the unit roundoff u of float64.
const unit = 0x1p-53

// gamma returns gamma_n = n·u/(1 - n·u).
func gamma(n int) float64 {
	nu := float64(n) * unit
	return nu / (1 - nu)
}

// A twofold is an unevaluated sum hi + lo of about 106 bits.
type twofold struct{ hi, lo float64 }

// addProduct returns s + x·y (Ogita, Rump and Oishi, "Accurate sum and dot product", SIAM J. Sci.
// Comput. 26(6), 2005, Dot2): the error of k such steps is of order k²·u² times the sum of magnitudes,
// nothing beside the bounds of these tests.
func (s twofold) addProduct(x, y float64) twofold {
	p := float64(x * y) // rounded: without the conversion some processors would add the product as it is
	e := math.FMA(x, y, -p)
	hi := s.hi + p
	z := hi - s.hi
	return twofold{hi, s.lo + ((s.hi - (hi - z)) + (p - z)) + e}
}

// distance returns |x - s|.
func (s twofold) distance(x float64) float64 { return math.Abs((x - s.hi) - s.lo) }

// What no routine may read or write is filled with a canary. In operands it is a NaN, which shows
// in every result that it touches; in results a number, since a NaN to which something is added
// stays the same.
var inOperand, inResult = math.NaN(), 12345.678

// A store is the storage of a matrix: guards, gaps and unstored elements hold the canary.
type store struct {
	all, x []float64 // with and without guards
	ld     int
	at     func(i, j int) int // position of the stored element (i,j) in x
}

const margin = 8

func newStore(canary float64, n, ld int, at func(i, j int) int) store {
	all := make([]float64, n+2*margin)
	for i := range all {
		all[i] = canary
	}
	return store{all: all, x: all[margin : margin+n], ld: ld, at: at}
}

// newDense is a store of r×c elements with rows ld >= c apart; the last row ends where the matrix ends.
func newDense(canary float64, r, c, ld int) store {
	return newStore(canary, max(0, (r-1)*ld+c), ld, func(i, j int) int { return i*ld + j })
}

// packedUpper is a store of the upper triangle of an n×n matrix.
func packedUpper(canary float64, n int) store {
	return newStore(canary, block.PackedLen(n), 0, func(i, j int) int { return block.PackedIndex(n, i, j) })
}

// A problem is one call of a routine that computes C = alpha·A·B + beta·C, with the operands as the
// mathematics sees them.
type problem struct {
	m, n, k     int
	more        int // roundings of each term beside those of a plain product
	alpha, beta float64
	a, b        store
	A, B        func(i, j int) float64
	d, bias     []float64 // the diagonal between A and B, and what is added before a tanh, if the routine has them
	c           store
	kept        func(i, j int) bool // whether element (i,j) of C is part of the result
	call        func()
}

func keepAll(i, j int) bool { return true }

func keepHalf(ul blas.Uplo) func(i, j int) bool {
	if ul == blas.Upper {
		return func(i, j int) bool { return i <= j }
	}
	return func(i, j int) bool { return i >= j }
}

// whole keeps all of C, half a triangle of it, and packed the upper triangle, packed.
func (p *problem) whole(rnd *rand.Rand) {
	p.c, p.kept = newDense(inResult, p.m, p.n, max(1, p.n)+rnd.IntN(4)), keepAll
}

func (p *problem) half(rnd *rand.Rand, ul blas.Uplo) {
	p.whole(rnd)
	p.kept = keepHalf(ul)
}

func (p *problem) packed() { p.c, p.kept = packedUpper(inResult, p.n), keepHalf(blas.Upper) }

// A routine builds problems: those whose operands are square take m or n as needed for m, n and k.
type routine struct {
	name  string
	build func(rnd *rand.Rand, m, n, k int, alpha, beta float64) *problem
}

// value fills stores: a fifth of the elements are zeros.
func value(rnd *rand.Rand) float64 {
	if rnd.IntN(5) == 0 {
		return 0
	}
	return 2*rnd.Float64() - 1
}

// operand stores op(X) = an r×c matrix with random elements.
func operand(rnd *rand.Rand, t blas.Transpose, r, c int) (store, func(i, j int) float64) {
	rows, cols := r, c
	if t != blas.NoTrans {
		rows, cols = c, r
	}
	s := newDense(inOperand, rows, cols, max(1, cols)+rnd.IntN(4))
	for i := range rows {
		for j := range cols {
			s.x[s.at(i, j)] = value(rnd)
		}
	}
	return s, func(i, j int) float64 {
		if t != blas.NoTrans {
			i, j = j, i
		}
		return s.x[s.at(i, j)]
	}
}

// values returns n random elements.
func values(rnd *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = value(rnd)
	}
	return x
}

// diagonal puts a random diagonal between A and B: the rows of B are scaled by it.
func (p *problem) diagonal(rnd *rand.Rand) {
	p.d, p.more = values(rnd, p.k), 1
	b := p.B
	p.B = func(i, j int) float64 { return p.d[i] * b(i, j) }
}

// newSymmetric stores one triangle of a random symmetric matrix of order n.
func newSymmetric(rnd *rand.Rand, s store, ul blas.Uplo, n int) (store, func(i, j int) float64) {
	at := func(i, j int) int {
		if (i > j) == (ul == blas.Upper) {
			i, j = j, i
		}
		return s.at(i, j)
	}
	for i := range n {
		for j := range i + 1 {
			s.x[at(i, j)] = value(rnd)
		}
	}
	return s, func(i, j int) float64 { return s.x[at(i, j)] }
}

// fill sets what is kept of C: to NaN if beta = 0, since it must not be read then.
func (p *problem) fill(rnd *rand.Rand) {
	for i := range p.m {
		for j := range p.n {
			switch {
			case !p.kept(i, j):
			case p.beta == 0:
				p.c.x[p.c.at(i, j)] = math.NaN()
			default:
				p.c.x[p.c.at(i, j)] = value(rnd)
			}
		}
	}
}

// An expectation is what C is to be after a call: its elements before a tanh, in twice the precision,
// the magnitudes by which their errors are judged, and the storage, of which all that is not a result
// is to stay.
type expectation struct {
	want   []twofold // by rows
	bound  []float64
	before []float64 // all of C
	a, b   []float64 // all of the operands
}

// expect computes C.
func (p *problem) expect() expectation {
	x := expectation{
		want: make([]twofold, p.m*p.n), bound: make([]float64, p.m*p.n),
		before: slices.Clone(p.c.all), a: slices.Clone(p.a.all), b: slices.Clone(p.b.all),
	}
	// Rows of A and columns of B, contiguous.
	a, b := make([]float64, p.m*p.k), make([]float64, p.k*p.n)
	for l := range p.k {
		for i := range p.m {
			a[i*p.k+l] = p.A(i, l)
		}
		for j := range p.n {
			b[j*p.k+l] = p.B(l, j)
		}
	}
	for i := range p.m {
		row := a[i*p.k : (i+1)*p.k]
		for j := range p.n {
			if !p.kept(i, j) {
				continue
			}
			var want twofold
			var bound float64
			if p.beta != 0 {
				c := p.c.x[p.c.at(i, j)]
				want = want.addProduct(p.beta, c)
				bound = math.Abs(p.beta * c)
			}
			if p.bias != nil {
				want = want.addProduct(1, p.bias[j])
				bound = math.Abs(p.bias[j])
			}
			if p.alpha != 0 {
				sum, magnitude := dot(row, b[j*p.k:(j+1)*p.k])
				want = want.addProduct(p.alpha, sum.hi).addProduct(p.alpha, sum.lo)
				bound += math.Abs(p.alpha) * magnitude
			}
			x.want[i*p.n+j], x.bound[i*p.n+j] = want, bound
		}
	}
	return x
}

// dot returns the inner product and that of the absolute values.
func dot(x, y []float64) (sum twofold, magnitude float64) {
	y = y[:len(x)]
	for l, v := range x {
		sum = sum.addProduct(v, y[l])
		magnitude += math.Abs(v * y[l])
	}
	return sum, magnitude
}

// verify compares every element of C with the bound of the package comment, and every other element of
// every operand with what it was.
func (p *problem) verify(t *testing.T, x expectation) {
	t.Helper()
	if !identical(p.a.all, x.a) || !identical(p.b.all, x.b) {
		t.Errorf("%v: an operand was changed", p)
	}
	after := slices.Clone(x.before)
	g := gamma(p.k + 2 + p.more)
	for i := range p.m {
		for j := range p.n {
			if !p.kept(i, j) {
				continue
			}
			at := p.c.at(i, j)
			got, want, bound := p.c.x[at], x.want[i*p.n+j], g*x.bound[i*p.n+j]
			after[margin+at] = got
			if p.bias != nil {
				// |tanh'| <= 1, so the error of the sum is not magnified. The kernel's
				// tanh errs by less than 2 ulp, math.Tanh by 2.5e-16 of the value
				// (Cephes), less than 3 ulp.
				value := math.Tanh(want.hi)
				want, bound = twofold{value, 0}, bound+math.Abs(want.lo)+5*ulp(value)
			}
			if e := want.distance(got); !(e <= bound) {
				t.Fatalf("%v: C[%d,%d] = %v, want %v: error %.3g, bound %.3g", p, i, j, got, want.hi, e, bound)
			}
		}
	}
	if !identical(p.c.all, after) {
		t.Errorf("%v: something beside the result was written", p)
	}
}

// ulp returns the distance from |x| to the next number.
func ulp(x float64) float64 { return math.Nextafter(math.Abs(x), math.Inf(1)) - math.Abs(x) }

// check calls the routine and verifies the result.
func (p *problem) check(t *testing.T) {
	t.Helper()
	x := p.expect()
	p.call()
	p.verify(t, x)
}

func (p *problem) String() string {
	return fmt.Sprintf("m=%d n=%d k=%d alpha=%v beta=%v", p.m, p.n, p.k, p.alpha, p.beta)
}

// identical reports whether x and y agree bit for bit.
func identical(x, y []float64) bool {
	return slices.EqualFunc(x, y, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// A way is an engine that goes its own way through small matrices.
type way struct {
	name string
	*Engine
}

// ways returns, for each kernel, the engine that is used, one with blocks of a few tiles, one with the
// same that reads B where it lies if it can, and one with diagonal blocks of more rows than are
// applied in place. The portable kernel, which takes longest, is left out where there is another,
// unless testutil.Long.
func ways(t testing.TB) (all []way) {
	each := kernels.All(t)
	if !testutil.Long() && len(each) > 1 {
		each = each[:len(each)-1]
	}
	for _, k := range each {
		tiny := blockSizes{MC: 3 * k.MR, KC: 8, NC: 2 * k.NR}
		diagonal := tiny
		diagonal.KC = 2 * (fewRows + 2*k.MR)
		all = append(all,
			way{"kernel=" + k.Name + "/blocks=own", onPool(New(k))},
			way{"kernel=" + k.Name + "/blocks=tiny", &Engine{kernel: k, pool: pool, blocks: tiny}},
			way{"kernel=" + k.Name + "/blocks=unpacked", &Engine{kernel: k, pool: pool, blocks: tiny, caches: cpu.Caches{L2: math.MaxInt}}},
			way{"kernel=" + k.Name + "/blocks=diagonal", &Engine{kernel: k, pool: pool, blocks: diagonal}})
	}
	return all
}

// eachWay runs f as a subtest on every way.
func eachWay(t *testing.T, f func(t *testing.T)) {
	for _, e := range ways(t) {
		t.Run(e.name, func(t *testing.T) {
			use(t, e.Engine)
			f(t)
		})
	}
}

// few reports whether a test takes some of its cases alone: under the race detector and in emulation,
// where the portable kernel takes long, unless the long form is asked for.
func few() bool { return (testutil.UnderRace() || testutil.Emulated()) && !testutil.Long() }

// eachKernel runs f as a subtest on every kernel, with blocks of a few tiles.
func eachKernel(t *testing.T, f func(t *testing.T)) {
	for _, e := range ways(t) {
		if strings.HasSuffix(e.name, "=tiny") {
			t.Run(e.name, func(t *testing.T) {
				use(t, e.Engine)
				f(t)
			})
		}
	}
}

// pool has the threads of the engines under test, as if there were many CPUs and sharing always gained.
var pool = workers.New(64, 0)

// active is the engine under test.
var active = onPool(New(selected()))

func onPool(e *Engine) *Engine {
	e.pool = pool
	return e
}

func selected() kernel.Kernel {
	k, err := kernel.Selected()
	if err != nil {
		panic(err)
	}
	return k
}

// use makes e the engine until the test ends.
func use(t testing.TB, e *Engine) {
	saved := active
	t.Cleanup(func() { active = saved })
	active = onPool(e)
}

// setThreads sets the number of threads until the test ends.
func setThreads(t testing.TB, n int) {
	t.Cleanup(func() { pool.SetThreads(0) })
	pool.SetThreads(n)
}

// setProcs sets GOMAXPROCS until the test ends.
func setProcs(t testing.TB, n int) {
	saved := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(saved) })
}
