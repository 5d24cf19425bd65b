package blsupdate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/testutil"
	"blskernel/mat"
)

// plainSequence starts a sequence of rows in general position.
func plainSequence(t *testing.T, seed uint64, m Method, l, k, fit int, opt Options) *sequence {
	r := rand.New(rand.NewPCG(seed, 7))
	h := &sequence{r: r, kind: "normal", fit: fit, scales: slices.Repeat([]float64{1}, k), w: testutil.Random(r, k, 2)}
	h.a, h.y = h.rows(l)
	h.u = started(t, m, h.a, h.y, opt)
	return h
}

// checkPromise fails unless the promise holds, and is at most within digits too low.
func (h *sequence) checkPromise(t *testing.T, what string, within float64) {
	t.Helper()
	promised := h.u.Condition().Digits
	right, ok := h.right(weights(t, h.u), promised)
	if !ok || !(promised <= right && right <= promised+within) {
		t.Errorf("%s: %.1f digits are right, promised %.1f; want at most %.1f more", what, right, promised, within)
	}
}

// TestDigitsOfRidges has ridges far above the squares of the columns, which damp the errors of the
// targets. The promise stays within five digits.
func TestDigitsOfRidges(t *testing.T) {
	for _, m := range []Method{Gram, QR, RidgeInverse, InverseCholesky} {
		for fit := range 2 {
			for lambda := 1e2; lambda < 1e15; lambda *= 1e3 {
				h := plainSequence(t, 1, m, 60, 8, fit, Options{Lambda: lambda})
				for _, kind := range []string{"new", "add", "add", "slide", "forget", "add one", "map"} {
					if kind != "new" && !h.change(kind) {
						t.Fatalf("%v: no %s", m, kind)
					}
					h.checkPromise(t, fmt.Sprintf("%v, fit %d, lambda %g, %s", m, fit, lambda, kind), 5)
				}
				for Supports(m, ActionRidge) && h.u.Lambda() > 1e-3 {
					do(t, h.u, h.u.SetLambda(h.u.Lambda()/9))
					h.checkPromise(t, fmt.Sprintf("%v, fit %d, lambda %g from %g", m, fit, h.u.Lambda(), lambda), 8)
				}
			}
		}
	}
}

// TestDigitsOfOldErrors has states in which errors of larger rows stay: after a run of removals, after
// nodes that are computed from them, and after a factor that rounds the same way each time.
func TestDigitsOfOldErrors(t *testing.T) {
	for _, m := range Methods() {
		h := plainSequence(t, 1, m, 9, 1, 1, Options{})
		for n := 0; n < 30000; n++ {
			do(t, h.u, h.u.Forget(1-0x1p-40))
		}
		root := math.Exp(15000 * math.Log1p(-0x1p-40))
		h.a, h.y = scaled(h.a, root), scaled(h.y, root)
		h.w.Scale(2, h.w)
		h.change("add")
		h.checkPromise(t, fmt.Sprintf("%v, forgetting", m), 9)
	}
	h := plainSequence(t, 2, InverseCholesky, 6, 2, 0, Options{})
	h.a.Apply(func(_, j int, v float64) float64 { return v * math.Pow(1e-7, float64(1-j)) }, h.a)
	h.y.Zero()
	for do(t, h.u, h.u.Rebuild(h.a, h.y)); h.u.Samples() < 10 && h.change("add one"); { // F loses digits at once
		h.checkPromise(t, fmt.Sprintf("a small column, %d rows", h.u.Samples()), 6)
	}
	for _, m := range Methods() {
		h = plainSequence(t, 2, m, 17, 1, 2, Options{})
		for i := range 17 {
			dense.Scale(math.Pow(3, float64(i)), h.a.RawRowView(i))
		}
		do(t, h.u, h.u.Rebuild(h.a, h.y))
		for n := 16; n > 3; n-- {
			h.apply(h.removal([]int{n}))
			h.checkPromise(t, fmt.Sprintf("%v, %d rows left", m, n), 5)
		}
	}
}

// TestDigitsOfLeavingStarts removes the rows of a start with a ridge after others have come. A⁺ then
// lacks a direction, or belongs to other rows than these.
func TestDigitsOfLeavingStarts(t *testing.T) {
	start := [][]float64{{10, 0, 0}, {10, 0, 0}, {0, 10, 10}, {0, 10, 10}}
	for i, ops := range [][][]float64{ // the sign, the row of A, y
		{{1, 0, 10, 10}, {1, 0, 10, 10}, {-1, 10, 0, 0}, {-1, 10, 0, 0}, {1, 1, 0, 1}},
		{{1, 0, 10, 10}, {1, 10, 0, 0}, {-1, 10, 0, 0}, {-1, 10, 0, 0}, {-1, 10, 0, 0}, {1, 1, 0, 1}},
		{{1, 1, 0, 5}, {1, 1, 0, -5}, {-1, 10, 0, 0}, {-1, 10, 0, 0}, {1, 1000, 0, 0}, {-1, 1, 0, 5}},
	} {
		var a, y []float64
		for _, row := range start {
			a, y = append(a, row[:2]...), append(y, row[2])
		}
		u := mustNew(t, Original, mat.NewDense(4, 2, a), mat.NewDense(4, 1, y), Options{Lambda: 1})
		g, err := New(Gram, mat.NewDense(4, 2, a), mat.NewDense(4, 1, y), Options{Lambda: 1})
		testutil.NoError(t, err)
		for _, op := range ops {
			for _, u := range []Updater{u, g} {
				if ax, ya := mat.NewDense(1, 2, op[1:3]), mat.NewDense(1, 1, op[3:]); op[0] > 0 {
					do(t, u, u.AddInputs(ax, ya))
				} else {
					do(t, u, u.RemoveInputs(ax, ya))
				}
			}
		}
		if e, digits := relative(weights(t, u), weights(t, g)), u.Condition().Digits; !(e <= math.Pow(10, -digits)) {
			t.Errorf("%d: an error of %g, but %.1f digits are promised", i, e, digits)
		}
	}
}

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

