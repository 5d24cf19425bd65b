package mat

import (
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/internal/kernel"

	"gonum.org/v1/gonum/mat"
)

// eachKernel runs f as a subtest with every kernel that this machine can run, whichever is in use.
func eachKernel(t *testing.T, f func(t *testing.T, k kernel.Kernel)) {
	for _, name := range kernel.Names() {
		k, err := kernel.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run("kernel="+name, func(t *testing.T) { f(t, k) })
	}
}

// integers returns rows of integers from -4 to 4 times 2^power.
func integers(r *rand.Rand, rows, cols, power int) *Dense {
	m := NewDense(rows, cols, nil)
	for i := range rows {
		for j := range cols {
			m.Set(i, j, math.Ldexp(float64(r.IntN(9)-4), power))
		}
	}
	return m
}

// unscaled returns m times 2^-power, which is exact for what fits.
func unscaled(m mat.Matrix, power int) *Dense {
	var out Dense
	out.Apply(func(_, _ int, v float64) float64 { return math.Ldexp(v, -power) }, m)
	return &out
}

// subnormalPowers are the powers of two of two operands whose products are multiples of 2^-1074 far below the smallest
// normal number. The operands of the last two are subnormal themselves.
var subnormalPowers = [][2]int{{-537, -537}, {-700, -374}, {-1074, 0}, {0, -1074}}

// A loop computes the product of a and b, m×k and k×n, by one of the functions of a kernel.
type loop struct {
	name string
	run  func(k kernel.Kernel, a, b *Dense) *Dense
}

var loops = []loop{
	{"Gemm", func(k kernel.Kernel, a, b *Dense) *Dense {
		// Rows of at most MR, and B with the columns of a panel in a row.
		m, p := a.Dims()
		_, n := b.Dims()
		panels := (n + k.NR - 1) / k.NR
		packed := make([]float64, panels*k.NR*p)
		for i := range p {
			for j := range n {
				packed[j/k.NR*k.NR*p+i*k.NR+j%k.NR] = b.At(i, j)
			}
		}
		c, ra := NewDense(m, n, nil), a.RawMatrix()
		for i := 0; i < m; i += k.MR {
			k.Gemm(min(k.MR, m-i), n, p, 1, &ra.Data[i*ra.Stride], ra.Stride, 1, kernel.Even, &packed[0], k.NR, k.NR*p, kernel.Overwrite, &c.RawMatrix().Data[i*n], n)
		}
		return c
	}},
	{"Dot", func(k kernel.Kernel, a, b *Dense) *Dense {
		m, p := a.Dims()
		_, n := b.Dims()
		c, bt := NewDense(m, n, nil), mat.DenseCopyOf(b.T())
		for i := range m {
			for j := range n {
				c.Set(i, j, k.Dot(p, &a.RawRowView(i)[0], &bt.RawRowView(j)[0]))
			}
		}
		return c
	}},
	{"Axpy", func(k kernel.Kernel, a, b *Dense) *Dense {
		m, p := a.Dims()
		_, n := b.Dims()
		c := NewDense(m, n, nil)
		for i := range m {
			for s := range p {
				k.Axpy(n, a.At(i, s), &b.RawRowView(s)[0], &c.RawRowView(i)[0])
			}
		}
		return c
	}},
	{"GemvN", func(k kernel.Kernel, a, b *Dense) *Dense {
		m, p := a.Dims()
		_, n := b.Dims()
		c, bt := NewDense(m, n, nil), mat.DenseCopyOf(b.T())
		for j := range n {
			k.GemvN(m, p, 1, &a.RawMatrix().Data[0], p, &bt.RawRowView(j)[0], 0, &c.RawMatrix().Data[j], n)
		}
		return c
	}},
	{"GemvT", func(k kernel.Kernel, a, b *Dense) *Dense {
		m, p := a.Dims()
		_, n := b.Dims()
		c := NewDense(m, n, nil)
		for i := range m {
			k.GemvT(p, n, 1, &b.RawMatrix().Data[0], n, &a.RawRowView(i)[0], 1, 0, &c.RawRowView(i)[0])
		}
		return c
	}},
	{"Ger", func(k kernel.Kernel, a, b *Dense) *Dense {
		m, p := a.Dims()
		_, n := b.Dims()
		c := NewDense(m, n, nil)
		for s := range p {
			k.Ger(m, n, 1, &a.RawMatrix().Data[s], p, &b.RawRowView(s)[0], &c.RawMatrix().Data[0], n)
		}
		return c
	}},
}

// products are the same by this package.
func products(b blskernel.Backend, x, y *Dense) map[string]*Dense {
	var c, d Dense
	Mul(b, &c, x, y)
	MulTrans(b, &d, mat.DenseCopyOf(x.T()), true, mat.DenseCopyOf(y.T()), true)
	return map[string]*Dense{"Mul": &c, "MulTrans": &d}
}

