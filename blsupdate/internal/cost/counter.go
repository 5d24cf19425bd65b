package cost

import (
	"sync"
	"time"

	"blskernel"
	"blskernel/internal/linalg/backend"

	"gonum.org/v1/gonum/blas"
)

// A Counter counts flops and measures times for each step. blsupdate.Counter documents its methods.
type Counter struct {
	blskernel.Backend
	packed blskernel.PackedProducts
	fused  backend.FusedProducts

	mu      sync.Mutex
	entries []entry // one for each step since Reset, which keeps the storage
	current int     // index of the current step's entry; -1 outside a step
	since   time.Time
}

type entry struct {
	step    Step
	count   Thirds
	elapsed time.Duration
}

var (
	_ backend.Recorder         = (*Counter)(nil)
	_ backend.Wrapper          = (*Counter)(nil)
	_ backend.FusedProducts    = (*Counter)(nil)
	_ blskernel.PackedProducts = (*Counter)(nil)
)

// NewCounter returns a Counter that passes calls on to b, or to blskernel.Default() if b is nil.
func NewCounter(b blskernel.Backend) *Counter {
	b = backend.Or(b)
	return &Counter{Backend: b, packed: blskernel.Packed(b), fused: backend.Fused(b), current: -1}
}

// Unwrap returns the Backend to which c forwards calls.
func (c *Counter) Unwrap() blskernel.Backend { return c.Backend }

func (c *Counter) Enter(s Step) {
	c.Leave()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.current = c.entry(s)
	c.since = time.Now()
}

func (c *Counter) Leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current >= 0 {
		c.entries[c.current].elapsed += time.Since(c.since)
		c.current = -1
	}
}

func (c *Counter) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries, c.current = c.entries[:0], -1
}

func (c *Counter) Flops() float64 { return c.Total().Flops() }

// Total returns the flops counted since the last Reset, in thirds.
func (c *Counter) Total() Thirds {
	c.mu.Lock()
	defer c.mu.Unlock()
	var sum Thirds
	for _, e := range c.entries {
		sum += e.count
	}
	return sum
}

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

// entry returns the index of the entry for s, which it adds if there is none.
func (c *Counter) entry(s Step) int {
	for i, e := range c.entries {
		if e.step == s {
			return i
		}
	}
	c.entries = append(c.entries, entry{step: s})
	return len(c.entries) - 1
}

func (c *Counter) add(n Thirds) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.current
	if at < 0 {
		at = c.entry("")
	}
	c.entries[at].count += n
}

// Begin counts the LAPACK-level routine r as one operation. The Backend that it returns counts nothing.
func (c *Counter) Begin(r backend.Routine) blskernel.Backend {
	c.add(routineFlops(r))
	return backend.Begin(c.Backend, r)
}

// Dgemm counts 2mnk flops. The products below also count by their shapes, with half the flops if the
// result is symmetric or an operand is triangular.
func (c *Counter) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int,
	b []float64, ldb int, beta float64, dst []float64, ldc int) {
	c.add(Gemm(m, n, k))
	c.Backend.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, dst, ldc)
}

func (c *Counter) Dsymm(s blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int,
	b []float64, ldb int, beta float64, dst []float64, ldc int) {
	c.add(Gemm(m, n, Order(s, m, n)))
	c.Backend.Dsymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, dst, ldc)
}

func (c *Counter) Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int,
	beta float64, dst []float64, ldc int) {
	c.add(Gemm(n, n, k) / 2)
	c.Backend.Dsyrk(ul, t, n, k, alpha, a, lda, beta, dst, ldc)
}

func (c *Counter) Dsyr2k(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int,
	b []float64, ldb int, beta float64, dst []float64, ldc int) {
	c.add(Gemm(n, n, k))
	c.Backend.Dsyr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, dst, ldc)
}

func (c *Counter) Dtrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64,
	a []float64, lda int, b []float64, ldb int) {
	c.add(Gemm(m, n, Order(s, m, n)) / 2)
	c.Backend.Dtrmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

func (c *Counter) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64,
	a []float64, lda int, b []float64, ldb int) {
	c.add(Gemm(m, n, Order(s, m, n)) / 2)
	c.Backend.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

func (c *Counter) Dgemmt(ul blas.Uplo, tA, tB blas.Transpose, n, k int, alpha float64, a []float64, lda int,
	b []float64, ldb int, beta float64, dst []float64, ldc int) {
	c.add(Gemm(n, n, k) / 2)
	c.packed.Dgemmt(ul, tA, tB, n, k, alpha, a, lda, b, ldb, beta, dst, ldc)
}

func (c *Counter) Dgemmtp(tA, tB blas.Transpose, n, k int, alpha float64, a []float64, lda int,
	b []float64, ldb int, beta float64, ap []float64) {
	c.add(Gemm(n, n, k) / 2)
	c.packed.Dgemmtp(tA, tB, n, k, alpha, a, lda, b, ldb, beta, ap)
}

func (c *Counter) Dsprk(t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, ap []float64) {
	c.add(Gemm(n, n, k) / 2)
	c.packed.Dsprk(t, n, k, alpha, a, lda, beta, ap)
}

func (c *Counter) Dspmm(s blas.Side, m, n int, alpha float64, ap []float64, b []float64, ldb int,
	beta float64, dst []float64, ldc int) {
	c.add(Gemm(m, n, Order(s, m, n)))
	c.packed.Dspmm(s, m, n, alpha, ap, b, ldb, beta, dst, ldc)
}

func (c *Counter) DgemmTanh(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int,
	b []float64, ldb int, bias []float64, dst []float64, ldc int) {
	c.add(Gemm(m, n, k))
	c.fused.DgemmTanh(tA, tB, m, n, k, alpha, a, lda, b, ldb, bias, dst, ldc)
}

// Order returns the order of the square operand on side s of a product with an m×n result.
func Order(s blas.Side, m, n int) int {
	if s == blas.Left {
		return m
	}
	return n
}
