package kernel

import (
	"math"
	"slices"
	"testing"
)

// dotOf returns the inner product, summed in the lanes of the package comment.
func dotOf(n int, x, y func(i int) float64) float64 {
	var s [32]float64
	i := 0
	for ; i+32 <= n; i += 32 {
		for l := range 32 {
			s[l] = fma(x(i+l), y(i+l), s[l])
		}
	}
	for width := 16; width >= 8; width /= 2 {
		for l := range width {
			s[l] += s[l+width]
		}
	}
	for ; i < n; i += 8 {
		for l := range 8 {
			if i+l < n {
				s[l] = fma(x(i+l), y(i+l), s[l])
			} else {
				s[l] += 0
			}
		}
	}
	return fold8([8]float64(s[:8]))
}

// fold8 returns the sum of eight lanes.
func fold8(s [8]float64) float64 {
	return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]))
}

// sumAbs returns the sum of AddAbs, in the lanes of the package comment.
func sumAbs(x []float64) float64 {
	var s [16]float64
	var rest [2]float64
	for i, v := range x {
		switch v = math.Abs(v); {
		case i < len(x)&^15:
			s[i%16] += v
		case i < len(x)&^3:
			s[i%4] += v
		default:
			rest[i%2] += v
		}
	}
	var p [4]float64
	for l := range p {
		p[l] = (s[l] + s[l+8]) + (s[l+4] + s[l+12])
	}
	return ((p[0] + rest[0]) + (p[1] + rest[1])) + (p[2] + p[3])
}

// few lists sets of values for vectors with equal magnitudes, zeros or NaN, in which AbsMax must find
// the first of the largest.
var few = [][]float64{
	{-0.5, 0.75, 0.25, -0.875}, {1, -1}, {-math.MaxFloat64, math.MaxFloat64}, {5e-324, 0, -5e-324}, {0},
	{math.Copysign(0, -1), 0}, {math.NaN(), math.Float64frombits(0x7ff0000000000001)},
	{math.Float64frombits(0xfff7ffffffffffff), math.Copysign(0, -1), -0.5, 0.75},
}

// checkVectors checks the loops of Level 1, AbsMax and AddAbs.
func checkVectors(s *shape, k Kernel) {
	n := 1 + s.Below(256)
	s.chooseFinite()
	x, px := s.vector(n, 1, math.NaN())
	if s.rnd.IntN(2) == 0 {
		from := few[s.rnd.IntN(len(few))]
		for i := range x.x {
			x.x[i] = from[s.rnd.IntN(len(from))]
		}
		x.x[s.rnd.IntN(n)] = s.value() // another one somewhere
	}
	y, py := s.vector(n, 1, math.NaN())
	wantX, wantY := slices.Clone(x.x), slices.Clone(y.x)
	alpha := s.value()
	h11, h12, h21, h22 := s.value(), s.value(), s.value(), s.value()
	dot := dotOf(n, func(i int) float64 { return wantX[i] }, func(i int) float64 { return wantY[i] })
	sum, at, size := sumAbs(wantX), 0, 0.0
	for i, v := range wantX {
		if math.Abs(v) > size {
			at, size = i, math.Abs(v)
		}
	}
	s.run(func() {
		s.equal("Dot", 0, k.Dot(n, px, py), dot)
		i, v := k.AbsMax(n, px)
		s.equal("AbsMax", 0, v, size)
		s.equal("the place of AbsMax", 0, float64(i), float64(at))
		s.equal("the sum of AddAbs", 0, k.AddAbs(n, px, py), sum)
		k.Axpy(n, alpha, px, py)
		k.Scal(n, alpha, px)
		k.Rot(n, h11, h12, h21, h22, px, py)
	})
	for i, v := range wantX {
		wantY[i] = fma(alpha, v, wantY[i]+math.Abs(v))
		wantX[i] *= alpha
		u, v := wantX[i], wantY[i]
		wantX[i], wantY[i] = float64(h11*u)+float64(h12*v), float64(h21*u)+float64(h22*v)
	}
	s.same("x", x, wantX)
	s.same("y", y, wantY)
}

// A lane of -0, a sum of products that underflow, becomes +0 if an incomplete eight is padded with
// zeros. If a multiply-add rounds twice (fma.go), the product is already -0 when it is added to the
// lane's +0, so the lane is +0 in any case.
func TestLanesOfMinusZero(t *testing.T) {
	available(t, func(t *testing.T, k Kernel) {
		var x, y, z [80]float64
		for i := range x {
			x[i], y[i] = 0x1p-600, -0x1p-600
		}
		for n := 1; n <= len(x); n++ {
			want := dotOf(n, func(i int) float64 { return x[i] }, func(i int) float64 { return y[i] })
			if got := k.Dot(n, &x[0], &y[0]); math.Float64bits(got) != math.Float64bits(want) {
				t.Errorf("n=%d: Dot is %v, want %v", n, got, want)
			}
			u, v := 0.0, math.Copysign(0, -1)
			k.Dotxaxpyf(1, n, 1, &x[0], 0, 0, &y[0], &u, &z[0], &v)
			if got, want := math.Signbit(v), n%8 == 0 && hasFMA; got != want {
				t.Errorf("n=%d: Dotxaxpyf of lanes of -0 is %v", n, v)
			}
		}
	})
}

func FuzzVectors(f *testing.F) { fuzzed(f, checkVectors) }

func TestVectors(t *testing.T) {
	exhaust(t, checkVectors, func(Kernel) []int { return []int{256, 7} })
}

