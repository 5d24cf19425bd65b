package mat

import (
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
)

// integers returns rows of integers from -4 to 4 times 2^power.
func integers(r *rand.Rand, rows, cols, power int) *Dense {
	m := NewDense(rows, cols, nil)
	m.Apply(func(_, _ int, _ float64) float64 { return math.Ldexp(float64(r.IntN(9)-4), power) }, m)
	return m
}

// unscaled returns m times 2^-power, which is exact for what fits.
func unscaled(m mat.Matrix, power int) *Dense {
	var out Dense
	out.Apply(func(_, _ int, v float64) float64 { return math.Ldexp(v, -power) }, m)
	return &out
}

// A loop computes the product of a and b, m×k and k×n, on a backend.
type loop struct {
	name string
	run  func(bk blskernel.Backend, a, b *Dense) *Dense
}

// loops are products by this package and, on the pure backend, by its Levels 1 and 2: a library may
// skip zeros there.
func loops(bk blskernel.Backend) []loop {
	all := []loop{
		{"Mul", func(bk blskernel.Backend, a, b *Dense) *Dense {
			var c Dense
			Mul(bk, &c, a, b)
			return &c
		}},
		{"MulTrans", func(bk blskernel.Backend, a, b *Dense) *Dense {
			var c Dense
			MulTrans(bk, &c, mat.DenseCopyOf(a.T()), true, mat.DenseCopyOf(b.T()), true)
			return &c
		}},
	}
	if bk.Name() == "openblas" {
		return all
	}
	columns := func(run func(bk blskernel.Backend, c, a, bt *Dense, m, n, k int)) func(bk blskernel.Backend, a, b *Dense) *Dense {
		return func(bk blskernel.Backend, a, b *Dense) *Dense {
			m, k := a.Dims()
			_, n := b.Dims()
			c := NewDense(m, n, nil)
			run(bk, c, a, mat.DenseCopyOf(b.T()), m, n, k)
			return c
		}
	}
	return append(all, []loop{
		{"Ddot", columns(func(bk blskernel.Backend, c, a, bt *Dense, m, n, k int) {
			c.Apply(func(i, j int, _ float64) float64 { return bk.Ddot(k, a.RawRowView(i), 1, bt.RawRowView(j), 1) }, c)
		})},
		{"Daxpy", columns(func(bk blskernel.Backend, c, a, bt *Dense, m, n, k int) {
			for i := range m {
				for s := range k {
					bk.Daxpy(n, a.At(i, s), bt.RawMatrix().Data[s:], k, c.RawRowView(i), 1)
				}
			}
		})},
		{"Dgemv", columns(func(bk blskernel.Backend, c, a, bt *Dense, m, n, k int) {
			for j := range n {
				bk.Dgemv(blas.NoTrans, m, k, 1, a.RawMatrix().Data, k, bt.RawRowView(j), 1, 0, c.RawMatrix().Data[j:], n)
			}
		})},
		{"Dgemv of the transpose", columns(func(bk blskernel.Backend, c, a, bt *Dense, m, n, k int) {
			b := mat.DenseCopyOf(bt.T())
			for i := range m {
				bk.Dgemv(blas.Trans, k, n, 1, b.RawMatrix().Data, n, a.RawRowView(i), 1, 0, c.RawRowView(i), 1)
			}
		})},
		{"Dger", columns(func(bk blskernel.Backend, c, a, bt *Dense, m, n, k int) {
			for s := range k {
				bk.Dger(m, n, 1, a.RawMatrix().Data[s:], k, bt.RawMatrix().Data[s:], k, c.RawMatrix().Data, n)
			}
		})},
	}...)
}

// check tests every product of x and y on every backend: ok says whether one is right.
func check(t *testing.T, name string, x, y *Dense, ok func(got *Dense) bool) {
	t.Helper()
	backends.OnKernels(t, func(t *testing.T, bk blskernel.Backend) {
		for _, l := range loops(bk) {
			if got := l.run(bk, x, y); !ok(got) {
				t.Errorf("%s: %s gives %v", name, l.name, got.RawMatrix().Data[:min(10, len(got.RawMatrix().Data))])
			}
		}
	})
}

// TestHostileSubnormal: products and sums far below the smallest normal number are exact where they are
// multiples of 2^-1074. A CPU mode that takes subnormal operands for zero (DAZ), or makes zero of
// subnormal results (FTZ), gives zero for all of them. The last two operands are subnormal themselves.
func TestHostileSubnormal(t *testing.T) {
	r := testutil.Rand(71)
	for _, size := range [][3]int{{1, 1, 1}, {3, 2, 5}, {9, 31, 17}, {40, 50, 70}} {
		m, n, p := size[0], size[1], size[2]
		for _, powers := range [][2]int{{-537, -537}, {-700, -374}, {-1074, 0}, {0, -1074}} {
			x, y := integers(r, m, p, powers[0]), integers(r, p, n, powers[1])
			want := naive(unscaled(x, powers[0]), unscaled(y, powers[1])) // small integers
			check(t, "subnormal", x, y, func(got *Dense) bool { return mat.Equal(unscaled(got, -1074), want) })
		}
		backends.OnKernels(t, func(t *testing.T, b blskernel.Backend) {
			x, y := integers(r, m, p, -537), integers(r, m, n, -537)
			var s SymPacked
			SymOuterK(b, &s, 1, x, false)
			small := unscaled(x, -537)
			if !mat.Equal(unscaled(s.Dense(), -1074), naive(small, small.T())) {
				t.Errorf("SymOuterK, %d×%d: subnormal products are not exact", m, p)
			}
			b.Dscal(len(s.data), 0x1p537, s.data, 1) // to the scale of the other operand
			var c Dense
			SymMul(b, &c, &s, y)
			if !mat.Equal(unscaled(&c, -1074), naive(unscaled(s.Dense(), -537), unscaled(y, -537))) {
				t.Errorf("SymMul, %d×%d: subnormal products are not exact", m, n)
			}
		})
	}
}

