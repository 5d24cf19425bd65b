package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/kernel"
	"blskernel/internal/linalg/workers"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/guard"
	"blskernel/internal/testutil/kernels"

	"gonum.org/v1/gonum/blas"
)

// The tests of internal/linalg/backend compare the routines with gonum's, on this machine's blocks.
// The tests here change blocks, threads and places: results must stay the same, bit for bit.

// What no routine may read or write is filled with a canary. In operands it is a NaN, which shows in
// every result that it touches; in results a number, since adding to a NaN changes nothing.
var inOperand, inResult = math.NaN(), 12345.678

// A store is the storage of a matrix: guards, gaps and unstored elements hold the canary.
type store struct {
	all, x []float64 // with and without guards
	ld     int
	at     func(i, j int) int // position of the stored element (i,j) in x
}

const margin = 8

func newStore(canary float64, n, ld int, at func(i, j int) int) store {
	all := slices.Repeat([]float64{canary}, n+2*margin)
	return store{all: all, x: all[margin : margin+n], ld: ld, at: at}
}

// newDense returns a store of r×c elements with rows ld >= c apart; the last row ends with the matrix.
func newDense(canary float64, r, c, ld int) store {
	return newStore(canary, max(0, (r-1)*ld+c), ld, func(i, j int) int { return i*ld + j })
}

func packedUpper(canary float64, n int) store {
	return newStore(canary, block.PackedLen(n), 0, func(i, j int) int { return block.PackedIndex(n, i, j) })
}

// fill sets the elements of an r×c matrix that are kept.
func (s store) fill(r, c int, kept func(i, j int) bool, value func() float64) store {
	for i := range r {
		for j := range c {
			if kept(i, j) {
				s.x[s.at(i, j)] = value()
			}
		}
	}
	return s
}

// A problem is one call of a routine that computes C = alpha·op(A)·op(B) + beta·C.
type problem struct {
	m, n, k     int
	alpha, beta float64
	a, b, c     store
	d, bias     []float64           // the diagonal between A and B, and what is added before a tanh, if the routine has them
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

// whole makes C dense and keeps all of it. half keeps one triangle; packed makes C a packed upper one.
func (p *problem) whole(rnd *rand.Rand) {
	p.c, p.kept = newDense(inResult, p.m, p.n, max(1, p.n)+rnd.IntN(4)), keepAll
}

func (p *problem) half(rnd *rand.Rand, ul blas.Uplo) {
	p.whole(rnd)
	p.kept = keepHalf(ul)
}

func (p *problem) packed() { p.c, p.kept = packedUpper(inResult, p.n), keepHalf(blas.Upper) }

// A routine builds problems. If an operand or C is square, one of m, n and k replaces another.
type routine struct {
	name  string
	build func(rnd *rand.Rand, m, n, k int, alpha, beta float64) *problem
}

// value returns a zero with probability 1/5, otherwise a number in [-1, 1).
func value(rnd *rand.Rand) float64 {
	if rnd.IntN(5) == 0 {
		return 0
	}
	return 2*rnd.Float64() - 1
}

// operand returns a random matrix X for which op(X) is r×c.
func operand(rnd *rand.Rand, t blas.Transpose, r, c int) store {
	rows, cols := block.Stored(t, r, c)
	s := newDense(inOperand, rows, cols, max(1, cols)+rnd.IntN(4))
	return s.fill(rows, cols, keepAll, func() float64 { return value(rnd) })
}

func values(rnd *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = value(rnd)
	}
	return x
}

// fill sets the elements of C that are kept: to NaN if beta = 0, because they must not be read then.
func (p *problem) fill(rnd *rand.Rand) {
	p.c.fill(p.m, p.n, p.kept, func() float64 {
		if p.beta == 0 {
			return math.NaN()
		}
		return value(rnd)
	})
}

// on returns all memory of C after a call on an engine, and leaves C as it was.
func (p *problem) on(e *Engine) []float64 {
	before := slices.Clone(p.c.all)
	active = e
	p.call()
	got := slices.Clone(p.c.all)
	copy(p.c.all, before)
	return got
}

func (p *problem) String() string {
	return fmt.Sprintf("m=%d n=%d k=%d alpha=%v beta=%v", p.m, p.n, p.k, p.alpha, p.beta)
}

func identical(x, y []float64) bool {
	return slices.EqualFunc(x, y, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// eachKernel runs f as a subtest on every kernel, with the blocks of this machine. The portable kernel,
// which takes longest, is left out if there is another, unless testutil.Long.
func eachKernel(t *testing.T, f func(t *testing.T)) {
	each := kernels.All(t)
	if !testutil.Long() && len(each) > 1 {
		each = each[:len(each)-1]
	}
	for _, k := range each {
		t.Run("kernel="+k.Name, func(t *testing.T) {
			use(t, New(k))
			f(t)
		})
	}
}

// few reports whether a test takes only some of its cases: under the race detector and in emulation,
// where the portable kernel takes long, unless the long form is asked for.
func few() bool { return (testutil.UnderRace() || testutil.Emulated()) && !testutil.Long() }

// pool has the threads of the engines under test, as if there were many CPUs and sharing always paid.
var pool = workers.New(64, 0)

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

func use(t testing.TB, e *Engine) {
	saved := active
	t.Cleanup(func() { active = saved })
	active = onPool(e)
}

func setThreads(t testing.TB, n int) {
	t.Cleanup(func() { pool.SetThreads(0) })
	pool.SetThreads(n)
}

// fences are the regions that hold the operands of a call: a, b, c, d and the bias.
type fences [5]*guard.Region

func newFences(t testing.TB, n int) (f fences) {
	for i := range f {
		f[i] = guard.New(t, n)
	}
	return f
}

// call calls the routine with all its operands at an edge of a region, each exactly as long as the BLAS
// requires.
func (f fences) call(t *testing.T, p *problem, edge guard.Edge) {
	t.Helper()
	for i, x := range []*[]float64{&p.a.x, &p.b.x, &p.c.x, &p.d, &p.bias} {
		if *x != nil {
			*x = f[i].Copy(*x, edge)
		}
	}
	if guard.Faults(p.call) {
		t.Fatalf("%v, operands %v, blocks %+v: memory outside them was touched", p, edge, active.blocks)
	}
	for _, o := range []*store{&p.a, &p.b, &p.c} {
		copy(o.all[margin:], o.x)
		o.x = o.all[margin : margin+len(o.x)]
	}
}
