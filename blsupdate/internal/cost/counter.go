package cost

import (
	"sync"
	"time"

	"blskernel"
	"blskernel/internal/backend"
)

// A Counter is a Backend that counts flops by the paper's convention (see Model) and keeps time, each by step. It
// passes every call on to another Backend.
//
// Level 3 products count by their shapes, and LAPACK-level routines as one operation each. Vector and matrix-vector
// operations are of lower order and count nothing. Several goroutines may call the products at once, but not Enter,
// Leave and Reset.
type Counter struct {
	blskernel.Backend
	packed blskernel.PackedProducts
	fused  backend.FusedProducts

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
	_ backend.Wrapper          = (*Counter)(nil)
	_ backend.FusedProducts    = (*Counter)(nil)
	_ blskernel.PackedProducts = (*Counter)(nil)
)

// NewCounter returns a Counter that passes calls on to b, or to blskernel.Default() where b is nil.
func NewCounter(b blskernel.Backend) *Counter {
	b = backend.Or(b)
	return &Counter{Backend: b, packed: blskernel.Packed(b), fused: backend.Fused(b), current: -1}
}

// Unwrap returns the Backend that c passes calls on to.
func (c *Counter) Unwrap() blskernel.Backend { return c.Backend }

// Enter accounts the flops and the time that follow to the given step, until the next Enter or Leave. A step may be
// entered many times.
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

// Total returns Flops in thirds.
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

// find returns the index of the entry of s, which it adds if need be.
func (c *Counter) find(s Step) int {
	for i, e := range c.entries {
		if e.step == s {
			return i
		}
	}
	c.entries = append(c.entries, entry{step: s})
	return len(c.entries) - 1
}

// add counts flops in the current step.
func (c *Counter) add(n Thirds) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := c.current
	if i < 0 {
		i = c.find("")
	}
	c.entries[i].count += n
}

// Begin counts a LAPACK-level routine as one operation. The Backend that it returns does not count.
func (c *Counter) Begin(r backend.Routine) blskernel.Backend {
	c.add(routineFlops(r))
	return backend.Begin(c.Backend, r)
}
