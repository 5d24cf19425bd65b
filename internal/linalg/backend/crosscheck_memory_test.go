package backend_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"blskernel"
	"blskernel/internal/linalg/block"
	"blskernel/internal/testutil/guard"

	"gonum.org/v1/gonum/blas"
)

// A draw makes the arguments of a call. Choices come from data as long as there is some, so that a
// fuzzer controls them, and then from a generator; elements of operands come from the generator.
type draw struct {
	data  []byte
	rnd   *rand.Rand
	most  int   // the largest dimension
	sizes []int // the dimensions to choose from, if any

	regions []*guard.Region // one for each operand
}

func newDraw(data []byte, seed uint64, most int, regions []*guard.Region) *draw {
	return &draw{data: data, rnd: rand.New(rand.NewPCG(seed, 8)), most: most, regions: regions}
}

func (d *draw) intN(n int) int {
	if len(d.data) == 0 {
		return d.rnd.IntN(n)
	}
	v := int(d.data[0])
	d.data = d.data[1:]
	return v % n
}

// size returns a dimension: mostly a small one, since most of the logic of shapes is in the last tile.
func (d *draw) size() int {
	if d.sizes != nil {
		return d.sizes[d.intN(len(d.sizes))]
	}
	if d.intN(8) == 0 {
		return d.intN(256) * d.most / 255
	}
	return d.intN(min(d.most, 40) + 1)
}

// ld returns a leading dimension for cols columns, odd as often as even.
func (d *draw) ld(cols int) int { return max(1, cols) + d.intN(4) }

func (d *draw) inc() int { return []int{1, 1, 2, 3, -1, -2, -5}[d.intN(7)] }

func (d *draw) scalar() float64 { return []float64{0, 1, -1, 0.7, -1.3}[d.intN(5)] }

// element returns a number in [-1, 1), or a zero with probability 1/6.
func (d *draw) element() float64 {
	if d.rnd.IntN(6) == 0 {
		return 0
	}
	return 2*d.rnd.Float64() - 1
}

// A usage is what a routine may do with an element of an operand.
type usage uint8

const (
	untouched   usage = iota // neither read nor written
	read                     // not written
	written                  // written, and read before
	overwritten              // written, and not read
)

// An operand is the memory of one operand of a call: its elements, and memory before, between and after
// them that does not belong to it.
type operand struct {
	use      []usage
	values   []float64
	diagonal []int // indices of the diagonal of a triangle to multiply or solve with
	result   bool  // some elements are written
}

// newOperand returns an operand with memory for length elements and up to two more.
func (d *draw) newOperand(length int) *operand {
	length += d.intN(3)
	return &operand{use: make([]usage, length), values: make([]float64, length)}
}

func (o *operand) set(at int, u usage, v float64) {
	o.use[at], o.values[at] = u, v
	o.result = o.result || u >= written
}

// canary fills memory of results that must not be written. It is a number, because an addition to NaN
// would not show. In other operands the canary is NaN, which spoils every result that it reaches.
const canary = 12345.678

// hostile returns the operand with canaries wherever it must not be read.
func (o *operand) hostile() []float64 {
	x := slices.Clone(o.values)
	for i, u := range o.use {
		switch {
		case u == overwritten, u == untouched && !o.result:
			x[i] = math.NaN()
		case u == untouched:
			x[i] = canary
		}
	}
	return x
}

// element returns the index of element i of a vector of n elements.
func element(n, inc, i int) int {
	if inc < 0 {
		return (i + 1 - n) * inc
	}
	return i * inc
}

// matrix returns an operand with the elements of an m×n matrix on its main diagonal, kL diagonals below
// and kU above, at the indices that at returns.
func (d *draw) matrix(length, m, n, kL, kU int, at func(i, j int) int, u usage) *operand {
	if m == 0 || length < 0 {
		length = 0
	}
	o := d.newOperand(length)
	for i := range m {
		for j := max(0, i-kL); j < min(n, i+kU+1); j++ {
			o.set(at(i, j), u, d.element())
		}
	}
	return o
}

// packedAt returns the function that gives the index of element (i,j) in packed storage, by rows.
func packedAt(ul blas.Uplo, n int) func(i, j int) int {
	if ul == blas.Upper {
		return func(i, j int) int { return block.PackedRow(n, i) + j }
	}
	return func(i, j int) int { return i*(i+1)/2 + j }
}

