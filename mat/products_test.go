package mat

import (
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"

	"gonum.org/v1/gonum/mat"
)

func randomSym(r *rand.Rand, n int) *SymPacked {
	s := NewSymPacked(n, nil)
	for i := range s.data {
		s.data[i] = 2*r.Float64() - 1
	}
	return s
}

func product(a, b mat.Matrix) *Dense {
	c := new(Dense)
	c.Mul(a, b)
	return c
}

// close compares got with want within k² eps, the bound for sums of k products, each at most 1.
func close(t *testing.T, what string, got, want mat.Matrix, k int) {
	t.Helper()
	r, c := want.Dims()
	if gr, gc := got.Dims(); gr != r || gc != c {
		t.Fatalf("%s: %d×%d, want %d×%d", what, gr, gc, r, c)
	}
	tol := float64(k*k+2) * 0x1p-52
	for i := range r {
		for j := range c {
			if !(math.Abs(got.At(i, j)-want.At(i, j)) <= tol) {
				t.Fatalf("%s: (%d,%d) is %v, want %v", what, i, j, got.At(i, j), want.At(i, j))
			}
		}
	}
}

// operand returns a random matrix, held, and the rows×cols operand op: held, or heldᵀ if trans is set.
func operand(r *rand.Rand, rows, cols int, trans bool) (held *Dense, op mat.Matrix) {
	if trans {
		held = testutil.RandomView(r, cols, rows)
		return held, held.T()
	}
	held = testutil.RandomView(r, rows, cols)
	return held, held
}

func TestProducts(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		r := testutil.Rand(1)
		for _, m := range []int{1, 2, 5, 33, 70} {
			for _, n := range []int{1, 3, 40} {
				for _, k := range []int{1, 4, 65} {
					for _, aTrans := range []bool{false, true} {
						for _, bTrans := range []bool{false, true} {
							var got Dense
							a, opA := operand(r, m, k, aTrans)
							c, opC := operand(r, k, n, bTrans)
							MulTrans(b, &got, a, aTrans, c, bTrans)
							close(t, "MulTrans", &got, product(opA, opC), k)
						}
					}
					var got Dense
					x, y := testutil.RandomView(r, m, k), testutil.RandomView(r, k, n)
					Mul(b, &got, x, y)
					close(t, "Mul", &got, product(x, y), k)
				}
				s, x, y := randomSym(r, m), testutil.RandomView(r, m, n), testutil.RandomView(r, n, m)
				var left, right Dense
				SymMul(b, &left, s, x)
				close(t, "SymMul", &left, product(s, x), m)
				MulSym(b, &right, y, s)
				close(t, "MulSym", &right, product(y, s), m)

				var outer, inner SymPacked
				SymOuterK(b, &outer, 0.5, x, false)
				SymOuterK(b, &inner, -2, x, true)
				var want Dense
				want.Scale(0.5, product(x, x.T()))
				close(t, "SymOuterK", &outer, &want, n)
				want.Reset()
				want.Scale(-2, product(x.T(), x))
				close(t, "SymOuterK of the transpose", &inner, &want, 2*m)

				// FuzzAliasing has the products of dense matrices.
				SymMul(b, x, s, x)
				close(t, "SymMul with dst = b", x, &left, 0)
			}
		}
	})
}

// TestHostileScalars checks that subnormal results are rounded to nearest, ties to even, like others. A
// sum that overflows on the way is infinite, and a sum that stays in range is right. Products of zeros
// of either sign are equal to zero, but products of a zero and NaN or an infinity are NaN.
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
		{[]float64{0x1.fffffffffffffp-1022}, []float64{0.5}, 0x1p-1022}, // rounded up to the smallest normal number
		{[]float64{0x1p-600}, []float64{0x1p-600}, 0},
		{[]float64{huge, huge}, []float64{1, 1}, math.Inf(1)},
		{[]float64{-huge, -huge}, []float64{1, 1}, math.Inf(-1)},
		{[]float64{huge}, []float64{-2}, math.Inf(-1)},
		{[]float64{huge, -huge}, []float64{1, 1}, 0},
		{[]float64{0x1p1023, 0x1p1022}, []float64{1, 1}, 0x1.8p1023},
		{[]float64{0, 0, 0}, []float64{1, 1, 1}, 0}, {[]float64{negative, negative}, []float64{1, 1}, 0},
		{[]float64{negative}, []float64{-1}, 0}, {[]float64{0}, []float64{-1}, 0},
		{[]float64{0}, []float64{negative}, 0}, {[]float64{negative}, []float64{negative}, 0},
		{[]float64{0, math.NaN()}, []float64{1, 0}, math.NaN()}, {[]float64{math.Inf(1), 1}, []float64{0, 1}, math.NaN()},
	} {
		p := len(test.x)
		backends.On(t, func(t *testing.T, b blskernel.Backend) {
			var got Dense
			Mul(b, &got, NewDense(1, p, test.x), NewDense(p, 1, test.y))
			if got := got.At(0, 0); got != test.want && !(math.IsNaN(got) && math.IsNaN(test.want)) {
				t.Errorf("%v times %v is %v, want %v", test.x, test.y, got, test.want)
			}
		})
	}
}
