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

// A sequence is a model and all its rows, scaled as in the model.
type sequence struct {
	r      *rand.Rand
	u      Updater
	a, y   *mat.Dense
	kind   string // of the matrix
	fit    int    // of the targets
	scales []float64
	w      *mat.Dense // planted weights for columns of norm 1
	log    []string
}

// exponent returns 10 to a uniform power between low and high.
func exponent(r *rand.Rand, low, high float64) float64 {
	return math.Pow(10, low+(high-low)*r.Float64())
}

var nastyKinds = []string{"normal", "conditioned", "graded", "1e±50", "dependent", "powers", "integers", "outliers", "offset"}

// newSequence starts a model of one of the kinds. It returns nil if the method refuses it.
func newSequence(r *rand.Rand, m Method, kinds ...string) *sequence {
	k, c := 1+r.IntN(7), 1+r.IntN(3)
	h := &sequence{r: r, kind: kinds[r.IntN(len(kinds))], fit: r.IntN(4)}
	h.w = testutil.Random(r, k, c)
	h.scales = slices.Repeat([]float64{1}, k)
	switch h.kind {
	case "graded":
		low := -8 * r.Float64()
		for j := range h.scales {
			h.scales[j] = exponent(r, low, 0)
		}
	case "1e±50":
		for j := range h.scales {
			h.scales[j] = exponent(r, -50, 50)
		}
		if r.IntN(2) == 0 {
			h.scales = slices.Repeat(h.scales[:1], k)
		}
	case "conditioned", "dependent":
		h.scales[0] = exponent(r, -8, -1) // of what the columns do not share
	}
	l := k + r.IntN(2*k+2)
	lambda := 0.0
	if r.IntN(3) == 0 {
		lambda = exponent(r, -12, 1)
		if h.kind == "1e±50" {
			lambda *= h.scales[0] * h.scales[0]
		}
	}
	if r.IntN(4) == 0 {
		l = 1 + r.IntN(k)
	}
	h.a, h.y = h.rows(l)
	opt := Options{Lambda: lambda, Form: Form(max(0, r.IntN(10)-5))}
	if h.kind == "wild" {
		opt.Lambda, opt.Solve = lambda*anyScale(r), r.IntN(2) == 0
	}
	u, err := New(m, h.a, h.y, opt)
	if err != nil {
		return nil
	}
	h.u = u
	h.note("New %v %s fit %d, form %v, lambda %g, %d rows, %d nodes, %d targets", m, h.kind, h.fit, opt.Form, lambda, l, k, c)
	return h
}

func (h *sequence) note(format string, args ...any) {
	h.log = append(h.log, fmt.Sprintf(format, args...))
}

func (h *sequence) rows(q int) (a, y *mat.Dense) {
	k := len(h.scales)
	a = testutil.Random(h.r, q, k)
	for i := range q {
		row := a.RawRowView(i)
		switch h.kind {
		case "conditioned": // columns that share most of their direction
			for j := 1; j < k; j++ {
				row[j] = row[0] + h.scales[0]*row[j]
			}
		case "dependent": // the last column is nearly the sum of the others
			if k > 1 {
				last := h.scales[0] * row[k-1]
				for _, v := range row[:k-1] {
					last += v
				}
				row[k-1] = last
			}
		case "powers":
			x := 0.5 + h.r.Float64()
			for j := range row {
				row[j] = math.Pow(x, float64(j))
			}
		case "integers": // with repeated rows
			for j := range row {
				row[j] = float64(h.r.IntN(3) - 1)
			}
		case "outliers":
			if h.r.IntN(8) == 0 {
				dense.Scale(exponent(h.r, 0, 4), row)
			}
		case "offset":
			for j := range row {
				row[j] += 100
			}
		}
	}
	y = mat.NewDense(q, dense.Cols(h.w), nil)
	noise := testutil.Random(h.r, q, dense.Cols(h.w))
	if h.fit > 0 {
		y.Mul(a, h.w)
	}
	switch h.fit {
	case 0:
		y.Copy(noise)
	case 2:
		noise.Scale(1e-6, noise)
		y.Add(y, noise)
	case 3:
		noise.Apply(func(_, _ int, v float64) float64 { return 1000 }, noise)
		y.Add(y, noise)
	}
	switch h.kind {
	case "graded", "1e±50":
		a.Apply(func(_, j int, v float64) float64 { return v * h.scales[j] }, a)
	case "wild":
		if h.r.IntN(3) > 0 {
			wild(h.r, a)
			wild(h.r, y)
		}
	}
	return a, y
}

// anyScale returns 1, or 10 to any power from -150 to 150.
func anyScale(r *rand.Rand) float64 {
	if r.IntN(2) == 0 {
		return 1
	}
	return exponent(r, -150, 150)
}

