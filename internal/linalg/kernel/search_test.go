package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel/internal/testutil"
)

var (
	infinity = math.Inf(1)
	nans     = []float64{
		math.NaN(),
		math.Copysign(math.NaN(), -1),
		math.Float64frombits(0x7ff0000000000001), // signalling
		math.Float64frombits(0xfff7ffffffffffff),
	}
)

// Vectors of few values, among them NaN, zeros, subnormals and infinities, with another one at each
// place in turn, against the loop of the definition: of equal magnitudes AbsMax finds the first, no
// NaN, and 0, 0 where nothing is larger than zero; AddAbs adds what is there. Around the operand is an
// infinity, since AbsMax would ignore NaN, the canary elsewhere.
func TestAbs(t *testing.T) {
	testutil.NotUnderRace(t, "it starts no goroutines")
	negative := math.Copysign(0, -1)
	few := [][]float64{
		{-0.5, 0.75, 0.25, -0.875}, {1, -1}, {-math.MaxFloat64, math.MaxFloat64}, {5e-324, 0, -5e-324},
		{0}, {negative}, {0, negative}, nans, {nans[0], 0}, {nans[2], negative, 0}, {nans[3], -0.5, 0.75},
	}
	values := []float64{
		1, -1, -1.5, -math.Nextafter(1, 2), -1e-300, -5e-324, 1e-323, -infinity, infinity, negative, 0, nans[0], nans[3],
	}
	available(t, func(t *testing.T, k Kernel) {
		rnd := rand.New(rand.NewPCG(42, 1))
		s := shape{t: t, rnd: rnd}
		for n := 1; n <= 200; n++ { // up to six blocks of the vector kernels
			around := slices.Repeat([]float64{infinity}, margin+n%8+n+margin)
			x := around[margin+n%8:][:n:n]
			for place := rnd.IntN(1 + n/64); place < n; place += 1 + n/64 {
				from := few[rnd.IntN(len(few))]
				for i := range x {
					x[i] = from[rnd.IntN(len(from))]
				}
				x[place] = values[rnd.IntN(len(values))]
				before, y, sums := slices.Clone(around), make([]float64, n), make([]float64, n)
				at, size := 0, 0.0
				for i, v := range x {
					if math.Abs(v) > size {
						at, size = i, math.Abs(v)
					}
					y[i] = s.value()
					sums[i] = y[i] + math.Abs(v)
				}
				if gotAt, gotSize := k.AbsMax(n, &x[0]); gotAt != at || math.Float64bits(gotSize) != math.Float64bits(size) {
					t.Fatalf("AbsMax of %v is %d, %v, want %d, %v", x, gotAt, gotSize, at, size)
				}
				s.equal("the sum of AddAbs", 0, k.AddAbs(n, &x[0], &y[0]), sumAbs(x))
				s.same("y", span{x: y}, sums)
				if !identical(around, before) {
					t.Fatalf("n=%d: something was written", n)
				}
			}
		}
	})
}
