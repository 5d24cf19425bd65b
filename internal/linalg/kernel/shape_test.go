package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/internal/testutil/fuzz"
	"blskernel/internal/testutil/guard"
)

// available runs f as a subtest for each kernel, visibly skipped if this machine cannot run the kernel.
func available(t *testing.T, f func(t *testing.T, k Kernel)) {
	for _, k := range table {
		t.Run("kernel="+k.Name, func(t *testing.T) {
			if !k.Available() {
				t.Skipf("this CPU cannot run kernel %q", k.Name)
			}
			f(t, k)
		})
	}
}

// The canaries: NaN where memory is only read, so that reading it spoils the result, and a number where
// memory is written, so that an addition to it shows.
const (
	canary = 12345.678
	margin = 32 // of heap memory around an operand
)

// A span is a matrix whose elements in use reach exactly from the first to the last element of a slice.
// What lies between them is a canary.
type span struct {
	x    []float64
	zero int // the index that element (0,0) would have: may be outside x if element (0,0) is not in use
	off  func(i, j int) int
}

// newSpan returns a span of the elements (i,j) of an r×c matrix for which used is true, at the
// distances given by off.
func newSpan(r, c int, canary float64, off func(i, j int) int, used func(i, j int) bool, value func() float64) span {
	var places []int
	for i := range r {
		for j := range c {
			if used(i, j) {
				places = append(places, off(i, j))
			}
		}
	}
	if places == nil {
		return span{off: off}
	}
	lowest := slices.Min(places)
	s := span{x: apart(make([]float64, slices.Max(places)-lowest+1)), zero: -lowest, off: off}
	for i := range s.x {
		s.x[i] = canary
	}
	for _, p := range places {
		s.x[p-lowest] = value()
	}
	return s
}

// apart copies x into the middle of a longer slice, so that an address a little outside x is still in
// the same allocation. The pointer checks of the race detector require this.
func apart(x []float64) []float64 {
	all := make([]float64, len(x)+2*margin)
	copy(all[margin:], x)
	return all[margin : margin+len(x)]
}

func everyElement(int, int) bool   { return true }
func belowDiagonal(i, j int) bool  { return j < i }
func (s span) at(i, j int) float64 { return s.x[s.zero+s.off(i, j)] }

func (s span) set(i, j int, v float64) { s.x[s.zero+s.off(i, j)] = v }

// in returns the address of element (0,0) if the elements of the span are in x.
func (s span) in(x []float64) *float64 {
	if len(x) == 0 {
		return element(new(float64), s.zero)
	}
	return element(&x[0], s.zero)
}

// rowMajor returns the function for the place of element (i,j) in a matrix with rows ld apart.
func rowMajor(ld int) func(i, j int) int { return func(i, j int) int { return i*ld + j } }

// stepped is rowMajor for a distance between rows that changes by step with each row.
func stepped(ld, step int) func(i, j int) int {
	return func(i, j int) int { return i*ld + step*i*(i-1)/2 + j }
}

func (s span) copied() span { return span{slices.Clone(s.x), s.zero, s.off} }

func (s span) first() *float64 { return s.in(s.x) }

// A shape chooses the shape and the elements of a call for a check. Choices come from data, and are
// zero once it is used up. The operands of calls lie next to pages that cannot be touched.
type shape struct {
	fuzz.Choices
	t       *testing.T
	rnd     *rand.Rand
	edge    guard.Edge
	regions []*guard.Region

	nonFinite bool // values may include NaN and infinities
}

// value returns a number that shows how results are rounded. Most values are normal; some are zeros of
// either sign, subnormal, or have products that underflow or overflow.
func (s *shape) value() float64 {
	v := s.rnd.NormFloat64()
	switch s.rnd.IntN(24) {
	case 0:
		return math.Copysign(0, v)
	case 1:
		return v * 0x1p-1060
	case 2:
		return v * 0x1p-530
	case 3:
		return 16 * math.Round(v) // sums that cancel
	case 4:
		if s.nonFinite {
			return []float64{math.NaN(), math.Inf(1), math.Inf(-1), v * 0x1p1000}[s.rnd.IntN(4)]
		}
	}
	return v
}

// chooseFinite decides whether all values are finite or some are NaN and infinities.
func (s *shape) chooseFinite() { s.nonFinite = s.rnd.IntN(6) == 0 }

