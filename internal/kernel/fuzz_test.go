package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel/internal/testutil/fuzz"
	"blskernel/internal/testutil/guard"
)

// A shape takes numbers from the data of a fuzzer; there are zeros where it ends. Operands of calls lie
// at the edge of pages that cannot be touched.
type shape struct {
	fuzz.Choices
	t       *testing.T
	rnd     *rand.Rand
	edge    guard.Edge
	regions []*guard.Region
}

// integer is a number of which sums of products are exact, in any order, fused or not.
func (s *shape) integer() float64 { return float64(s.rnd.IntN(33) - 16) }

// put moves a span to the edge of a region that nobody has, and returns the address of element (0,0).
func (s *shape) put(x *span) *float64 {
	r := s.regions[0]
	s.regions = s.regions[1:]
	x.x = r.Copy(x.x, s.edge)
	return x.in(x.x)
}

// vector is n integers at an increment of either sign, and the address of the first.
func (s *shape) vector(n, inc int, canary float64) (v span, first *float64) {
	v = newSpan(n, 1, canary, func(i, _ int) int { return i * inc }, everyElement, s.integer)
	return v, s.put(&v)
}

// run makes a call that touches nothing beside its operands.
func (s *shape) run(call func()) {
	s.t.Helper()
	if guard.Faults(call) {
		s.t.Fatal("something beside an operand was read or written")
	}
}

// same compares all that a span covers, canaries included, with what it is to be.
func (s *shape) same(what string, got span, want []float64) {
	s.t.Helper()
	for i, v := range got.x {
		if math.Float64bits(v) != math.Float64bits(want[i]) && v != want[i] {
			s.t.Fatalf("%s: element %d of its memory is %v, want %v", what, i, v, want[i])
		}
	}
}

// fuzzKernels adds seeds for heights and widths about those of tiles, and runs f on a kernel that the
// fuzzer chooses.
func fuzzKernels(f *testing.F, run func(s *shape, k Kernel)) {
	var kernels []Kernel
	for _, k := range table {
		if k.Available() {
			kernels = append(kernels, k)
		}
	}
	for form := range byte(12) {
		for _, size := range []byte{0, 1, 2, 3, 5, 6, 7, 8, 9, 15, 16, 17, 23, 24, 25, 47, 48, 49} {
			f.Add([]byte{form, form >> 1, size, size + form%3, form * 3, form, size, 1, form, 2, 1}, uint64(size))
		}
	}
	rnd := rand.New(rand.NewPCG(18, 1))
	for range 120 {
		data := make([]byte, 16)
		for i := range data {
			data[i] = byte(rnd.IntN(256))
		}
		f.Add(data, rnd.Uint64())
	}
	var regions []*guard.Region
	for range 5 {
		regions = append(regions, guard.New(f, 1<<14))
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		s := &shape{t: t, Choices: data, rnd: rand.New(rand.NewPCG(seed, 9)), regions: regions}
		k := kernels[s.Below(len(kernels))]
		s.edge = guard.Edges[s.Below(len(guard.Edges))]
		run(s, k)
	})
}

// FuzzGemm compares a strip with sums of integers: A by rows, by columns, packed and backwards, B with
// rows of any length and in panels, C anyhow.
func FuzzGemm(f *testing.F) {
	fuzzKernels(f, func(s *shape, k Kernel) {
		m, n, depth := 1+s.Below(k.MR), 1+s.Below(3*k.NR+2), 1+s.Below(40)
		rowA, colA, formA := depth+s.Below(4), 1, Even
		switch s.Below(4) {
		case 1:
			rowA, colA = 1, m+s.Below(4)
		case 2:
			rowA, formA = depth+m+s.Below(4), PackedRows
		case 3:
			rowA, colA, formA = 1, depth+m+s.Below(4), PackedColumns
		}
		rowB, panelB := n+s.Below(4), k.NR
		if s.Below(2) == 1 {
			rowB, panelB = k.NR, k.NR*depth+s.Below(4)
		}
		ldc, store := n+s.Below(4), Store(s.Below(3))
		if store == AddPacked {
			ldc += m
		} else if formA == Even && panelB == k.NR && rowB >= n && s.Below(3) == 2 { // as triangles are applied backwards
			rowA, colA, rowB, ldc = -rowA, -colA, -rowB, -ldc
		}
		a := newSpan(m, depth, math.NaN(), func(i, p int) int {
			switch formA {
			case PackedRows:
				return i*rowA - i*(i-1)/2 + p
			case PackedColumns:
				return i + p*colA - p*(p-1)/2
			}
			return i*rowA + p*colA
		}, everyElement, s.integer)
		b := newSpan(depth, n, math.NaN(), func(p, j int) int { return j/k.NR*panelB + p*rowB + j%k.NR }, everyElement, s.integer)
		c := newSpan(m, n, 12345, func(i, j int) int {
			if store == AddPacked {
				return i*ldc - i*(i-1)/2 + j
			}
			return i*ldc + j
		}, everyElement, s.integer)
		alpha := []float64{1, -1, 0.5, 2}[s.Below(4)]
		wantA, wantB, want := slices.Clone(a.x), slices.Clone(b.x), span{slices.Clone(c.x), c.zero, c.off}
		for i := range m {
			for j := range n {
				sum := 0.0
				for p := range depth {
					sum += a.at(i, p) * b.at(p, j)
				}
				if store == Overwrite {
					want.set(i, j, alpha*sum)
					c.set(i, j, math.NaN())
				} else {
					want.set(i, j, c.at(i, j)+alpha*sum)
				}
			}
		}
		pa, pb, pc := s.put(&a), s.put(&b), s.put(&c)
		s.run(func() { k.Gemm(m, n, depth, alpha, pa, rowA, colA, formA, pb, rowB, panelB, store, pc, ldc) })
		s.same("C", c, want.x)
		s.same("A", a, wantA)
		s.same("B", b, wantB)
	})
}