// TestHostileScalars: a result between two subnormal numbers is rounded to the nearest, half-way to the
// even one, as above the smallest normal number. A sum that leaves the range on the way is an infinity.
// A sum whose terms stay inside is right. Products of zeros of either sign are equal to zero.
func TestHostileScalars(t *testing.T) {
	const least, huge = math.SmallestNonzeroFloat64, math.MaxFloat64
	negative := math.Copysign(0, -1)
	for _, test := range []struct {
		x, y []float64
		want float64
	}{
		{[]float64{0x1p-537}, []float64{0x1p-538}, 0},           // half of the smallest number
		{[]float64{-0x1p-537}, []float64{0x1p-538}, 0},          // the same
		{[]float64{0x1.8p-537}, []float64{0x1p-538}, least},     // three quarters
		{[]float64{0x1.8p-537}, []float64{0x1p-537}, 2 * least}, // one and a half
		{[]float64{0x1.4p-536}, []float64{0x1p-537}, 2 * least}, // two and a half
		{[]float64{0x1.cp-536}, []float64{0x1p-537}, 4 * least}, // three and a half
		{[]float64{0x1.8p-1060}, []float64{0x1p-16}, 0},         // three eighths
		{[]float64{0x1p-1022}, []float64{0.5}, 0x1p-1023},
		{[]float64{0x1.fffffffffffffp-1022}, []float64{0.5}, 0x1p-1022}, // up to the smallest normal number
		{[]float64{0x1p-600}, []float64{0x1p-600}, 0},
		{[]float64{huge, huge}, []float64{1, 1}, math.Inf(1)},
		{[]float64{-huge, -huge}, []float64{1, 1}, math.Inf(-1)},
		{[]float64{huge}, []float64{-2}, math.Inf(-1)},
		{[]float64{huge, -huge}, []float64{1, 1}, 0},
		{[]float64{0x1p1023, 0x1p1022}, []float64{1, 1}, 0x1.8p1023},
		{[]float64{0, 0, 0}, []float64{1, 1, 1}, 0}, {[]float64{negative, negative}, []float64{1, 1}, 0},
		{[]float64{negative}, []float64{-1}, 0}, {[]float64{0}, []float64{-1}, 0},
		{[]float64{0}, []float64{negative}, 0}, {[]float64{negative}, []float64{negative}, 0},
	} {
		p := len(test.x)
		check(t, "scalars", NewDense(1, p, test.x), NewDense(p, 1, test.y), func(got *Dense) bool { return got.At(0, 0) == test.want })
	}
}

// TestHostileScal: Dscal by a nonzero factor rounds subnormal numbers as a product does, and gives
// zeros the sign of a product. A factor of zero sets zeros.
func TestHostileScal(t *testing.T) {
	negative := math.Copysign(0, -1)
	backends.OnKernels(t, func(t *testing.T, bk blskernel.Backend) {
		if bk.Name() == "openblas" {
			t.Skip("a library may set zeros for subnormal factors")
		}
		for _, pair := range [][2]float64{{0, 1}, {negative, 1}, {negative, -1}, {0, -1}, {3, 0x1p-1074}, {-4, 0x1p-1074}} {
			for n := range 20 {
				v := make([]float64, n+1)
				for i := range v {
					v[i] = pair[0]
				}
				bk.Dscal(n+1, pair[1], v, 1)
				for i := range v {
					if want := pair[0] * pair[1]; math.Float64bits(v[i]) != math.Float64bits(want) {
						t.Errorf("Dscal: element %d of %d: %v times %v is %v", i, n+1, pair[0], pair[1], v[i])
					}
				}
			}
		}
	})
}

// TestHostileNaN: a NaN of any sign and payload makes NaN of its row or column of a product, and of
// nothing else; an infinity makes NaN beside a zero and an infinity beside others.
func TestHostileNaN(t *testing.T) {
	r := testutil.Rand(72)
	for _, bits := range []uint64{0x7ff8000000000001, 0xfff8000000000001, 0x7ff0000000000001, 0xfff0000000000001, 0x7fffffffffffffff, 0xffffffffffffffff, 0x7ff0000000000000, 0xfff0000000000000} {
		for _, size := range [][3]int{{1, 1, 1}, {2, 3, 1}, {9, 31, 17}, {40, 50, 70}} {
			m, n, p := size[0], size[1], size[2]
			x, y := integers(r, m, p, 0), integers(r, p, n, 0)
			i, s := r.IntN(m), r.IntN(p)
			y.Set(s, 0, 0)
			x.Set(i, s, math.Float64frombits(bits))
			want := naive(x, y)
			if !math.IsNaN(want.At(i, 0)) {
				t.Fatal("zero times NaN or infinity has to be NaN")
			}
			check(t, "NaN", x, y, func(got *Dense) bool {
				for k, w := range want.RawMatrix().Data {
					if g := got.RawMatrix().Data[k]; g != w && !(math.IsNaN(g) && math.IsNaN(w)) {
						return false
					}
				}
				return true
			})
		}
	}
}