// TestHostileSubnormal: products and sums far below the smallest normal number are exact where they are multiples of
// 2^-1074, in every kernel and by every backend. A CPU whose mode is to take subnormal operands for zero (DAZ) or to make
// zero of subnormal results (FTZ) gives zero for all of them.
func TestHostileSubnormal(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 0))
	for _, size := range [][3]int{{1, 1, 1}, {3, 2, 5}, {9, 31, 17}, {40, 50, 70}} {
		m, n, p := size[0], size[1], size[2]
		for _, powers := range subnormalPowers {
			x, y := integers(r, m, p, powers[0]), integers(r, p, n, powers[1])
			want := naive(unscaled(x, powers[0]), unscaled(y, powers[1])) // small integers
			check := func(t *testing.T, what string, got mat.Matrix) {
				t.Helper()
				if !mat.Equal(unscaled(got, -1074), want) {
					t.Errorf("%s, %d×%d×%d, 2^%d times 2^%d: subnormal products are not exact", what, m, p, n, powers[0], powers[1])
				}
			}
			eachKernel(t, func(t *testing.T, k kernel.Kernel) {
				for _, l := range loops {
					check(t, l.name, l.run(k, x, y))
				}
				scaled := unscaled(want, 0)
				for i := range m {
					k.Scal(n, 0x1p-1074, &scaled.RawRowView(i)[0])
				}
				check(t, "Scal", scaled)
			})
			eachBackend(t, func(t *testing.T, b blskernel.Backend) {
				for name, got := range products(b, x, y) {
					check(t, name, got)
				}
			})
		}
		eachBackend(t, func(t *testing.T, b blskernel.Backend) {
			x, y := integers(r, m, p, -537), integers(r, m, n, -537)
			var s SymPacked
			SymOuterK(b, &s, 1, x, false)
			small := unscaled(x, -537)
			if !mat.Equal(unscaled(s.Dense(), -1074), naive(small, small.T())) {
				t.Errorf("SymOuterK, %d×%d: subnormal products are not exact", m, p)
			}
			// A symmetric operand of the same scale as the other one.
			for i := range s.data {
				s.data[i] = math.Ldexp(s.data[i], 1074-537)
			}
			var c Dense
			SymMul(b, &c, &s, y)
			if !mat.Equal(unscaled(&c, -1074), naive(unscaled(s.Dense(), -537), unscaled(y, -537))) {
				t.Errorf("SymMul, %d×%d: subnormal products are not exact", m, n)
			}
		})
	}
}

// TestHostileRounding: what is between two subnormal numbers is rounded to the nearest, and half-way to the even one, as
// above the smallest normal number.
func TestHostileRounding(t *testing.T) {
	const least = math.SmallestNonzeroFloat64
	for _, test := range []struct{ x, y, want float64 }{
		{0x1p-537, 0x1p-538, 0},           // half of the smallest number
		{-0x1p-537, 0x1p-538, 0},          // the same
		{0x1.8p-537, 0x1p-538, least},     // three quarters
		{0x1.8p-537, 0x1p-537, 2 * least}, // one and a half
		{0x1.4p-536, 0x1p-537, 2 * least}, // two and a half
		{0x1.cp-536, 0x1p-537, 4 * least}, // three and a half
		{0x1.8p-1060, 0x1p-16, 0},         // three eighths
		{0x1p-1022, 0.5, 0x1p-1023},
		{0x1.fffffffffffffp-1022, 0.5, 0x1p-1022}, // up to the smallest normal number
		{0x1p-600, 0x1p-600, 0},
	} {
		x, y := NewDense(1, 1, []float64{test.x}), NewDense(1, 1, []float64{test.y})
		eachKernel(t, func(t *testing.T, k kernel.Kernel) {
			for _, l := range loops {
				if got := l.run(k, x, y).At(0, 0); got != test.want {
					t.Errorf("%s: %g times %g is %g, want %g", l.name, test.x, test.y, got, test.want)
				}
			}
		})
		eachBackend(t, func(t *testing.T, b blskernel.Backend) {
			for name, got := range products(b, x, y) {
				if got.At(0, 0) != test.want {
					t.Errorf("%s: %g times %g is %g, want %g", name, test.x, test.y, got.At(0, 0), test.want)
				}
			}
		})
	}
}

