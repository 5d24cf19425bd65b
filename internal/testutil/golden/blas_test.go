package golden_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"blskernel"
	"blskernel/internal/linalg/backend"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/check"
	"blskernel/internal/selftest"

	"gonum.org/v1/gonum/blas"
)

// A routine has the names of its parameters, in order, and the rule for its results.
type routine struct{ name, params, rule string }

var level1 = []routine{
	{"Ddot", "n x incX y incY", ruleReduction},
	{"Dnrm2", "n x incX", ruleReduction},
	{"Dasum", "n x incX", ruleReduction},
	{"Idamax", "n x incX", ruleElement},
	{"Dswap", "n x incX y incY", ruleElement},
	{"Dcopy", "n x incX y incY", ruleElement},
	{"Daxpy", "n alpha x incX y incY", ruleElement},
	{"Drot", "n x incX y incY alpha beta", ruleElement},
	{"Drotm", "n x incX y incY p", ruleElement},
	{"Dscal", "n alpha x incX", ruleElement},
}

var level2 = []routine{
	{"Dgemv", "tA m n alpha a lda x incX beta y incY", ruleReduction},
	{"Dgbmv", "tA m n kL kU alpha a lda x incX beta y incY", ruleReduction},
	{"Dtrmv", "ul tA diag n a lda x incX", ruleReduction},
	{"Dtbmv", "ul tA diag n k a lda x incX", ruleReduction},
	{"Dtpmv", "ul tA diag n ap x incX", ruleReduction},
	{"Dtrsv", "ul tA diag n a lda x incX", ruleReduction},
	{"Dtbsv", "ul tA diag n k a lda x incX", ruleReduction},
	{"Dtpsv", "ul tA diag n ap x incX", ruleReduction},
	{"Dsymv", "ul n alpha a lda x incX beta y incY", ruleReduction},
	{"Dsbmv", "ul n k alpha a lda x incX beta y incY", ruleReduction},
	{"Dspmv", "ul n alpha ap x incX beta y incY", ruleReduction},
	{"Dger", "m n alpha x incX y incY a lda", ruleElement},
	{"Dsyr", "ul n alpha x incX a lda", ruleElement},
	{"Dspr", "ul n alpha x incX ap", ruleElement},
	{"Dsyr2", "ul n alpha x incX y incY a lda", ruleElement},
	{"Dspr2", "ul n alpha x incX y incY ap", ruleElement},
}

var level3 = []routine{
	{"Dgemm", "tA tB m n k alpha a lda b ldb beta c ldc", ruleProduct},
	{"Dsymm", "s ul m n alpha a lda b ldb beta c ldc", ruleProduct},
	{"Dsyrk", "ul tA n k alpha a lda beta c ldc", ruleProduct},
	{"Dsyr2k", "ul tA n k alpha a lda b ldb beta c ldc", ruleProduct},
	{"Dtrmm", "s ul tA diag m n alpha a lda b ldb", ruleTriangle},
	{"Dtrsm", "s ul tA diag m n alpha a lda b ldb", ruleTriangle},
	{"Dgemmt", "ul tA tB n k alpha a lda b ldb beta c ldc", ruleProduct},
	{"Dgemmtp", "tA tB n k alpha a lda b ldb beta ap", ruleProduct},
	{"Dsprk", "tA n k alpha a lda beta ap", ruleProduct},
	{"Dspmm", "s m n alpha ap b ldb beta c ldc", ruleProduct},
	{"DgemmTanh", "tA tB m n k alpha a lda b ldb bias c ldc", ruleProduct + "; tanh is the kernel's own"},
}

// A shape has the sizes of a call. Its index in the list determines the scalars and increments.
type shape struct{ m, n, k int }

// vectors are lengths around SIMD vectors of 2 to 16 elements, 32 lanes, several rounds, thread shares.
var vectors = []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 23, 24, 25, 31, 32, 33, 37, 40, 41, 47, 48, 63, 64, 65, 71, 95, 96, 97, 100, 127, 128, 129, 200, 257, 999, 4100}

var level2Shapes = []shape{
	{1, 1, 0}, {2, 3, 1}, {5, 4, 2}, {7, 8, 3}, {9, 7, 4}, {16, 17, 5}, {24, 25, 7}, {31, 33, 8}, {33, 32, 9}, {40, 41, 12}, {64, 65, 17},
	{97, 95, 3}, {129, 130, 33}, {193, 192, 5}, {200, 70, 40}, {70, 201, 2}, {610, 600, 6},
}

