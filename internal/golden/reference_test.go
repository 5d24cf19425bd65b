package golden_test

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"blskernel"
	"blskernel/internal/golden"
	"blskernel/internal/testutil/backends"
)

// A sum is a sum of products in 200 bits, and of their absolute values.
type sum struct {
	exact     big.Float
	magnitude float64
	terms     int
}

func (s *sum) add(factors ...float64) {
	term := new(big.Float).SetPrec(200).SetFloat64(1)
	for _, f := range factors {
		term.Mul(term, new(big.Float).SetFloat64(f))
	}
	s.exact.SetPrec(200).Add(&s.exact, term)
	size, _ := term.Float64()
	s.magnitude += math.Abs(size)
	s.terms++
}

// check compares a result with the sum: gamma of the terms and some roundings more, times the absolute
// values (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1).
func (s *sum) check(t *testing.T, c *call, got float64) {
	t.Helper()
	off, _ := new(big.Float).SetPrec(200).Sub(&s.exact, new(big.Float).SetFloat64(got)).Float64()
	if bound := float64(s.terms+8) * 0x1p-53 * s.magnitude * (1 + 0x1p-20); !(math.Abs(off) <= bound) {
		t.Fatalf("%s %v %+v: %v, off by %v; want at most %v", c.name, c.flags, c.shape, got, off, bound)
	}
}

// TestReference compares results behind the golden hashes with sums of 200 bits, on every kernel: of
// products and triangles some elements of every call, of reductions all.
func TestReference(t *testing.T) {
	backends.OnKernels(t, func(t *testing.T, b blskernel.Backend) {
		for _, of := range slices.Concat(level1[:3], level3) {
			shapes := level3Shapes
			if of.params[0] == 'n' {
				shapes = nil
				for _, n := range vectors {
					shapes = append(shapes, shape{n, n, 0})
				}
			}
			for i, s := range shapes {
				for c := range of.cases(i, s) {
					c.compare(t, b)
				}
			}
		}
	})
}

// compare compares the results of one call.
func (c *call) compare(t *testing.T, b blskernel.Backend) {
	before := map[string][]float64{}
	c.edit = func(name string, x []float64) { before[name] = slices.Clone(x) }
	results := c.do(b)
	after, returned := map[string][]float64{}, results[len(results)-1]
	for _, name := range strings.Fields(c.params) {
		if _, ok := before[name]; ok {
			after[name], results = results[0], results[1:]
		}
	}
	source := golden.Source(c.index)
	below := func(n int) int { return int(source.Uint64() % uint64(n)) }
	alpha, beta := c.argument("alpha").(float64), c.argument("beta").(float64)
	s := new(sum)
	switch c.name {
	case "Ddot", "Dnrm2", "Dasum":
		x, y := c.vector(before["x"], "incX"), c.vector(before["y"], "incY")
		for i := range c.n {
			switch c.name {
			case "Ddot":
				s.add(x(i), y(i))
			case "Dnrm2":
				s.add(x(i), x(i))
			default:
				s.add(math.Abs(x(i)))
			}
		}
		if c.name == "Dnrm2" {
			s.exact.Sqrt(&s.exact)
			s.magnitude = math.Sqrt(s.magnitude)
		}
		s.check(t, c, returned[0])
	case "Dgemm":
		for range 2 {
			i, j, s := below(c.m), below(c.n), new(sum)
			for l := range c.k {
				s.add(alpha, c.element("a", before, i, l), c.element("b", before, l, j))
			}
			s.add(beta, c.element("c", before, i, j))
			s.check(t, c, c.element("c", after, i, j))
		}
	case "Dtrmm", "Dtrsm":
		y, z, scale := before, after, alpha
		if c.name == "Dtrsm" {
			y, z, scale = after, before, 1
		}
		for range 2 {
			i, j, s := below(c.m), below(c.n), new(sum)
			for l := range c.order() {
				if c.flags["s"] {
					s.add(scale, c.element("b", y, i, l), c.element("a", before, l, j))
				} else {
					s.add(scale, c.element("a", before, i, l), c.element("b", y, l, j))
				}
			}
			got := c.element("b", z, i, j)
			if c.name == "Dtrsm" {
				s.add(-alpha, got)
				got = 0
			}
			s.check(t, c, got)
		}
	}
}

// vector returns the elements of a vector with an increment.
func (c *call) vector(x []float64, increment string) func(i int) float64 {
	inc := c.argument(increment).(int)
	if inc < 0 {
		return func(i int) float64 { return x[(i+1-c.n)*inc] }
	}
	return func(i int) float64 { return x[i*inc] }
}

// element returns element (i, j) of op(X).
func (c *call) element(name string, of map[string][]float64, i, j int) float64 {
	transpose := name == "a" && c.flags["tA"] || name == "b" && c.flags["tB"]
	if transpose {
		i, j = j, i
	}
	if name == "a" && c.has("diag") {
		if i == j && c.flags["diag"] {
			return 1
		}
		if i > j != c.flags["ul"] && i != j {
			return 0
		}
	}
	return of[name][i*c.argument("ld"+name).(int)+j]
}