// TestHostileNaN: a NaN of any sign and payload makes NaN of its row or column of a product, and of nothing else, and an
// infinity makes NaN beside a zero and an infinity beside others.
func TestHostileNaN(t *testing.T) {
	r := rand.New(rand.NewPCG(72, 0))
	for _, bits := range []uint64{0x7ff8000000000001, 0xfff8000000000001, 0x7ff0000000000001, 0xfff0000000000001, 0x7fffffffffffffff, 0xffffffffffffffff, 0x7ff0000000000000, 0xfff0000000000000} {
		bad := math.Float64frombits(bits)
		for _, size := range [][3]int{{1, 1, 1}, {2, 3, 1}, {9, 31, 17}, {40, 50, 70}} {
			m, n, p := size[0], size[1], size[2]
			x, y := integers(r, m, p, 0), integers(r, p, n, 0)
			i, s := r.IntN(m), r.IntN(p)
			y.Set(s, 0, 0)
			x.Set(i, s, bad)
			want := naive(x, y)
			check := func(t *testing.T, what string, got *Dense) {
				t.Helper()
				for row := range m {
					for col := range n {
						if g, w := got.At(row, col), want.At(row, col); g != w && !(math.IsNaN(g) && math.IsNaN(w)) {
							t.Fatalf("%s, %d×%d×%d, %x at (%d,%d): element (%d,%d) is %v, want %v", what, m, p, n, bits, i, s, row, col, g, w)
						}
					}
				}
			}
			if !math.IsNaN(want.At(i, 0)) {
				t.Fatal("zero times what is no number has to be NaN")
			}
			eachKernel(t, func(t *testing.T, k kernel.Kernel) {
				for _, l := range loops {
					check(t, l.name, l.run(k, x, y))
				}
			})
			eachBackend(t, func(t *testing.T, b blskernel.Backend) {
				for name, got := range products(b, x, y) {
					check(t, name, got)
				}
			})
		}
	}
}

// TestHostileZeros: a product of zeros of either sign is equal to zero, and Scal, which multiplies once, gives the sign
// that a product has.
func TestHostileZeros(t *testing.T) {
	negative := math.Copysign(0, -1)
	for _, pair := range [][2]float64{{0, 1}, {negative, 1}, {negative, -1}, {0, -1}, {0, negative}, {negative, negative}} {
		x, y := NewDense(3, 5, nil), NewDense(5, 4, nil)
		x.Apply(func(_, _ int, _ float64) float64 { return pair[0] }, x)
		y.Apply(func(_, _ int, _ float64) float64 { return pair[1] }, y)
		zero := NewDense(3, 4, nil)
		eachKernel(t, func(t *testing.T, k kernel.Kernel) {
			for _, l := range loops {
				if got := l.run(k, x, y); !mat.Equal(got, zero) {
					t.Errorf("%s: %v times %v is %v", l.name, pair[0], pair[1], got.RawMatrix().Data)
				}
			}
			for n := range 20 {
				v := make([]float64, n+1)
				for i := range v {
					v[i] = pair[0]
				}
				k.Scal(n+1, pair[1], &v[0])
				for i := range v {
					if math.Signbit(v[i]) != (math.Signbit(pair[0]) != math.Signbit(pair[1])) {
						t.Errorf("Scal: element %d of %d: %v times %v has another sign", i, n+1, pair[0], pair[1])
					}
				}
			}
		})
		eachBackend(t, func(t *testing.T, b blskernel.Backend) {
			for name, got := range products(b, x, y) {
				if !mat.Equal(got, zero) {
					t.Errorf("%s: %v times %v is %v", name, pair[0], pair[1], got.RawMatrix().Data)
				}
			}
		})
	}
}

// TestHostileOverflow: a sum that is beyond float64 on the way is an infinity, or NaN where it comes back, as the same sum
// in Go is; sums whose terms stay below are right.
func TestHostileOverflow(t *testing.T) {
	const huge = math.MaxFloat64
	for _, test := range []struct {
		x, y []float64
		ok   func(v float64) bool
	}{
		{[]float64{huge, huge}, []float64{1, 1}, func(v float64) bool { return math.IsInf(v, 1) }},
		{[]float64{-huge, -huge}, []float64{1, 1}, func(v float64) bool { return math.IsInf(v, -1) }},
		{[]float64{huge}, []float64{-2}, func(v float64) bool { return math.IsInf(v, -1) }},
		{[]float64{huge, -huge}, []float64{1, 1}, func(v float64) bool { return v == 0 }},
		{[]float64{0x1p1023, 0x1p1022}, []float64{1, 1}, func(v float64) bool { return v == 0x1.8p1023 }},
	} {
		p := len(test.x)
		x, y := NewDense(1, p, test.x), NewDense(p, 1, test.y)
		eachKernel(t, func(t *testing.T, k kernel.Kernel) {
			for _, l := range loops {
				if got := l.run(k, x, y).At(0, 0); !test.ok(got) {
					t.Errorf("%s: %v times %v is %v", l.name, test.x, test.y, got)
				}
			}
		})
		eachBackend(t, func(t *testing.T, b blskernel.Backend) {
			for name, got := range products(b, x, y) {
				if v := got.At(0, 0); !test.ok(v) {
					t.Errorf("%s: %v times %v is %v", name, test.x, test.y, v)
				}
			}
		})
	}
}
