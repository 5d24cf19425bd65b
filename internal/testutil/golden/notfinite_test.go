package golden_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/selftest"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
)

// notFiniteShapes cover the loops, the edges and the blocks of every kernel.
var notFiniteShapes = []shape{{5, 7, 3}, {33, 41, 9}, {26, 35, 40}}

// edited returns the results of a call with element at of an operand set to value. Other operands in
// cleared are 0.
func (c *call) edited(b blskernel.Backend, operand string, at int, value float64, cleared map[string]bool) [][]float64 {
	c.edit = func(name string, x []float64) {
		if cleared[name] && name != operand {
			clear(x)
		}
		if name == operand {
			x[at] = value
		}
	}
	return c.do(b)
}

// TestNaNReaches puts a NaN into each operand of each routine, on every kernel. Every result that
// depends on this element is NaN, even if the element's other factor is zero, and no other result
// changes a bit. A call with a finite number in its place shows which results depend on the element.
func TestNaNReaches(t *testing.T) {
	testutil.NotUnderRace(t, "no call is large enough to use several goroutines")
	backends.OnKernels(t, func(t *testing.T, b blskernel.Backend) {
		if b.Name() == "openblas" {
			t.Skip("OpenBLAS has its own rules for NaN")
		}
		for _, of := range slices.Concat(level1, level2, level3) {
			if of.name == "Idamax" || of.name == "Drotm" {
				continue // an index; implied zeros and ones
			}
			for i, s := range notFiniteShapes {
				if of.name == "Drot" {
					i = 0 // 0 in place of the sine would hide what depends on x
				}
				for _, c := range of.cases(i, s) {
					c.reaches(t, b)
				}
			}
		}
	})
}

func (c *call) reaches(t *testing.T, b blskernel.Backend) {
	source := selftest.Source(c.index)
	var operands []string
	var before [][]float64
	c.edit = func(name string, x []float64) {
		operands, before = append(operands, name), append(before, slices.Clone(x))
	}
	base := c.do(b)
	onlyRead := map[string]bool{}
	for i, operand := range operands {
		onlyRead[operand] = slices.Equal(base[i], before[i])
	}
	for i, operand := range operands {
		for range 4 {
			at := int(source.Uint64() % uint64(len(before[i])))
			other := c.edited(b, operand, at, 1.75, nil)
			for _, zeros := range []bool{false, true} {
				finite, nan := base, c.edited(b, operand, at, math.NaN(), nil)
				if zeros {
					finite, nan = c.edited(b, operand, at, 0.5, onlyRead), c.edited(b, operand, at, math.NaN(), onlyRead)
				}
				for k := range base {
					for j, v := range nan[k] {
						depends := base[k][j] != other[k][j]
						if depends && !math.IsNaN(v) || !depends && !zeros && math.Float64bits(v) != math.Float64bits(finite[k][j]) {
							t.Errorf("%s %v %+v: NaN at %d of %s (zeros: %v): element %d of result %d is %v, with a number %v; depends on the NaN: %v",
								c.name, c.flags, c.shape, at, operand, zeros, j, k, v, finite[k][j], depends)
							return
						}
					}
				}
			}
		}
	}
}

// TestGoldenNotFinite puts infinities of both signs, NaN, and numbers whose products overflow into each
// operand of each routine. All cases of a shape share one hash.
func TestGoldenNotFinite(t *testing.T) {
	each(t, "notfinite", func(r recorder, b blskernel.Backend) {
		for _, of := range slices.Concat(level1, level2, level3) {
			for i, s := range notFiniteShapes {
				var results [][]float64
				for _, c := range of.cases(i, s) {
					source := selftest.Source(i)
					for _, value := range []float64{math.Inf(1), math.Inf(-1), math.NaN(), 0x1p1023, 0, math.Copysign(0, -1)} {
						c.edit = func(_ string, x []float64) {
							for range 2 {
								x[source.Uint64()%uint64(len(x))] = value
							}
						}
						results = append(results, c.do(b)...)
					}
				}
				r.add(fmt.Sprintf("%s %+v", of.name, s), "zeros are multiplied; NaN and infinities reach every result that depends on them", results...)
			}
		}
	})
}
