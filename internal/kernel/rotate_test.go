package kernel

import (
	"math"
	"slices"
	"testing"
)

// checkRotate rotates rows from the top down and from the bottom up.
func checkRotate(s *shape, k Kernel) {
	m, n := []int{1, 4}[s.Below(2)], 8*(1+s.Below(10))
	rotations, backwards := 1+s.Below(13), s.Below(2) == 1
	ldt, lda := 2*rotations+s.Below(3), n+s.Below(4)
	s.chooseFinite()
	pair := func(w, j int) int { return w*ldt + j }
	ts := newSpan(m, 2*rotations, math.NaN(), pair, everyElement, s.value)
	distance := lda
	if backwards {
		distance = -lda
	}
	a := newSpan(rotations+m, n, canary, rowMajor(distance), everyElement, s.value)
	want, shears := a.copied(), slices.Clone(ts.x)
	for w := range m {
		for j := range rotations {
			x := m - 1 - w + j // rows are counted from the first
			for i := range n {
				t, sine := ts.at(w, 2*j), ts.at(w, 2*j+1)
				u := fma(t, want.at(x+1, i), want.at(x, i))
				v := fma(-sine, u, want.at(x+1, i))
				want.set(x, i, fma(t, v, u))
				want.set(x+1, i, v)
			}
		}
	}
	pt, pa := s.put(&ts), s.put(&a)
	s.run(func() { k.Rotate(m, rotations, n, pt, ldt, element(pa, (m-1)*distance), distance) })
	s.same("A", a, want.x)
	s.same("the rotations", ts, shears)
}

func FuzzRotate(f *testing.F) { fuzzed(f, checkRotate) }

// One sweep and four, of every width of a strip and every step at which the rows in registers leave.
func TestRotate(t *testing.T) {
	exhaust(t, checkRotate, func(Kernel) []int { return []int{2, 10, 13, 2} })
}

// Rotations by random angles. Each shear rounds once, and adds at most as much as is there.
func TestRotateBound(t *testing.T) {
	available(t, func(t *testing.T, k Kernel) {
		const n = 8
		for degrees := -90.0; degrees <= 90; degrees += 0.5 {
			sin, cos := math.Sincos(degrees * math.Pi / 180)
			cos = max(cos, 0)
			var x, y [n]float64
			for i := range x {
				x[i], y[i] = math.Cos(float64(3*i)), 10*math.Sin(float64(i*i))
			}
			ts := [2]float64{sin / (1 + cos), sin}
			a := slices.Concat(x[:], y[:])
			k.Rotate(1, 1, n, &ts[0], 2, &a[0], n)
			for i := range x {
				for r, terms := range [][][2]float64{
					{{cos, x[i]}, {sin, y[i]}, {-1, a[i]}},
					{{cos, y[i]}, {-sin, x[i]}, {-1, a[n+i]}},
				} {
					if e, _ := residual(terms); !(e <= 4*0x1p-53*math.Hypot(x[i], y[i])) {
						t.Fatalf("%v degrees: row %d, element %d errs by %.3g", degrees, r, i, e)
					}
				}
			}
		}
	})
}