// TestDigitsOfChangingWindows slides windows over rows whose direction drifts, and over rows that
// shrink, so that many removals have a leverage of more than a half.
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

// TestDigitsOfFirstInverses starts from one row and a small ridge, so Q is large and has large errors.
// They stay as Q shrinks.
func TestDigitsOfFirstInverses(t *testing.T) {
	for seed := range uint64(1000) {
		k := 2 + int(seed%6)
		r := rand.New(rand.NewPCG(seed, 8))
		h := &sequence{r: r, kind: "graded", w: testutil.Random(r, k, 1)}
		for range k {
			h.scales = append(h.scales, exponent(r, -6, 6))
		}
		h.a, h.y = h.rows(1)
		u, err := New(RidgeInverse, h.a, h.y, Options{Lambda: exponent(r, -11, -7)})
		if err != nil {
			continue
		}
		for h.u = u; dense.Rows(h.a) < 3*k; h.change("add one") {
			h.checkPromise(t, fmt.Sprintf("seed %d, %d nodes, %d rows", seed, k, dense.Rows(h.a)), 16)
		}
	}
}

// TestDigitsBelowFullRank adds small nodes to a few rows of nearly dependent columns, computes the
// model anew, adds rows that repeat others, and rows until the rank is full. Rounding may look like a
// new direction or hide one, and the weights for columns of norm 1 have larger relative errors than the
// weights.
func TestDigitsBelowFullRank(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 9))
		h := &sequence{r: r, kind: "conditioned", fit: r.IntN(4), scales: []float64{exponent(r, -8, -1), 1}, w: testutil.Random(r, 2, 1)}
		h.a, h.y = h.rows(3)
		h.u = started(t, Methods()[4+seed%2], h.a, h.y, Options{})
		for _, kind := range []string{"nodes", "rebuild", "nodes", "repeat", "add one", "remove", "nodes", "repeat", "add", "add"} {
			if kind == "repeat" {
				at := []int{r.IntN(dense.Rows(h.a)), r.IntN(dense.Rows(h.a))}
				if ax, ya := take(h.a, at), take(h.y, at); h.u.AddInputs(ax, ya) == nil {
					h.a, h.y = stack(h.a, ax), stack(h.y, ya)
					h.note("%v again", at)
				}
			} else if !h.change(kind) {
				continue
			}
			if c := h.u.Condition().Digits; c > 0 {
				if right, ok := h.right(weights(t, h.u), c); ok && !(right >= c) {
					t.Errorf("seed %d: %.2f digits are right, promised %.2f: %q", seed, right, c, h.log)
				}
			}
		}
	}
}

// TestDigitsOfRepeatedRows adds rows again to fewer rows than nodes. The errors of the fit of W, which
// are in directions in which A is large, then reach the directions in which A is small.
func TestDigitsOfRepeatedRows(t *testing.T) {
	for seed := range uint64(1000) {
		h := plainSequence(t, seed, Methods()[4+seed%2], 1, 3, 0, Options{})
		h.kind, h.scales[0], h.fit = "conditioned", exponent(h.r, -8, -2), h.r.IntN(4)
		h.a, h.y = h.rows(2)
		h.u = started(t, h.u.Method(), h.a, h.y, Options{})
		for range 3 {
			ax, ya := take(h.a, []int{0, 0}), take(h.y, []int{0, 0})
			do(t, h.u, h.u.AddInputs(ax, ya))
			h.a, h.y = stack(h.a, ax), stack(h.y, ya)
			h.checkPromise(t, fmt.Sprintf("seed %d", seed), 8)
		}
	}
}

// TestDigitsOfNodesOfManyRows adds a constant node for so many rows that errors of sums matter.
func TestDigitsOfNodesOfManyRows(t *testing.T) {
	const l = 200000
	a := scaled(testutil.Random(rand.New(rand.NewPCG(5, 6)), l, 1), 1e-7)
	h, y := mat.NewDense(l, 1, slices.Repeat([]float64{0.7}, l)), mat.NewDense(l, 1, slices.Repeat([]float64{0.3}, l))
	s := &sequence{a: dense.Beside(a, h), y: y, u: started(t, InverseCholesky, a, y, Options{Lambda: 1e4})}
	must(t, s.u.AddNodes(a, h, y))
	if d, right := s.u.Condition().Digits, s.alike(weights(t, s.u), highPrecision(s.a, y, 1e4)); !(right >= d) {
		t.Errorf("%.2f digits promised, %.2f right", d, right)
	}
}
