package kernel

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"sync"
	"testing"

	"blskernel/internal/testutil"
)

// An elementary is a function of one variable, as the tests see it.
type elementary struct {
	name   string
	kernel func(Kernel) func(dst, src []float64)
	scalar func(float64) float64
	// arguments and their references, the same for all kernels.
	arguments func() []float64
	reference func(*big.Float) *big.Float
}

var elementaries = []elementary{
	{"Tanh", func(k Kernel) func(dst, src []float64) { return k.Tanh }, math.Tanh, sync.OnceValue(tanhArguments), bigTanh},
	{"Exp", func(k Kernel) func(dst, src []float64) { return k.Exp }, math.Exp, sync.OnceValue(expArguments), bigExp},
}

// everywhere returns arguments of both signs with count random significands for every exponent,
// subnormal ones included.
func everywhere(rnd *rand.Rand, count int) []float64 {
	var x []float64
	for e := uint64(0); e < 2047; e++ {
		for range count {
			x = append(x, math.Float64frombits(rnd.Uint64()&^(2047<<52)|e<<52))
		}
	}
	return x
}

// between returns count random numbers of [lo, hi).
func between(rnd *rand.Rand, lo, hi float64, count int) []float64 {
	x := make([]float64, count)
	for i := range x {
		x[i] = lo + (hi-lo)*rnd.Float64()
	}
	return x
}

// around returns x and count neighbours on either side of it.
func around(x float64, count int) []float64 {
	all := []float64{x}
	for _, to := range []float64{math.Inf(1), math.Inf(-1)} {
		y := x
		for range count {
			y = math.Nextafter(y, to)
			all = append(all, y)
		}
	}
	return all
}

// The portable kernel is within 2 ulp of the value, everywhere: the bounds in the comments are below 2.
// The others do the same operations in the same order and have the same bits.
func TestElementwiseAccuracy(t *testing.T) {
	testutil.NotUnderRace(t, "it starts no goroutines")
	for _, f := range elementaries {
		t.Run(f.name, func(t *testing.T) {
			src := f.arguments()
			want := make([]float64, len(src))
			f.kernel(generic)(want, src)
			worst, at := 0.0, 0.0
			for i, x := range src {
				exact := f.reference(newBig(x))
				u := ulps(want[i], exact)
				if !(u <= 2) {
					t.Fatalf("%s(%v) = %v, want %v: off by %.3g ulp", f.name, x, want[i], exact.Text('g', 25), u)
				}
				if u > worst {
					worst, at = u, x
				}
			}
			t.Logf("%d arguments, at most %.4f ulp off, at %v (%x)", len(src), worst, at, at)
			available(t, func(t *testing.T, k Kernel) {
				s, dst := shape{t: t}, make([]float64, len(src))
				f.kernel(k)(dst, src)
				s.same(f.name, span{x: dst}, want)
			})
		})
	}
}

func TestElementwiseSpecial(t *testing.T) {
	nan, inf, zero, tiny := math.NaN(), math.Inf(1), math.Copysign(0, -1), math.SmallestNonzeroFloat64
	cases := map[string][][2]float64{
		"Tanh": {
			{0, 0}, {zero, zero}, {inf, 1}, {-inf, -1}, {nan, nan}, {-nan, nan}, {tiny, tiny}, {-tiny, -tiny},
			{0x1p-1022, 0x1p-1022}, {-0x1p-1023, -0x1p-1023}, {0x1p-27, 0x1p-27}, {20, 1}, {-20, -1},
			{19.07, 1}, {math.MaxFloat64, 1}, {-math.MaxFloat64, -1},
		},
		"Exp": {
			{0, 1}, {zero, 1}, {inf, inf}, {-inf, 0}, {nan, nan}, {-nan, nan}, {tiny, 1}, {-tiny, 1},
			{0x1p-54, 1}, {-0x1p-55, 1}, {709.79, inf}, {710, inf}, {711, inf}, {math.MaxFloat64, inf},
			{-745.14, 0}, {-745.13, tiny}, {-749, 0}, {-751, 0}, {-math.MaxFloat64, 0},
		},
	}
	for _, f := range elementaries {
		t.Run(f.name, func(t *testing.T) {
			available(t, func(t *testing.T, k Kernel) {
				for _, c := range cases[f.name] {
					got := []float64{7}
					f.kernel(k)(got, c[:1])
					if math.IsNaN(c[1]) && math.IsNaN(got[0]) {
						continue
					}
					if math.Float64bits(got[0]) != math.Float64bits(c[1]) {
						t.Errorf("%s(%v) = %v, want %v", f.name, c[0], got[0], c[1])
					}
				}
			})
		})
	}
}

// checkElements has the functions of one element, in place and not: an element's result depends on
// nothing but its value.
func checkElements(s *shape, k Kernel) {
	n := s.Below(256)
	run := []func(dst, src []float64){k.Tanh, k.Exp}[s.Below(2)]
	src := make([]float64, n)
	for i := range src {
		src[i] = 20 * s.rnd.NormFloat64()
		if s.rnd.IntN(9) == 0 {
			src[i] = math.Float64frombits(s.rnd.Uint64())
		}
	}
	want, one := make([]float64, n), make([]float64, 1)
	for i, v := range src {
		one[0] = v
		run(one, one)
		want[i] = one[0]
	}
	x, dst := s.regions[0].Copy(src, s.edge), s.regions[1].Copy(src, s.edge)
	s.run(func() {
		run(dst, x)
		run(x, x)
	})
	for i, v := range want {
		for _, got := range []float64{x[i], dst[i]} {
			if got != v && !(math.IsNaN(got) && math.IsNaN(v)) {
				s.t.Fatalf("n=%d: element %d of %v is %v, alone %v", n, i, src[i], got, v)
			}
		}
	}
}

func FuzzElementwise(f *testing.F) { fuzzed(f, checkElements) }

func TestElementwise(t *testing.T) {
	exhaust(t, checkElements, func(Kernel) []int { return []int{256, 2} })
}

func TestElementwiseShort(t *testing.T) {
	available(t, func(t *testing.T, k Kernel) {
		for _, f := range elementaries {
			testutil.MustPanic(t, "kernel: dst is shorter than src", func() { f.kernel(k)(make([]float64, 4), make([]float64, 5)) })
		}
	})
}

func BenchmarkTanh(b *testing.B) { elementaries[0].benchmark(b, -3, 3) }
func BenchmarkExp(b *testing.B)  { elementaries[1].benchmark(b, -3, 3) }

// benchmark runs the kernels and a loop over the function of package math on arguments from lo to hi in
// no order, so that the branches of the latter cannot be predicted.
func (f elementary) benchmark(b *testing.B, lo, hi float64) {
	for _, n := range []int{10, 100, 1000, 10000} {
		src, dst := between(rand.New(rand.NewPCG(7, 8)), lo, hi, n), make([]float64, n)
		run := func(name string, loop func(dst, src []float64)) {
			b.Run(fmt.Sprintf("%s/n=%d", name, n), func(b *testing.B) {
				for b.Loop() {
					loop(dst, src)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/elem")
			})
		}
		for _, k := range table {
			if k.Available() {
				run("kernel="+k.Name, f.kernel(k))
			}
		}
		run("impl=math", func(dst, src []float64) {
			for i, x := range src {
				dst[i] = f.scalar(x)
			}
		})
	}
}