// level3Shapes lie around tiles of 6, 8 and 24, strips of 32, blocks of 128 and 256, and thread shares.
var level3Shapes = []shape{
	{1, 1, 1}, {2, 3, 5}, {5, 6, 7}, {6, 7, 8}, {7, 8, 9}, {8, 9, 23}, {9, 24, 24}, {12, 5, 25}, {23, 25, 6}, {24, 12, 31}, {25, 33, 32}, {31, 32, 33},
	{33, 31, 64}, {47, 49, 97}, {48, 64, 65}, {65, 48, 127}, {9, 26, 255}, {26, 9, 256}, {25, 34, 257}, {10, 7, 512}, {7, 10, 513}, {33, 25, 1153},
	{129, 130, 12}, {127, 9, 3}, {128, 25, 2}, {129, 26, 9}, {9, 127, 17}, {10, 129, 33}, {256, 7, 5}, {257, 10, 7}, {8, 258, 8}, {577, 5, 3}, {110, 121, 123},
}

var increments = [][2]int{{1, 1}, {1, 1}, {2, -3}, {-1, 1}, {1, 1}, {3, 2}, {1, -2}}

func TestGoldenLevel1(t *testing.T) {
	var shapes []shape
	for _, n := range vectors {
		shapes = append(shapes, shape{n, n, 0})
	}
	each(t, "level1", func(r recorder, b blskernel.Backend) {
		r.addAll(b, level1, shapes)
		var results []float64
		s := selftest.Source(1)
		for range 200 {
			c, sn, rr, z := b.Drotg(s.Float64(), s.Float64())
			p, d1, d2, x := b.Drotmg(s.Float64(), s.Float64(), s.Float64(), s.Float64())
			results = append(results, c, sn, rr, z, float64(p.Flag), d1, d2, x)
			results = append(results, p.H[:]...)
		}
		r.add("Drotg and Drotmg", ruleElement, results)
	})
}

func TestGoldenLevel2(t *testing.T) {
	each(t, "level2", func(r recorder, b blskernel.Backend) { r.addAll(b, level2, level2Shapes) })
}

func TestGoldenLevel3(t *testing.T) {
	each(t, "level3", func(r recorder, b blskernel.Backend) { r.addAll(b, level3, level3Shapes) })
}

// addAll adds the results of routines for all shapes and cases, with a line for each.
func (r recorder) addAll(b blskernel.Backend, all []routine, shapes []shape) {
	for _, of := range all {
		for i, s := range shapes {
			of.run(r, b, i, s)
		}
	}
}

// run records the results of a routine for a shape: a line for each case.
func (of routine) run(r recorder, b blskernel.Backend, i int, s shape) {
	fields := strings.Fields(of.params)
	flags := of.flags()
	if s.k > 192 && s.m < 100 && !slices.Contains(fields, "k") {
		return // a shape for long sums only
	}
	for _, c := range of.cases(i, s) {
		name := of.name
		if flags > 0 {
			name += " "
		}
		for _, flag := range fields[:flags] {
			name += string(c.flag(flag))
		}
		for _, size := range []string{"m", "n", "k"} {
			if slices.Contains(fields, size) {
				name += fmt.Sprintf(" %s=%d", size, c.argument(size))
			}
		}
		if inc := increments[i%len(increments)]; slices.Contains(fields, "incX") {
			name += fmt.Sprintf(" inc=%d,%d", inc[0], inc[1])
		}
		r.add(name, of.rule, c.do(b)...)
	}
}

// flags returns the number of parameters that are flags. Flags come first.
func (of routine) flags() int {
	return slices.IndexFunc(strings.Fields(of.params), func(p string) bool { return !slices.Contains([]string{"tA", "tB", "ul", "s", "diag"}, p) })
}

// cases returns a call for each combination of flags.
func (of routine) cases(i int, s shape) (all []*call) {
	for which := range 1 << of.flags() {
		c := &call{routine: of, shape: s, index: i, flags: map[string]bool{}}
		for f, flag := range strings.Fields(of.params)[:of.flags()] {
			c.flags[flag] = which>>f&1 == 1
		}
		all = append(all, c)
	}
	return all
}

type call struct {
	routine
	shape
	index  int
	flags  map[string]bool
	source selftest.Source
	edit   func(operand string, x []float64) // changes an operand before the call
}

// flag returns the letter of the flag name.
func (c *call) flag(name string) byte {
	letters := map[string]string{"tA": "NT", "tB": "NT", "ul": "UL", "s": "LR", "diag": "NU"}[name]
	if c.flags[name] {
		return letters[1]
	}
	return letters[0]
}

