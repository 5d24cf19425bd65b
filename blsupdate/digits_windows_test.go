package blsupdate

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/testutil"
	"blskernel/mat"
)

// TestDigitsOfWindows slides windows of 100 rows of 10 columns over many rows, and lets an outlier
// leave one. A removal leaves its errors in RᵀR, which later rows make larger.
func TestDigitsOfWindows(t *testing.T) {
	slides := 1000
	if testutil.Long() {
		slides = 100000
	}
	for _, m := range []Method{Gram, QR} {
		h := plainSequence(t, 1, m, 100, 10, 0, Options{})
		for i := range slides {
			ax, ya := h.rows(1)
			do(t, h.u, h.u.AddInputs(ax, ya))
			at := []int{i % 100}
			do(t, h.u, h.u.RemoveInputs(take(h.a, at), take(h.y, at)))
			dense.Place(h.a, at[0], 0, ax)
			dense.Place(h.y, at[0], 0, ya)
		}
		h.checkPromise(t, fmt.Sprintf("%v, %d slides", m, slides), 6)

		h = plainSequence(t, 1, m, 100, 10, 0, Options{})
		ax, ya := h.rows(1)
		ax.Scale(1e3, ax)
		do(t, h.u, h.u.AddInputs(ax, ya))
		do(t, h.u, h.u.RemoveInputs(ax, ya))
		for range 100 {
			more, targets := h.rows(50)
			do(t, h.u, h.u.AddInputs(more, targets))
			h.a, h.y = stack(h.a, more), stack(h.y, targets)
		}
		h.checkPromise(t, fmt.Sprintf("%v, an outlier and 5000 rows", m), 4)
	}
}

// TestDigitsOfSmoothWindows slides short windows over rows that change slowly. The oldest row is an
// extreme one, so every removal has a leverage of about a half, and its errors grow.
func TestDigitsOfSmoothWindows(t *testing.T) {
	for _, m := range Methods() {
		for k := 2; k < 5; k++ {
			r := rand.New(rand.NewPCG(uint64(k), 7))
			at := func(n int) (a, y *mat.Dense) {
				a = testutil.Random(r, 1, k)
				a.Apply(func(_, j int, v float64) float64 { return math.Sin(float64(n*(j+1))/10) + v/1000 }, a)
				return a, testutil.Random(r, 1, 1)
			}
			h := &sequence{r: r}
			h.a, h.y = at(0)
			for n := 1; n < 400; n++ {
				ax, ya := at(n)
				if h.u != nil {
					do(t, h.u, h.u.AddInputs(ax, ya))
				}
				h.a, h.y = stack(h.a, ax), stack(h.y, ya)
				switch l := 4 * k; {
				case n == l:
					h.u = started(t, m, h.a, h.y, Options{})
				case n > l && h.apply(h.removal([]int{0})) && n%10 == 0:
					h.checkPromise(t, fmt.Sprintf("%v, %d nodes, %d rows", m, k, n), 16)
				}
			}
		}
	}
}

// TestDigitsOfChangingWindows slides windows over rows whose direction drifts, and over rows that shrink,
// so that many removals have a leverage of more than a half.
func TestDigitsOfChangingWindows(t *testing.T) {
	for _, m := range Methods() {
		for seed := range uint64(24) {
			r := rand.New(rand.NewPCG(seed, 9))
			k, shrink, trend := 3+int(seed%3), 0.85+0.1*r.Float64(), seed%2 == 0
			noise, w := exponent(r, -6, -2), testutil.Random(r, 1, k).RawRowView(0)
			row := func(n int) (a, y *mat.Dense) {
				a, y = testutil.Random(r, 1, k), testutil.Random(r, 1, 1)
				a.Apply(func(_, j int, v float64) float64 {
					if trend {
						return math.Pow(float64(n)/30, float64(j)/2) + v*noise
					}
					return v * math.Pow(shrink, float64(n))
				}, a)
				if seed%4 < 2 { // a close fit
					y.Set(0, 0, dense.Dot(a.RawRowView(0), w))
				}
				return a, y
			}
			h := &sequence{r: r}
			h.a, h.y = row(0)
			for n := 1; n < 150; n++ {
				ax, ya := row(n)
				if h.u != nil {
					do(t, h.u, h.u.AddInputs(ax, ya))
				}
				h.a, h.y = stack(h.a, ax), stack(h.y, ya)
				switch l := 5 * k; {
				case n == l:
					h.u = started(t, m, h.a, h.y, Options{})
				case n > l && h.apply(h.removal([]int{0})) && n%10 == 0:
					h.checkPromise(t, fmt.Sprintf("%v, seed %d, %d rows", m, seed, n), 16)
				}
			}
		}
	}
}
