package cost

import (
	"sync"
	"time"

	"blskernel/internal/backend"

	"blskernel"

	"gonum.org/v1/gonum/blas"
)

// A Counter is a Backend that counts the flops it is asked for, by the paper's convention (see
// Model), and keeps time, each by step. It passes every call on to another Backend.
//
// Level 3 products are counted by their shapes, LAPACK-level routines as one operation each. Vector
// and matrix-vector operations are of lower order and not counted. The products may be called from
// several goroutines at once; Enter, Leave and Reset may not.
type Counter struct {
	blskernel.Backend
	packed blskernel.PackedProducts

	mu      sync.Mutex
	entries []entry
	current int // index into entries, -1 for none
	since   time.Time
}

type entry struct {
	step    Step
	count   Thirds
	elapsed time.Duration
}

var (
	_ backend.Recorder         = (*Counter)(nil)
	_ blskernel.PackedProducts = (*Counter)(nil)
)

// NewCounter returns a Counter that passes calls on to b, or to blskernel.Default() where b is nil.
func NewCounter(b blskernel.Backend) *Counter {
	b = backend.Or(b)
	return &Counter{Backend: b, packed: blskernel.Packed(b), current: -1}
}

// Enter accounts all that follows, flops and time, to the given step, until the next Enter or Leave.
// A step may be entered many times.
func (c *Counter) Enter(s Step) {
	c.Leave()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.current = c.find(s)
	c.since = time.Now()
}

// Leave ends the current step. What follows is accounted to the step with the empty name.
func (c *Counter) Leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current >= 0 {
		c.entries[c.current].elapsed += time.Since(c.since)
		c.current = -1
	}
}

// Reset forgets all counts and times.
func (c *Counter) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries, c.current = nil, -1
}

// Flops returns the flops counted since the last Reset, in all steps.
func (c *Counter) Flops() float64 { return c.Total().Flops() }

func (c *Counter) Total() Thirds {
	c.mu.Lock()
	defer c.mu.Unlock()
	var sum Thirds
	for _, e := range c.entries {
		sum += e.count
	}
	return sum
}

// Step returns the flops and the time accounted to s since the last Reset.
func (c *Counter) Step(s Step) (flops float64, elapsed time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.entries {
		if e.step == s {
			return e.count.Flops(), e.elapsed
		}
	}
	return 0, 0
}

// find returns the index of the entry of s, which it makes where there is none.
func (c *Counter) find(s Step) int {
	for i, e := range c.entries {
		if e.step == s {
			return i
		}
	}
	c.entries = append(c.entries, entry{step: s})
	return len(c.entries) - 1
}

func (c *Counter) Add(n Thirds) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := c.current
	if i < 0 {
		i = c.find("")
	}
	c.entries[i].count += n
}

// Unwrap returns the Backend that c passes calls on to.
func (c *Counter) Unwrap() blskernel.Backend { return c.Backend }

// Begin counts a LAPACK-level routine as one operation. Its inner calls go past this Counter.
func (c *Counter) Begin(r backend.Routine) blskernel.Backend {
	c.Add(routineFlops(r))
	return backend.Begin(c.Backend, r)
}

// Dgemm counts 2mnk flops and calls the Backend's Dgemm.
func (c *Counter) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, dst []float64, ldc int) {
	c.Add(Gemm(m, n, k))
	c.Backend.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, dst, ldc)
}

// Dsymm counts 2m²n or 2mn² flops and calls the Backend's Dsymm.
func (c *Counter) Dsymm(s blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, dst []float64, ldc int) {
	c.Add(Gemm(m, n, Order(s, m, n)))
	c.Backend.Dsymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, dst, ldc)
}

// Dsyrk counts n²k flops and calls the Backend's Dsyrk.
func (c *Counter) Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, dst []float64, ldc int) {
	c.Add(Gemm(n, n, k) / 2)
	c.Backend.Dsyrk(ul, t, n, k, alpha, a, lda, beta, dst, ldc)
}

// Dsyr2k counts 2n²k flops and calls the Backend's Dsyr2k.
func (c *Counter) Dsyr2k(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, dst []float64, ldc int) {
	c.Add(Gemm(n, n, k))
	c.Backend.Dsyr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, dst, ldc)
}

// Dtrmm counts m²n or mn² flops and calls the Backend's Dtrmm.
func (c *Counter) Dtrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	c.Add(Gemm(m, n, Order(s, m, n)) / 2)
	c.Backend.Dtrmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

// Dtrsm counts m²n or mn² flops and calls the Backend's Dtrsm.
func (c *Counter) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	c.Add(Gemm(m, n, Order(s, m, n)) / 2)
	c.Backend.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

// Dgemmt counts n²k flops and calls the Backend's Dgemmt.
func (c *Counter) Dgemmt(ul blas.Uplo, tA, tB blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, dst []float64, ldc int) {
	c.Add(Gemm(n, n, k) / 2)
	c.packed.Dgemmt(ul, tA, tB, n, k, alpha, a, lda, b, ldb, beta, dst, ldc)
}

// Dgemmtp counts n²k flops and calls the Backend's Dgemmtp.
func (c *Counter) Dgemmtp(tA, tB blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, ap []float64) {
	c.Add(Gemm(n, n, k) / 2)
	c.packed.Dgemmtp(tA, tB, n, k, alpha, a, lda, b, ldb, beta, ap)
}

// Dsprk counts n²k flops and calls the Backend's Dsprk.
func (c *Counter) Dsprk(t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, ap []float64) {
	c.Add(Gemm(n, n, k) / 2)
	c.packed.Dsprk(t, n, k, alpha, a, lda, beta, ap)
}

// Dspmm counts 2m²n or 2mn² flops and calls the Backend's Dspmm.
func (c *Counter) Dspmm(s blas.Side, m, n int, alpha float64, ap []float64, b []float64, ldb int, beta float64, dst []float64, ldc int) {
	c.Add(Gemm(m, n, Order(s, m, n)))
	c.packed.Dspmm(s, m, n, alpha, ap, b, ldb, beta, dst, ldc)
}

// order returns the order of the square operand of an m×n result.
func Order(s blas.Side, m, n int) int {
	if s == blas.Left {
		return m
	}
	return n
}