func (c *call) has(name string) bool { return slices.Contains(strings.Fields(c.params), name) }

func (c *call) order() int {
	if c.has("s") {
		return check.Order(blas.Side(c.flag("s")), c.m, c.n)
	}
	return c.n
}

// stored returns the rows and columns of the operand name as it is stored.
func (c *call) stored(name string) (rows, cols int) {
	p := c.n
	if c.has("m") {
		p = c.m
	}
	switch {
	case name == "c" && c.has("ul") && !c.has("s"):
		return c.n, c.n
	case name == "c" || name == "b" && c.has("s"):
		return p, c.n
	case c.has("s"):
		return c.order(), c.order()
	case name == "b" && c.has("tB"):
		return block.Stored(blas.Transpose(c.flag("tB")), c.k, c.n)
	case c.has("tA") && c.has("k") && !c.has("diag"):
		return block.Stored(blas.Transpose(c.flag("tA")), p, c.k)
	case c.has("kL"):
		return c.m, 2*c.k + 2
	case c.has("k"):
		return c.n, c.k + 1
	}
	return p, c.n
}

// do calls the routine on b and returns all operands after the call, then the values that it returned.
func (c *call) do(b blskernel.Backend) (results [][]float64) {
	c.source = selftest.Source(len(c.name) + 1000*c.index)
	var method reflect.Value
	for _, has := range []any{b, blskernel.Packed(b), backend.Fused(b)} {
		if m := reflect.ValueOf(has).MethodByName(c.name); m.IsValid() {
			method = m
			break
		}
	}
	var in []reflect.Value
	for k, name := range strings.Fields(c.params) {
		v := reflect.ValueOf(c.argument(name))
		if x, ok := v.Interface().([]float64); ok {
			if c.edit != nil {
				c.edit(name, x)
			}
			results = append(results, x)
		}
		in = append(in, v.Convert(method.Type().In(k)))
	}
	for _, v := range method.Call(in) {
		if v.CanInt() {
			results = append(results, []float64{float64(v.Int())})
		} else {
			results = append(results, []float64{v.Float()})
		}
	}
	return results
}

// argument returns a value for the parameter name.
func (c *call) argument(name string) any {
	switch name {
	case "tA", "tB", "ul", "s", "diag":
		return c.flag(name)
	case "m", "n", "k", "kL", "kU":
		return map[string]int{"m": c.m, "n": c.n, "k": c.k, "kL": c.k, "kU": c.k + 1}[name]
	case "alpha":
		return []float64{1.3, 1, -1, 0.7, 1.3, -0.3, 0}[c.index%7]
	case "beta":
		return []float64{0.7, 0, 1, -1.1, 0}[c.index%5]
	case "incX", "incY":
		inc := increments[c.index%len(increments)][map[string]int{"incX": 0, "incY": 1}[name]]
		if !c.has("y") && !c.has("a") && !c.has("ap") {
			inc = max(inc, -inc)
		}
		return inc
	case "lda", "ldb", "ldc":
		_, cols := c.stored(name[2:])
		return max(1, cols) + c.index%3
	case "p":
		return blas.DrotmParams{Flag: blas.Flag(c.index%4 - 2), H: [4]float64{0.5, -0.3, 1.7, -1.1}}
	case "x", "y":
		return c.source.Vector(3*max(c.m, c.n) + 1)
	case "bias":
		return c.source.Vector(c.n)
	case "ap":
		return c.triangle(c.source.Vector(block.PackedLen(c.order())), c.packed)
	}
	rows, cols := c.stored(name)
	ld := c.argument("ld" + name).(int)
	x := c.source.Vector(rows * ld)
	if name != "a" {
		return x
	}
	at, first := ld+1, 0
	if strings.HasPrefix(c.name, "Dtb") {
		if at = ld; c.flags["ul"] {
			first = cols - 1
		}
	}
	return c.triangle(x, func(i int) int { return i*at + first })
}

// packed returns the index, in packed storage, of element i of the diagonal.
func (c *call) packed(i int) int {
	if c.flags["ul"] {
		return i*(i+1)/2 + i
	}
	return block.PackedIndex(c.order(), i, i)
}

// triangle turns x into a well-conditioned triangle if the routine has a triangular operand.
func (c *call) triangle(x []float64, at func(i int) int) []float64 {
	if c.has("diag") {
		for i := range x {
			x[i] /= 16
		}
		for i := range c.order() {
			x[at(i)] += 1
		}
	}
	return x
}