// triangular makes the operand a triangle of order n to multiply or solve with. Its diagonal, at the
// indices that at returns, is between 2 and 3, and must not be read if diag is blas.Unit. The other
// elements are divided by n+1, so that solutions are of the size of the right-hand side.
func (o *operand) triangular(d *draw, diag blas.Diag, n int, at func(i int) int) {
	for i := range o.values {
		o.values[i] /= float64(n + 1)
	}
	o.diagonal = make([]int, n)
	for i := range o.diagonal {
		o.diagonal[i] = at(i)
		if o.use[at(i)] == untouched {
			continue // the whole triangle is not read
		}
		o.set(at(i), read, 2+d.rnd.Float64())
		if diag == blas.Unit {
			o.set(at(i), untouched, 2+d.rnd.Float64())
		}
	}
}

// unless returns read, or untouched if the operand must not be read.
func unless(notRead bool) usage {
	if notRead {
		return untouched
	}
	return read
}

type call struct {
	text      string // the arguments
	operands  []*operand
	roundings int // k: the error of an element is at most gamma_k times its magnitude

	// do calls the routine of b with the operands x. Scalars go through s, which is the identity,
	// or math.Abs where the operands are absolute values, so that the result is the magnitude.
	do func(b blskernel.Backend, x [][]float64, s func(float64) float64) (returned []float64)

	// magnitude, if not nil, overwrites absolute values with the magnitudes, in place of do.
	magnitude func(x [][]float64)

	// twin is not nil if the call solves for X, the last operand, with the triangle in the first.
	// It overwrites X with the product of the triangle and X.
	twin func(b blskernel.Backend, x [][]float64)

	relative bool    // the error of a returned value is relative to the value
	absolute float64 // an additional absolute error that written elements may have
}

// gammaOf is gamma_k = ku/(1-ku), u = 2^-53.
func gammaOf(k int) float64 {
	ku := float64(k) * 0x1p-53
	return ku / (1 - ku)
}

// An outcome is what a call left in its operands and what it returned.
type outcome struct {
	x        [][]float64
	returned []float64
}

func identityOf(v float64) float64 { return v }

func (c *call) run(b blskernel.Backend, x [][]float64) outcome {
	return outcome{x, c.do(b, x, identityOf)}
}

func (o *operand) clean() []float64 { return slices.Clone(o.values) }

func (c *call) each(memory func(o *operand) []float64) (x [][]float64) {
	for _, o := range c.operands {
		x = append(x, memory(o))
	}
	return x
}

// expect returns the outcome of the reference, on operands that hold numbers everywhere, and the
// magnitudes by which others are compared with it.
func (c *call) expect(reference blskernel.Backend) (want, magnitude outcome) {
	want = c.run(reference, c.each((*operand).clean))
	absolute := c.each((*operand).clean)
	for _, x := range absolute {
		for i, v := range x {
			x[i] = math.Abs(v)
		}
	}
	switch {
	case c.twin != nil:
		// M(T)⁻¹|T||x|: the comparison matrix M(T) has |t_ii| on its diagonal, -|t_ij| off it.
		last := len(absolute) - 1
		for i, v := range want.x[last] {
			absolute[last][i] = math.Abs(v)
		}
		c.twin(reference, absolute)
		triangle := absolute[0]
		for i := range triangle {
			triangle[i] = -triangle[i]
		}
		for _, at := range c.operands[0].diagonal {
			triangle[at] = -triangle[at]
		}
		c.do(reference, absolute, func(float64) float64 { return 1 })
		magnitude = outcome{x: absolute}
	case c.magnitude != nil:
		c.magnitude(absolute)
		magnitude = outcome{x: absolute}
	default:
		magnitude = outcome{absolute, c.do(reference, absolute, math.Abs)}
	}
	return want, magnitude
}

// compare returns an error if got differs from want by more than the bound, or if an element that must
// not be written has changed.
func (c *call) compare(got, want, magnitude outcome) error {
	// Each result is within gamma_k times the magnitude of the exact one. The 0.01 is for the
	// magnitudes themselves, which are rounded.
	factor := 2.01 * gammaOf(c.roundings)
	for i, v := range want.returned {
		bound := factor * math.Abs(v)
		if !c.relative {
			bound = factor * magnitude.returned[i]
		}
		if !(math.Abs(got.returned[i]-v) <= bound) {
			return fmt.Errorf("returned value %d is %v, gonum's %v, the bound %.3g", i, got.returned[i], v, bound)
		}
	}
	for k, o := range c.operands {
		before := o.hostile()
		for i, u := range o.use {
			g := got.x[k][i]
			if u < written {
				if math.Float64bits(g) != math.Float64bits(before[i]) {
					return fmt.Errorf("operand %d, element %d, which is not to be written, was %v and is %v", k, i, before[i], g)
				}
				continue
			}
			if w, bound := want.x[k][i], factor*magnitude.x[k][i]+c.absolute; !(math.Abs(g-w) <= bound) {
				return fmt.Errorf("operand %d, element %d is %v, gonum's %v, the bound %.3g", k, i, g, w, bound)
			}
		}
	}
	return nil
}