// wild scales each row of m, each column, and m as a whole.
func wild(r *rand.Rand, m *mat.Dense) {
	all, columns := anyScale(r), make([]float64, dense.Cols(m))
	for j := range columns {
		columns[j] = anyScale(r)
	}
	for i := range dense.Rows(m) {
		row, scale := m.RawRowView(i), anyScale(r)
		for j, v := range row { // beyond float64 it is no row, as AddInputs would say
			row[j] = max(-math.MaxFloat64, min(math.MaxFloat64, v*all*columns[j]*scale))
		}
	}
}

var operations = []string{"add", "add one", "add weighted", "remove", "slide", "forget", "nodes", "merge", "lambda", "targets", "map", "refine", "rebuild"}

// next returns do, a change of a kind, and then, which updates the rows if a model takes it. Both are
// nil if there is none.
func (h *sequence) next(kind string) (do func(u Updater) error, then func()) {
	r, a, y, l, k := h.r, h.a, h.y, dense.Rows(h.a), len(h.scales)
	more := func(ax, ya *mat.Dense) func() {
		return func() {
			h.a, h.y = stack(h.a, ax), stack(h.y, ya)
			h.note("%s of %d rows", kind, dense.Rows(ax))
		}
	}
	switch kind {
	case "add", "add one":
		q := 1
		if kind == "add" {
			q += r.IntN(2*k + 1)
		}
		ax, ya := h.rows(q)
		return func(u Updater) error { return u.AddInputs(ax, ya) }, more(ax, ya)
	case "add weighted":
		ax, ya := h.rows(1 + r.IntN(2*k+1))
		var weights, roots []float64
		for range dense.Rows(ax) {
			w := float64(r.IntN(3)) * exponent(r, -2, 2)
			weights, roots = append(weights, w), append(roots, math.Sqrt(w))
		}
		do = func(u Updater) error { return u.AddInputsContext(background, ax, ya, weights) }
		return do, more(scaleRows(ax, roots), scaleRows(ya, roots))
	case "remove":
		gone := r.Perm(l)[:r.IntN(l)]
		if len(gone) == 0 {
			return nil, nil
		}
		if r.IntN(2) == 0 {
			gone = gone[:1]
		}
		return h.removal(gone)
	case "forget":
		factor := []float64{0.25, 1, 1.0 / 16}[r.IntN(3)]
		return func(u Updater) error { return u.Forget(factor) }, func() {
			h.a, h.y = scaled(dense.Copy(a), math.Sqrt(factor)), scaled(dense.Copy(y), math.Sqrt(factor))
			h.note("forget %g", factor)
		}
	case "nodes":
		p := 1 + r.IntN(2)
		if k+p > 9 {
			return nil, nil
		}
		n := testutil.Random(r, l, p)
		size := exponent(r, -3, 3)
		if h.kind == "1e±50" {
			size *= h.scales[0]
		}
		scaled(n, size)
		return func(u Updater) error { return u.AddNodes(a, n, y) }, func() {
			h.a = dense.Beside(a, n)
			for range p {
				h.scales = append(h.scales, 1)
			}
			h.w = stack(h.w, testutil.Random(r, p, dense.Cols(h.w)))
			if h.kind == "1e±50" || h.kind == "graded" {
				copy(h.scales[k:], slices.Repeat([]float64{size}, p))
			}
			h.note("%d nodes of %.1g", p, size)
		}
	case "merge":
		ax, ya := h.rows(k + r.IntN(k+1))
		return func(u Updater) error {
			other, err := New(u.Method(), ax, ya, Options{Lambda: u.Lambda()})
			return cmp.Or(err, u.Merge(other))
		}, more(ax, ya)
	case "lambda":
		lambda := h.u.Lambda() * exponent(r, -3, 2)
		return func(u Updater) error { return u.SetLambda(lambda) }, func() { h.note("lambda %g", lambda) }
	case "targets", "map":
		c := dense.Cols(y)
		t := testutil.Random(r, c, 1+r.IntN(2))
		t.Apply(func(_, _ int, v float64) float64 { return math.Round(4 * v) }, t)
		keep := kind == "targets"
		if keep && c+dense.Cols(t) > 5 {
			return nil, nil
		}
		do = func(u Updater) error { return u.MapTargets(t) }
		if keep {
			do = func(u Updater) error { return u.AddTargets(t) }
		}
		return do, func() {
			h.y, h.w = mapped(y, t, keep), mapped(h.w, t, keep)
			h.note("%s %d", kind, dense.Cols(t))
		}
	case "refine":
		if _, ok := h.u.(Refiner); ok {
			do = func(u Updater) error { return u.(Refiner).Refine(a, y) }
		}
	case "rebuild":
		do = func(u Updater) error { return u.Rebuild(a, y) }
	}
	return do, func() { h.note("%s", kind) }
}

// change makes a change of a kind, and reports whether the model took it.
func (h *sequence) change(kind string) bool {
	if l := dense.Rows(h.a); kind == "slide" {
		return h.change("add") && dense.Rows(h.a) < 2*l && h.apply(h.removal(factor.Indices(dense.Rows(h.a)-l)))
	}
	return h.apply(h.next(kind))
}

