package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLevel2IsLevel1 checks the identities of the package comment, bit for bit.
func TestLevel2IsLevel1(t *testing.T) {
	available(t, func(t *testing.T, k Kernel) {
		rnd := rand.New(rand.NewPCG(11, 12))
		random := func(n int) []float64 {
			x := make([]float64, n)
			for i := range x {
				x[i] = rnd.NormFloat64()
			}
			return x
		}
		for n := 1; n <= 70; n++ {
			for _, m := range []int{1, 2, 3, 4, 5, 7, 8, 11, 15, 23} {
				lda, inc := n+rnd.IntN(3), 1+rnd.IntN(3)
				a, along, down := random(m*lda), random(n), random(m*inc)
				alpha, beta := rnd.NormFloat64(), []float64{0, 1, 0.3}[rnd.IntN(3)]

				got := random(m * inc)
				k.GemvN(m, n, 1, &a[0], lda, &along[0], 0, &got[0], inc)
				for i := range m {
					if want := k.Dot(n, &a[i*lda], &along[0]); got[i*inc] != want {
						t.Errorf("m=%d n=%d: GemvN of row %d is %v, Dot %v", m, n, i, got[i*inc], want)
					}
				}

				got = random(n)
				want := append([]float64(nil), got...)
				k.GemvT(m, n, alpha, &a[0], lda, &down[0], inc, beta, &got[0])
				k.Scal(n, beta, &want[0])
				for i := range m {
					k.Axpy(n, alpha*down[i*inc], &a[i*lda], &want[0])
				}
				if !identical(got, want) {
					t.Errorf("m=%d n=%d beta=%v: GemvT is not Scal and Axpy", m, n, beta)
				}

				want = append([]float64(nil), a...)
				k.Ger(m, n, alpha, &down[0], inc, &along[0], &a[0], lda)
				for i := range m {
					k.Axpy(n, alpha*down[i*inc], &along[0], &want[i*lda])
				}
				if !identical(a, want) {
					t.Errorf("m=%d n=%d: Ger is not Axpy", m, n)
				}

				for step := -1; step <= 1; step++ {
					first := lda + m // the distance of the first two rows, so that the last ones do not overlap
					rows := random(m * (first + m))
					u, y, v := random(m), random(n), random(m)
					y1, v1, at := slices.Clone(y), slices.Clone(v), 0
					k.Dotxaxpyf(m, n, alpha, &rows[0], first, step, &along[0], &u[0], &y[0], &v[0])
					for i := range m {
						k.Dotxaxpyf(1, n, alpha, &rows[at], 0, 0, &along[0], &u[i], &y1[0], &v1[i])
						at += first + i*step
					}
					if !identical(y, y1) || !identical(v, v1) {
						t.Errorf("m=%d n=%d step=%d: Dotxaxpyf is not that of its rows", m, n, step)
					}
					k.Axpy(n, alpha*u[0], &rows[0], &y1[0])
					k.Dotxaxpyf(1, n, alpha, &rows[0], 0, 0, &along[0], &u[0], &y[0], &v[0])
					if !identical(y, y1) {
						t.Errorf("n=%d: Dotxaxpyf of a row is not Axpy", n)
					}
				}
			}
		}
	})
}

// checkVectors has the loops of Level 1 and the searches, on integers.
func checkVectors(s *shape, k Kernel) {
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
}

func FuzzVectors(f *testing.F) { fuzzed(f, checkVectors) }

func TestVectors(t *testing.T) {
	exhaust(t, checkVectors, func(Kernel) []int { return []int{256, 7} })
}

// checkMatrixVector has the loops of Level 2, on integers, with increments of either sign.
func checkMatrixVector(s *shape, k Kernel) {
	m, n, routine := 1+s.Below(60), 1+s.Below(60), s.Below(4)
	if routine == 3 {
		s.dotxaxpyf(k, m, n)
		return
	}
	beta, lda, inc := float64(s.Below(4)-1), n+s.Below(5), []int{1, 2, 3, -1, -2}[s.Below(5)]
	alpha := float64(s.Below(5) - 2)
	a := newSpan(m, n, math.NaN(), rowMajor(lda), everyElement, s.integer)
	wantA := a.copied()
	pa := s.put(&a)
	along, pAlong := s.vector(n, 1, math.NaN())
	down, pDown := s.vector(m, inc, canary)
	wantAlong := slices.Clone(along.x)
	wantDown := down.copied()
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
	for j := range n {
		if beta == 0 && routine == 1 { // not to be read
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

// dotxaxpyf is Dotxaxpyf on rows of a full matrix or of a packed triangle, which come closer to each
// other or move apart.
func (s *shape) dotxaxpyf(k Kernel, m, n int) {
	step := s.Below(3) - 1
	lda := n + m + s.Below(5)
	a := newSpan(m, n, math.NaN(), func(i, j int) int { return i*lda + step*i*(i-1)/2 + j }, everyElement, s.integer)
	alpha, pa := float64(s.Below(5)-2), s.put(&a)
	x, px := s.vector(n, 1, math.NaN())
	u, pu := s.vector(m, 1, math.NaN())
	y, py := s.vector(n, 1, canary)
	v, pv := s.vector(m, 1, canary)
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

func FuzzMatrixVector(f *testing.F) { fuzzed(f, checkMatrixVector) }

func TestMatrixVector(t *testing.T) {
	exhaust(t, checkMatrixVector, func(Kernel) []int { return []int{15, 50, 4, 4} })
}