// FuzzTriangle multiplies by a triangle of which only what is below the diagonal is there, and solves,
// which is exact for a diagonal of powers of two (see TestTriangleExact).
func FuzzTriangle(f *testing.F) {
	fuzzKernels(f, func(s *shape, k Kernel) {
		act := actings[s.Below(len(actings))]
		m, n := 1+s.Below(k.MR), 1+s.Below(3*k.NR+2)
		rowT, colT := m+s.Below(5), 1
		if s.Below(2) == 1 {
			rowT, colT = 1, m+s.Below(5)
		}
		ldx := n + s.Below(4)
		if s.Below(2) == 1 {
			rowT, colT, ldx = -rowT, -colT, -ldx
		}
		small := func() float64 { return float64(s.rnd.IntN(9) - 4) }
		diagonal := func() float64 { return []float64{0.5, 1, -1, 2, -4}[s.rnd.IntN(5)] }
		c := newCorner(m, n, rowT, colT, ldx, s.Below(2) == 1, small, diagonal)
		want := span{slices.Clone(c.x.x), c.x.zero, c.x.off}
		before := span{slices.Clone(c.x.x), c.x.zero, c.x.off}
		for j := range n {
			for i := range m {
				want.set(i, j, act.next(&c, func(l int) float64 { return want.at(l, j) }, func(l int) float64 { return before.at(l, j) }, i))
			}
		}
		triangle := slices.Clone(c.t.x)
		pt, px := s.put(&c.t), s.put(&c.x)
		if c.d != nil {
			c.d = s.regions[0].Copy(c.d, s.edge)
		}
		s.run(func() { act.call(k)(m, n, pt, rowT, colT, c.diagonal(), px, ldx) })
		s.same("X", c.x, want.x)
		s.same("T", c.t, triangle)
	})
}

// FuzzPack copies a matrix and its transpose.
func FuzzPack(f *testing.F) {
	fuzzKernels(f, func(s *shape, k Kernel) {
		m, n := 1+s.Below(90), 1+s.Below(90)
		lds := n + s.Below(5)
		transpose := s.Below(2) == 1
		r, c := m, n
		if transpose {
			r, c = n, m
		}
		ldd := c + s.Below(5)
		src := newSpan(m, n, math.NaN(), func(i, j int) int { return i*lds + j }, everyElement, s.rnd.NormFloat64)
		dst := newSpan(r, c, 12345, func(i, j int) int { return i*ldd + j }, everyElement, func() float64 { return math.NaN() })
		want, before := span{slices.Clone(dst.x), dst.zero, dst.off}, slices.Clone(src.x)
		for i := range m {
			for j := range n {
				if transpose {
					want.set(j, i, src.at(i, j))
				} else {
					want.set(i, j, src.at(i, j))
				}
			}
		}
		ps, pd := s.put(&src), s.put(&dst)
		s.run(func() {
			if transpose {
				k.Transpose(m, n, ps, lds, pd, ldd)
			} else {
				k.Copy(m, n, ps, lds, pd, ldd)
			}
		})
		s.same("the copy", dst, want.x)
		s.same("the source", src, before)
	})
}