// apply makes a change, and reports whether the model took it.
func (h *sequence) apply(do func(u Updater) error, then func()) bool {
	if do == nil || do(h.u) != nil {
		return false
	}
	then()
	return true
}

func (h *sequence) removal(gone []int) (do func(u Updater) error, then func()) {
	// Of samples with the same bits, Original and Improved remove the first.
	same := func(i, j int) bool {
		return slices.Equal(h.a.RawRowView(i), h.a.RawRowView(j)) && slices.Equal(h.y.RawRowView(i), h.y.RawRowView(j))
	}
	var first []int
	for _, i := range gone {
		j := slices.IndexFunc(factor.Indices(dense.Rows(h.a)), func(j int) bool { return !slices.Contains(first, j) && same(i, j) })
		first = append(first, j)
	}
	ax, ya := take(h.a, first), take(h.y, first)
	return func(u Updater) error { return u.RemoveInputs(ax, ya) }, func() {
		left := slices.DeleteFunc(factor.Indices(dense.Rows(h.a)), func(i int) bool { return slices.Contains(first, i) })
		h.a, h.y = take(h.a, left), take(h.y, left)
		h.note("removal of %d rows", len(first))
	}
}

// right returns the number of correct decimal digits of W, as Condition.Digits defines it, or false if
// it is not known. Within a digit of the promise, 400-bit numbers decide if the rank is full.
func (h *sequence) right(w *mat.Dense, promised float64) (digits float64, ok bool) {
	want, rank, ok := exactly(h.a, h.y, h.u.Lambda())
	if !ok {
		return 0, false
	}
	digits = h.alike(w, want)
	if digits < promised+1 && rank == dense.Rows(w) {
		digits = h.alike(w, highPrecision(h.a, h.y, h.u.Lambda()))
	}
	return digits, true
}

// alike returns the number of decimal digits in which w agrees with want.
func (h *sequence) alike(w, want *mat.Dense) float64 {
	lengths, worst := columnLengths(h.a, h.u.Lambda()), 0.0
	for t := range dense.Cols(w) {
		errs, size := make([]float64, dense.Rows(w)), make([]float64, dense.Rows(w))
		for i := range errs {
			errs[i], size[i] = w.At(i, t)-want.At(i, t), want.At(i, t)
		}
		for range 2 {
			if e := dense.Norm(errs); e > 0 {
				worst = max(worst, e/dense.Norm(size))
			}
			dense.Multiply(errs, lengths)
			dense.Multiply(size, lengths)
		}
	}
	return min(maxDigits, max(0, -math.Log10(worst)))
}

// TestDigits takes models of all methods through random sequences of all changes, with nasty matrices,
// and compares the digits of W that Condition promises with the correct ones. No promise may be too
// high, and for each method and each kind of change the number of correct digits beyond the promise has
// a median and a 90th percentile within limits.
func TestDigits(t *testing.T) {
	testutil.NotUnderRace(t, "it starts no goroutine")
	states := 20000
	if testutil.Long() {
		states = 500000
	}
	beyond := map[string][]float64{}
	failures := 0
	for seed, done := uint64(0), 0; done < states; seed++ {
		r := rand.New(rand.NewPCG(seed, 401))
		m := Methods()[seed%uint64(len(Methods()))]
		h := newSequence(r, m, nastyKinds...)
		if h == nil {
			continue
		}
		kind := "new"
		for range 12 {
			c := h.u.Condition()
			if w, err := h.u.Weights(); err == nil {
				if right, ok := h.right(w, c.Digits); ok && c.Digits+right > 0 {
					done++
					name := fmt.Sprintf("%v %s", m, kind)
					beyond[name] = append(beyond[name], right-c.Digits)
					if !(right >= c.Digits) {
						if failures++; failures <= 40 {
							t.Errorf("seed %d: %.2f digits are right, promised %.2f (RCond %.2g): %q", seed, right, c.Digits, c.RCond, h.log)
						}
					}
				}
			}
			for range 20 {
				kind = operations[r.IntN(len(operations))]
				if h.change(kind) {
					break
				}
			}
		}
	}
	t.Logf("%d promises too high", failures)
	var names []string
	for name := range beyond {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		x := beyond[name]
		slices.Sort(x)
		median, most := x[len(x)/2], x[len(x)*9/10]
		t.Logf("%-32s %6d states, median %5.2f, 90%% %5.2f, least %.2f", name, len(x), median, most, x[0])
		limits := [2]float64{4, 6.9}
		if len(x) < 1000 { // by chance
			limits = [2]float64{4.5, 8}
		}
		if len(x) > 50 && !(median <= limits[0] && most <= limits[1]) {
			t.Errorf("%s: median %.2f, 90th percentile %.2f, limits %.1f", name, median, most, limits)
		}
	}
}
