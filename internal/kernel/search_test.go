package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// searchSizes are all lengths up to six blocks of the vector kernels, and some beyond.
func searchSizes() []int {
	var sizes []int
	for n := 1; n <= 200; n++ {
		sizes = append(sizes, n)
	}
	return append(sizes, 255, 256, 257, 1000, 4099)
}

// amid returns n elements in the midst of others that are the canary, at any alignment as n goes up,
// and a function that says whether the others are what they were.
func amid(n int, canary float64) (x []float64, whole func() bool) {
	first := margin + n%8
	all := slices.Repeat([]float64{canary}, first+n+margin)
	x = all[first : first+n : first+n]
	return x, func() bool {
		others := slices.Concat(all[:first], all[first+n:])
		return identical(others, slices.Repeat([]float64{canary}, len(others)))
	}
}

// checkAbsMax fails unless AbsMax of x is at and size.
func checkAbsMax(t *testing.T, k Kernel, what string, x []float64, at int, size float64) {
	t.Helper()
	gotAt, gotSize := k.AbsMax(len(x), &x[0])
	if gotAt != at || math.Float64bits(gotSize) != math.Float64bits(size) {
		t.Errorf("n=%d: %s: AbsMax is %d, %v, want %d, %v", len(x), what, gotAt, gotSize, at, size)
	}
}

var (
	infinity = math.Inf(1)
	nans     = []float64{
		math.NaN(),
		math.Copysign(math.NaN(), -1),
		math.Float64frombits(0x7ff0000000000001), // signalling
		math.Float64frombits(0xfff7ffffffffffff),
	}
)

// The largest magnitude at each place in turn. What is around the operand is infinite, since NaN, the
// canary elsewhere, would be ignored.
func TestAbsMaxEveryPlace(t *testing.T) {
	const smallest = math.SmallestNonzeroFloat64
	tests := []struct {
		what  string
		rest  func(rnd *rand.Rand, i int) float64
		value float64
	}{
		{"among smaller ones", func(rnd *rand.Rand, _ int) float64 { return 2*rnd.Float64() - 1 }, 1},
		{"negative", func(rnd *rand.Rand, _ int) float64 { return 2*rnd.Float64() - 1 }, -1.5},
		{"one ulp larger", func(_ *rand.Rand, i int) float64 { return float64(1 - i%2*2) }, -math.Nextafter(1, 2)},
		{"among zeros", func(_ *rand.Rand, i int) float64 { return math.Copysign(0, float64(i%2)-0.5) }, -1e-300},
		{"subnormal", func(_ *rand.Rand, i int) float64 { return math.Copysign(0, float64(i%2)-0.5) }, -smallest},
		{"subnormals", func(_ *rand.Rand, i int) float64 { return float64(i%3-1) * smallest }, 2 * smallest},
		{"infinite", func(_ *rand.Rand, i int) float64 { return float64(1-i%2*2) * math.MaxFloat64 }, -infinity},
		{"among NaN", func(_ *rand.Rand, i int) float64 { return nans[i%len(nans)] }, -3},
		{"subnormal among NaN", func(_ *rand.Rand, i int) float64 { return nans[i%len(nans)] }, smallest},
		{"infinite among NaN", func(_ *rand.Rand, i int) float64 { return nans[i%len(nans)] }, infinity},
		{"among NaN and zeros", func(_ *rand.Rand, i int) float64 { return []float64{nans[i%len(nans)], 0}[i%2] }, 1},
		{"among NaN and others", func(_ *rand.Rand, i int) float64 {
			return []float64{nans[i%len(nans)], -0.5, 0.75}[i%3]
		}, -0.875},
	}
	available(t, func(t *testing.T, k Kernel) {
		rnd := rand.New(rand.NewPCG(41, 1))
		for _, test := range tests {
			for _, n := range searchSizes() {
				x, whole := amid(n, infinity)
				for i := range x {
					x[i] = test.rest(rnd, i)
				}
				before := slices.Clone(x)
				for at := 0; at < n; at += 1 + n/256 {
					x[at] = test.value
					checkAbsMax(t, k, test.what, x, at, math.Abs(test.value))
					x[at] = before[at]
				}
				if !identical(x, before) || !whole() {
					t.Fatalf("n=%d: %s: something was written", n, test.what)
				}
			}
		}
	})
}

// Of equal magnitudes the first, for all pairs of places, of one sign and of two, in one block and in
// several.
func TestAbsMaxFirst(t *testing.T) {
	available(t, func(t *testing.T, k Kernel) {
		for _, n := range []int{1, 2, 7, 8, 9, 31, 32, 33, 40, 64, 65, 101, 128, 150} {
			x, _ := amid(n, infinity)
			for i := range x {
				x[i] = float64(i % 3)
			}
			for p := range n {
				for q := p + 1; q < n; q++ {
					rest := [2]float64{x[p], x[q]}
					x[p], x[q] = 3, -3
					checkAbsMax(t, k, "two signs", x, p, 3)
					x[p] = -3
					checkAbsMax(t, k, "one sign", x, p, 3)
					x[p], x[q] = rest[0], rest[1]
				}
			}
		}
		for _, n := range searchSizes() {
			x, _ := amid(n, infinity)
			for from := 0; from < n; from += 1 + n/256 {
				for i := range x {
					x[i] = 1
					if i >= from {
						x[i] = float64(2 - i%2*4)
					}
				}
				checkAbsMax(t, k, "all from there", x, from, 2)
			}
		}
	})
}