// checkMatrixVector checks the loops of Level 2, with increments of either sign.
func checkMatrixVector(s *shape, k Kernel) {
	m, n, routine := 1+s.Below(60), 1+s.Below(80), s.Below(5)
	switch routine {
	case 3:
		s.dotxaxpyf(k, m, n)
		return
	case 4:
		s.symv(k, 1+m%SymvRows)
		return
	}
	beta, lda, inc := []float64{0, 1, 0.7, math.Copysign(0, -1)}[s.Below(4)], n+s.Below(5), []int{1, 2, 3, -1, -2}[s.Below(5)]
	s.chooseFinite()
	alpha := s.value()
	a := newSpan(m, n, math.NaN(), rowMajor(lda), everyElement, s.value)
	wantA := a.copied()
	pa := s.put(&a)
	along, pAlong := s.vector(n, 1, math.NaN())
	down, pDown := s.vector(m, inc, canary)
	wantAlong := slices.Clone(along.x)
	wantDown := down.copied()
	scaled := func(v float64) float64 {
		if beta == 0 {
			return 0
		}
		return beta * v
	}
	for i := range m {
		for j := range n {
			if routine == 1 {
				if i == 0 {
					wantAlong[j] = scaled(wantAlong[j])
				}
				wantAlong[j] = fma(alpha*down.at(i, 0), a.at(i, j), wantAlong[j])
			} else if routine == 2 {
				wantA.set(i, j, fma(alpha*down.at(i, 0), along.x[j], a.at(i, j)))
			}
		}
		if routine == 0 {
			dot := dotOf(n, func(j int) float64 { return a.at(i, j) }, func(j int) float64 { return along.x[j] })
			wantDown.set(i, 0, fma(alpha, dot, scaled(down.at(i, 0))))
		}
	}
	for j := range n {
		if beta == 0 && routine == 1 { // must not be read
			along.x[j] = math.NaN()
		}
	}
	for i := range m {
		if beta == 0 && routine == 0 {
			down.set(i, 0, math.NaN())
		}
	}
	s.run(func() {
		switch routine {
		case 0:
			k.GemvN(m, n, alpha, pa, lda, pAlong, beta, pDown, inc)
		case 1:
			k.GemvT(m, n, alpha, pa, lda, pDown, inc, beta, pAlong)
		default:
			k.Ger(m, n, alpha, pDown, inc, pAlong, pa, lda)
		}
	})
	s.same("A", a, wantA.x)
	s.same("the vector along the rows", along, wantAlong)
	s.same("the vector down the columns", down, wantDown.x)
}

// dotxaxpyf checks Dotxaxpyf on rows of a full matrix or of a packed triangle, whose spacing shrinks or
// grows from row to row.
func (s *shape) dotxaxpyf(k Kernel, m, n int) {
	lda, step := s.spacing(m, n)
	a := newSpan(m, n, math.NaN(), stepped(lda, step), everyElement, s.value)
	alpha, pa := s.value(), s.put(&a)
	x, px := s.vector(n, 1, math.NaN())
	u, pu := s.vector(m, 1, math.NaN())
	y, py := s.vector(n, 1, canary)
	v, pv := s.vector(m, 1, canary)
	wantA, wantX, wantU, wantY, wantV := slices.Clone(a.x), slices.Clone(x.x), slices.Clone(u.x), slices.Clone(y.x), slices.Clone(v.x)
	for i := range m {
		var sum [8]float64
		for j := range (n + 7) &^ 7 {
			if j < n {
				wantY[j] = fma(alpha*u.at(i, 0), a.at(i, j), wantY[j])
				sum[j%8] = fma(a.at(i, j), x.at(j, 0), sum[j%8])
			} else {
				sum[j%8] += 0
			}
		}
		wantV[i] = fma(alpha, fold8(sum), wantV[i])
	}
	s.run(func() { k.Dotxaxpyf(m, n, alpha, pa, lda, step, px, pu, py, pv) })
	s.same("A", a, wantA)
	s.same("x", x, wantX)
	s.same("u", u, wantU)
	s.same("y", y, wantY)
	s.same("v", v, wantV)
}

// symv checks Symv on a triangle of a full matrix or of a packed one.
func (s *shape) symv(k Kernel, m int) {
	lda, step := s.spacing(m, m)
	upper := s.Below(2) == 1
	stored := func(i, j int) bool { return i == j || i < j == upper }
	a := newSpan(m, m, math.NaN(), stepped(lda, step), stored, s.value)
	alpha, pa := s.value(), s.put(&a)
	x, px := s.vector(m, 1, math.NaN())
	y, py := s.vector(m, 1, canary)
	wantA, wantX, want := slices.Clone(a.x), slices.Clone(x.x), slices.Clone(y.x)
	for i := range m {
		var sum float64
		for j := range m {
			if j != i && stored(i, j) {
				sum += float64(a.at(i, j) * x.at(j, 0))
				want[j] += float64(float64(alpha*x.at(i, 0)) * a.at(i, j))
			}
		}
		want[i] += float64(alpha * (float64(a.at(i, i)*x.at(i, 0)) + sum))
	}
	s.run(func() { k.Symv(upper, m, alpha, pa, lda, step, px, py) })
	s.same("A", a, wantA)
	s.same("x", x, wantX)
	s.same("y", y, want)
}

func FuzzMatrixVector(f *testing.F) { fuzzed(f, checkMatrixVector) }

func TestMatrixVector(t *testing.T) {
	exhaust(t, checkMatrixVector, func(Kernel) []int { return []int{15, 75, 5, 4} })
}