// FuzzVectors has the loops of Level 1 and the searches, on integers.
func FuzzVectors(f *testing.F) {
	fuzzKernels(f, func(s *shape, k Kernel) {
		n := 1 + s.Below(256)
		x, px := s.vector(n, 1, math.NaN())
		y, py := s.vector(n, 1, math.NaN())
		wantX, wantY := slices.Clone(x.x), slices.Clone(y.x)
		alpha := float64(s.Below(7) - 3)
		dot, sum, at, size := 0.0, 0.0, 0, 0.0
		for i, v := range wantX {
			dot += v * wantY[i]
			sum += math.Abs(v)
			if math.Abs(v) > size {
				at, size = i, math.Abs(v)
			}
		}
		s.run(func() {
			if got := k.Dot(n, px, py); got != dot {
				s.t.Errorf("n=%d: Dot is %v, want %v", n, got, dot)
			}
			if i, v := k.AbsMax(n, px); i != at || v != size {
				s.t.Errorf("n=%d: AbsMax is %v at %d, want %v at %d", n, v, i, size, at)
			}
			if got := k.AddAbs(n, px, py); got != sum {
				s.t.Errorf("n=%d: AddAbs is %v, want %v", n, got, sum)
			}
			k.Axpy(n, alpha, px, py)
			k.Scal(n, alpha, px)
		})
		for i, v := range wantX {
			wantY[i] += math.Abs(v) + alpha*v
			wantX[i] *= alpha
		}
		s.same("x", x, wantX)
		s.same("y", y, wantY)
	})
}

// FuzzMatrixVector has the loops of Level 2, on integers, with increments of either sign.
func FuzzMatrixVector(f *testing.F) {
	fuzzKernels(f, func(s *shape, k Kernel) {
		m, n := 1+s.Below(60), 1+s.Below(60)
		if s.Below(4) == 3 {
			s.dotxaxpyf(k, m, n)
			return
		}
		lda, inc := n+s.Below(5), []int{1, 2, 3, -1, -2}[s.Below(5)]
		alpha, beta := float64(s.Below(5)-2), float64(s.Below(4)-1)
		a := newSpan(m, n, math.NaN(), func(i, j int) int { return i*lda + j }, everyElement, s.integer)
		wantA := span{slices.Clone(a.x), a.zero, a.off}
		pa := s.put(&a)
		along, pAlong := s.vector(n, 1, math.NaN())
		down, pDown := s.vector(m, inc, 12345)
		wantAlong := slices.Clone(along.x)
		wantDown := span{slices.Clone(down.x), down.zero, down.off}
		routine := s.Below(3)
		for i := range m {
			sum := 0.0
			for j := range n {
				switch {
				case routine == 0:
					sum += a.at(i, j) * along.x[j]
				case routine == 1 && i == 0:
					wantAlong[j] *= beta
					fallthrough
				case routine == 1:
					wantAlong[j] += alpha * down.at(i, 0) * a.at(i, j)
				default:
					wantA.set(i, j, a.at(i, j)+alpha*down.at(i, 0)*along.x[j])
				}
			}
			if routine == 0 {
				wantDown.set(i, 0, beta*down.at(i, 0)+alpha*sum)
			}
		}
		if beta == 0 { // not to be read
			for j := range along.x {
				if routine == 1 {
					along.x[j] = math.NaN()
				}
			}
			for i := range m {
				if routine == 0 {
					down.set(i, 0, math.NaN())
				}
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
	})
}

// dotxaxpyf is Dotxaxpyf on rows of a full matrix or of a packed triangle, which come closer to each
// other or move apart.
func (s *shape) dotxaxpyf(k Kernel, m, n int) {
	step := s.Below(3) - 1
	lda := n + m + s.Below(5)
	a := newSpan(m, n, math.NaN(), func(i, j int) int { return i*lda + step*i*(i-1)/2 + j }, everyElement, s.integer)
	alpha, pa := float64(s.Below(5)-2), s.put(&a)
	x, px := s.vector(n, 1, math.NaN())
	u, pu := s.vector(m, 1, math.NaN())
	y, py := s.vector(n, 1, 12345)
	v, pv := s.vector(m, 1, 12345)
	wantA, wantX, wantU, wantY, wantV := slices.Clone(a.x), slices.Clone(x.x), slices.Clone(u.x), slices.Clone(y.x), slices.Clone(v.x)
	for i := range m {
		for j := range n {
			wantY[j] += alpha * u.at(i, 0) * a.at(i, j)
			wantV[i] += alpha * a.at(i, j) * x.at(j, 0)
		}
	}
	s.run(func() { k.Dotxaxpyf(m, n, alpha, pa, lda, step, px, pu, py, pv) })
	s.same("A", a, wantA)
	s.same("x", x, wantX)
	s.same("u", u, wantU)
	s.same("y", y, wantY)
	s.same("v", v, wantV)
}

// FuzzElementwise has the functions of one element, in place and not: an element's result depends on
// nothing but its value.
func FuzzElementwise(f *testing.F) {
	fuzzKernels(f, func(s *shape, k Kernel) {
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
	})
}