// put moves a span to the edge of an unused region, and returns the address of element (0,0).
func (s *shape) put(x *span) *float64 {
	r := s.regions[0]
	s.regions = s.regions[1:]
	x.x = r.Copy(x.x, s.edge)
	return x.first()
}

// vector returns n values at an increment of either sign, and the address of the first.
func (s *shape) vector(n, inc int, canary float64) (v span, first *float64) {
	v = newSpan(n, 1, canary, func(i, _ int) int { return i * inc }, everyElement, s.value)
	return v, s.put(&v)
}

// spacing chooses a distance between the first two of m rows of n elements, and its change from row to
// row. No two rows overlap.
func (s *shape) spacing(m, n int) (ld, step int) {
	step = s.Below(3) - 1
	return n + s.Below(5) + max(-step, 0)*(m-1), step
}

// run makes a call that must touch nothing but its operands.
func (s *shape) run(call func()) {
	s.t.Helper()
	if guard.Faults(call) {
		s.t.Fatal("memory outside the operands was read or written")
	}
}

// same compares all that a span covers, canaries included, with the expected values, bit for bit.
func (s *shape) same(what string, got span, want []float64) {
	s.t.Helper()
	for i, v := range got.x {
		s.equal(what, i, v, want[i])
	}
}

// equal compares element i of a result with the rule in the package comment: all bits, except for NaN.
func (s *shape) equal(what string, i int, got, want float64) {
	s.t.Helper()
	if math.Float64bits(got) != math.Float64bits(want) && !(math.IsNaN(got) && math.IsNaN(want)) {
		s.t.Fatalf("%s, element %d of its memory: %v (%x), want %v (%x) by the rule of the package comment", what, i, got, got, want, want)
	}
}

// A check makes a call, and compares all of its operands with the expected values.
type check func(s *shape, k Kernel)

func regions(t testing.TB) (all []*guard.Region) {
	for range 5 {
		all = append(all, guard.New(t, 1<<14))
	}
	return all
}

// exhaust runs a check on each kernel, at both edges. It takes all combinations of the first choices,
// below the numbers in choices, and random later ones. The short form takes about 5000 of the
// combinations, at a prime step, so that each choice still takes all its values.
func exhaust(t *testing.T, check check, choices func(k Kernel) []int) {
	testutil.NotUnderRace(t, "it starts no goroutines, and most of it is assembly")
	available(t, func(t *testing.T, k Kernel) {
		below, own := choices(k), regions(t)
		rnd := rand.New(rand.NewPCG(31, 1))
		total := 1
		for _, n := range below {
			total *= n
		}
		step, primes := 1, []int{7, 11, 13, 17, 23, 29}
		for !testutil.Long() && total/step > 5000 && len(primes) > 0 {
			step, primes = primes[0], primes[1:]
		}
		for c := 0; c < total; c += step {
			var data []byte
			rest := c
			for _, n := range below {
				data = append(data, byte(rest%n))
				rest /= n
			}
			data = append(data, fuzz.Random(rnd, 12)...)
			for _, edge := range guard.Edges {
				check(&shape{Choices: slices.Clone(data), t: t, rnd: rnd, edge: edge, regions: own}, k)
			}
			if t.Failed() {
				t.Fatalf("choices %v", data)
			}
		}
	})
}

// fuzzed adds seeds with heights and widths near the sizes of tiles, and runs a check on a kernel that
// the fuzzer chooses.
func fuzzed(f *testing.F, check check) {
	var kernels []Kernel
	for _, k := range table {
		if k.Available() {
			kernels = append(kernels, k)
		}
	}
	for form := range byte(12) {
		for _, size := range []byte{0, 1, 2, 3, 5, 6, 7, 8, 9, 15, 16, 17, 23, 24, 25, 47, 48, 49} {
			f.Add([]byte{form, form >> 1, size, size + form%3, form * 3, form, size, 1, form, 2, 1}, uint64(size))
		}
	}
	rnd := rand.New(rand.NewPCG(18, 1))
	for range 120 {
		f.Add(fuzz.Random(rnd, 16), rnd.Uint64())
	}
	own := regions(f)
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		s := &shape{t: t, Choices: data, rnd: rand.New(rand.NewPCG(seed, 9)), regions: own}
		k := kernels[s.Below(len(kernels))]
		s.edge = guard.Edges[s.Below(len(guard.Edges))]
		check(s, k)
	})
}