// With nothing larger than zero the answer is 0, 0, wherever zeros of either sign and NaN are.
func TestAbsMaxNothing(t *testing.T) {
	negative := math.Copysign(0, -1)
	available(t, func(t *testing.T, k Kernel) {
		for _, n := range searchSizes() {
			x, _ := amid(n, infinity)
			for _, values := range [][]float64{
				{0}, {negative}, {0, negative}, nans, {nans[0], 0}, {0, nans[1]}, {nans[2], negative, 0},
			} {
				for i := range x {
					x[i] = values[i%len(values)]
				}
				checkAbsMax(t, k, "nothing", x, 0, 0)
			}
			for i := range x {
				x[i] = nans[i%len(nans)]
			}
			x[n-1] = negative
			checkAbsMax(t, k, "zero after NaN", x, 0, 0)
		}
	})
}

// Vectors of few values, so that all that the cases above have one by one comes together, against the
// loop of the definition.
func TestAbsMaxMixed(t *testing.T) {
	available(t, func(t *testing.T, k Kernel) {
		rnd := rand.New(rand.NewPCG(42, 1))
		pool := []float64{0, math.Copysign(0, -1), 1, -1, 2, -2, -0.5, nans[0], nans[3], 5e-324, infinity}
		for range 20 {
			for _, n := range searchSizes() {
				x, _ := amid(n, infinity)
				few := pool[:1+rnd.IntN(len(pool))]
				at, size := 0, 0.0
				for i := range x {
					x[i] = few[rnd.IntN(len(few))]
					if math.Abs(x[i]) > size {
						at, size = i, math.Abs(x[i])
					}
				}
				checkAbsMax(t, k, "mixed", x, at, size)
			}
		}
	})
}

// Each y[i] is rounded once, so it is the same number as that of a loop. A sum of n numbers none of
// which is negative, in any order, differs from the exact one by at most (n-1)·u of it, to first order,
// u = eps/2: two such sums by (n-1)·eps. The same sum results wherever the operands lie.
func TestAddAbsRounding(t *testing.T) {
	const eps = 0x1p-52
	available(t, func(t *testing.T, k Kernel) {
		rnd := rand.New(rand.NewPCG(44, 1))
		for _, n := range searchSizes() {
			values, start := make([]float64, n), make([]float64, n)
			var want float64
			sums := make([]float64, n)
			for i := range values {
				values[i], start[i] = rnd.NormFloat64(), rnd.NormFloat64()
				sums[i] = start[i] + math.Abs(values[i])
				want += math.Abs(values[i])
			}
			var first float64
			for offset := range 8 {
				x := append(make([]float64, offset, offset+n), values...)[offset:]
				y := append(make([]float64, 7-offset, 7-offset+n), start...)[7-offset:]
				got := k.AddAbs(n, &x[0], &y[0])
				if !identical(y, sums) {
					t.Errorf("n=%d: y is not that of a loop", n)
				}
				if offset == 0 {
					first = got
				}
				if got != first {
					t.Errorf("n=%d: AddAbs is %v or %v, as the operands lie", n, first, got)
				}
			}
			if !(math.Abs(first-want) <= float64(n-1)*eps*want) {
				t.Errorf("n=%d: AddAbs is %v, a loop's sum %v", n, first, want)
			}
		}
	})
}

// NaN and Inf at each place show in that element of y and in the sum, and nowhere else; those of y do
// not get into the sum.
func TestAddAbsNotFinite(t *testing.T) {
	available(t, func(t *testing.T, k Kernel) {
		for _, n := range searchSizes() {
			x, y := make([]float64, n), make([]float64, n)
			for at := 0; at < n; at += 1 + n/64 {
				for _, c := range []struct{ x, y, sum, result float64 }{
					{math.NaN(), 1, math.NaN(), math.NaN()},
					{nans[3], 1, math.NaN(), math.NaN()},
					{-infinity, 1, infinity, infinity},
					{infinity, -infinity, infinity, math.NaN()},
					{-1, math.NaN(), float64(n), math.NaN()},
					{-1, -infinity, float64(n), -infinity},
				} {
					for i := range n {
						x[i], y[i] = -1, 2
					}
					x[at], y[at] = c.x, c.y
					if got := k.AddAbs(n, &x[0], &y[0]); !same(got, c.sum) {
						t.Errorf("n=%d: x[%d]=%v, y[%d]=%v: AddAbs is %v, want %v", n, at, c.x, at, c.y, got, c.sum)
					}
					for i := range n {
						want := 3.0
						if i == at {
							want = c.result
						}
						if !same(y[i], want) {
							t.Errorf("n=%d: x[%d]=%v, y[%d]=%v: y[%d] is %v, want %v", n, at, c.x, at, c.y, i, y[i], want)
						}
					}
				}
			}
		}
	})
}

// same reports whether a and b are the same number, or both NaN.
func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// Zeros of either sign, of which the sum is +0, and subnormal numbers, which are not taken for zero.
func TestAddAbsSmall(t *testing.T) {
	const smallest = math.SmallestNonzeroFloat64
	negative := math.Copysign(0, -1)
	available(t, func(t *testing.T, k Kernel) {
		for _, n := range searchSizes() {
			x, y := slices.Repeat([]float64{negative}, n), slices.Repeat([]float64{negative}, n)
			if got := k.AddAbs(n, &x[0], &y[0]); math.Float64bits(got) != 0 {
				t.Errorf("n=%d: AddAbs of zeros is %v", n, got)
			}
			if !identical(y, make([]float64, n)) {
				t.Errorf("n=%d: -0 + |-0| is not +0", n)
			}
			for i := range x {
				x[i] = -smallest
			}
			if got := k.AddAbs(n, &x[0], &y[0]); got != float64(n)*smallest {
				t.Errorf("n=%d: AddAbs of subnormal numbers is %v", n, got)
			}
			if !identical(y, slices.Repeat([]float64{smallest}, n)) {
				t.Errorf("n=%d: a subnormal number was not added", n)
			}
		}
	})
}
