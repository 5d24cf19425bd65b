package blsupdate

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"
)

// A life is a random sequence of actions of which a model knows all rows.
type life struct {
	r      *rand.Rand
	v      variant
	opt    Options
	lambda float64
	a, y   *mat.Dense // as the model has them, in its order
	also   *mat.Dense // a map to two more targets, which models with four of them know from their start
}

// An act is something that a model is asked to do, and what becomes of the rows if it does it.
type act struct {
	name string
	do   func(u Updater) error
	then func()
}

// targets returns what u is given for the targets y.
func (l *life) targets(u Updater, y *mat.Dense) *mat.Dense {
	if l.also != nil && u.Targets() == 4 {
		return mapped(y, l.also, true)
	}
	return y
}

// next returns an action.
func (l *life) next() act {
	rows, k := l.a.Dims()
	_, c := l.y.Dims()
	switch action := l.r.IntN(10); action {
	case 0: // weighted rows
		q := 1 + l.r.IntN(3)
		ax, ya, w, roots := testutil.Random(l.r, q, k), testutil.Random(l.r, q, c), make([]float64, q), make([]float64, q)
		for i := range w {
			w[i] = l.r.Float64()
			roots[i] = math.Sqrt(w[i])
		}
		return act{"weighted rows", func(u Updater) error { return u.AddInputsContext(background, ax, l.targets(u, ya), w) },
			func() { l.a, l.y = stack(l.a, scaleRows(ax, roots)), stack(l.y, scaleRows(ya, roots)) }}
	case 1, 2: // rows
		order := l.r.Perm(rows)
		q := min(1+l.r.IntN(4), rows)
		gone, kept := order[:q], order[q:]
		slices.Sort(kept)
		ax, ya := take(l.a, gone), take(l.y, gone)
		return act{"removal", func(u Updater) error { return u.RemoveInputs(ax, l.targets(u, ya)) },
			func() { l.a, l.y = take(l.a, kept), take(l.y, kept) }}
	case 3:
		const factor = 0.75
		return act{"forgetting", func(u Updater) error { return u.Forget(factor) }, func() {
			l.a.Scale(math.Sqrt(factor), l.a)
			l.y.Scale(math.Sqrt(factor), l.y)
			l.lambda *= factor
		}}
	case 4:
		if k > 8 {
			return l.rows(1)
		}
		a, y, h := l.a, l.y, testutil.Random(l.r, rows, 1+l.r.IntN(2))
		return act{"nodes", func(u Updater) error { return u.AddNodes(a, h, l.targets(u, y)) }, func() { l.a = dense.Beside(a, h) }}
	case 5:
		if !Supports(l.v.method, ActionMerge) {
			return l.rows(2)
		}
		ax, ya := testutil.Random(l.r, 5, k), testutil.Random(l.r, 5, c)
		return act{"merging", func(u Updater) error {
			other, err := New(l.v.method, ax, l.targets(u, ya), l.opt)
			if err != nil {
				return err
			}
			return u.Merge(other)
		}, func() { l.a, l.y = stack(l.a, ax), stack(l.y, ya) }}
	case 6:
		if !Supports(l.v.method, ActionRidge) {
			return l.rows(3 * k)
		}
		lambda := l.lambda * 4 * l.r.Float64()
		return act{"ridge", func(u Updater) error { return u.SetLambda(lambda) }, func() { l.lambda = lambda }}
	case 7:
		if l.v.method != Gram {
			return l.rows(k + 1)
		}
		a, y := l.a, l.y
		return act{"refinement", func(u Updater) error { return u.(Refiner).Refine(a, l.targets(u, y)) }, func() {}}
	case 8:
		if l.also != nil {
			return l.rows(2)
		}
		m, keep := oneTermMap(l.r, c), c < 4
		all := mapped(l.y, m, keep)
		if keep {
			return act{"targets", func(u Updater) error { return u.AddTargets(m) }, func() { l.y = all }}
		}
		return act{"mapped targets", func(u Updater) error { return u.MapTargets(m) }, func() { l.y = all }}
	default:
		return l.rows(1 + l.r.IntN(2*k))
	}
}

// rows returns the action that adds so many rows.
func (l *life) rows(q int) act {
	_, k := l.a.Dims()
	_, c := l.y.Dims()
	ax, ya := testutil.Random(l.r, q, k), testutil.Random(l.r, q, c)
	return act{fmt.Sprintf("%d rows", q), func(u Updater) error { return u.AddInputs(ax, l.targets(u, ya)) },
		func() { l.a, l.y = stack(l.a, ax), stack(l.y, ya) }}
}

// eachLife runs f for all variants, ridges, ways to treat C and numbers of rows at the start, each
// with actions of its own.
func eachLife(t *testing.T, f func(t *testing.T, l *life, b blskernel.Backend)) {
	const k, c = 4, 2
	seed := uint64(0)
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		for _, lambda := range []float64{0, 0.1} {
			for _, rows := range []int{3, 12} {
				for _, mode := range []CMode{CAuto, CCheck, CZero} {
					if mode != CAuto && (v.ridgeSolver() || lambda > 0) {
						continue
					}
					opt := Options{Lambda: lambda, Form: v.form, Solve: v.solve, C: mode, Backend: b}
					if CheckStart(v.method, opt, rows, k) != nil {
						continue
					}
					seed++
					r := rand.New(rand.NewPCG(71, seed))
					f(t, &life{r: r, v: v, opt: opt, lambda: lambda, a: testutil.Random(r, rows, k), y: testutil.Random(r, rows, c)}, b)
				}
			}
		}
	})
}

// TestGoingOn compares a model that never stops with one that is encoded and decoded before every
// action, and with those that were decoded once at some point: 8 actions, or 25 in the long form.
// After each, the weights have the digits that are promised of the solution for all rows.
func TestGoingOn(t *testing.T) {
	did, steps := map[string]int{}, 8
	if testutil.Long() {
		steps = 25
	}
	eachLife(t, func(t *testing.T, l *life, b blskernel.Backend) {
		stays := started(t, l.v.method, l.a, l.y, l.opt)
		others := []Updater{nil}
		for step := 0; step < steps && !l.a.IsEmpty(); step++ {
			data := encoded(t, stays)
			others[0] = decoded(t, data, b)
			if again := encoded(t, others[0]); !bytes.Equal(again, data) {
				t.Fatalf("step %d: encoded again it is something else", step)
			}
			if step%8 == 3 {
				others = append(others, decoded(t, data, b))
			}
			a := l.next()
			wantErr := a.do(stays)
			data = encoded(t, stays)
			for i, u := range others {
				what := fmt.Sprintf("step %d, %s, model %d", step, a.name, i)
				if err := a.do(u); fmt.Sprint(err) != fmt.Sprint(wantErr) {
					t.Fatalf("%s: %v, want %v", what, err, wantErr)
				}
				if digest(u) != digest(stays) || !bytes.Equal(encoded(t, u), data) {
					t.Fatalf("%s: another state", what)
				}
				checkReportSame(t, u.Report(), stays.Report())
			}
			// Questions change what some models know of themselves: sometimes they are
			// asked, sometimes only copies of them, and sometimes nobody is.
			switch step % 3 {
			case 1:
				checkSame(t, fmt.Sprintf("step %d, %s, copies", step, a.name), decoded(t, encoded(t, others[0]), b), decoded(t, data, b))
			case 2:
				for _, u := range append(others, stays) {
					u.Condition()
					_, _ = u.Weights() // compared below
				}
				for i, u := range others {
					checkSame(t, fmt.Sprintf("step %d, %s, model %d", step, a.name, i), u, stays)
				}
			}
			if wantErr == nil {
				did[a.name[:4]]++
				a.then()
				name := fmt.Sprintf("step %d, %s", step, a.name)
				// CZero takes it for known that C is zero, which it may not be.
				if l.opt.C != CZero && (l.v.ridgeSolver() && !l.a.IsEmpty() || l.opt.Lambda == 0 && dense.Rows(l.a) >= dense.Cols(l.a)) {
					checkTrusted(t, name, decoded(t, encoded(t, stays), b), nil, l.a, l.y, l.lambda)
				}
				if got := stays.Lambda(); !(math.Abs(got-l.lambda) <= 100*dense.Eps*l.lambda) || !l.a.IsEmpty() && stays.Samples() != dense.Rows(l.a) {
					t.Fatalf("%s: lambda is %g and there are %d samples, want %g and %d", name, got, stays.Samples(), l.lambda, dense.Rows(l.a))
				}
			}
		}
	})
	for _, name := range []string{"weig", "remo", "forg", "node", "merg", "ridg", "refi", "targ", "mapp"} {
		if did[name] == 0 {
			t.Errorf("no action %q was done: %v", name, did)
		}
	}
}

// checkReportSame compares what Encode keeps of a report.
func checkReportSame(t *testing.T, got, want Report) {
	t.Helper()
	got.Steps, got.Elapsed, got.model, got.counted = nil, 0, 0, 0
	want.Steps, want.Elapsed, want.model, want.counted = nil, 0, 0, 0
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("the report is %+v, want %+v", got, want)
	}
}

var update = flag.Bool("update", false, "write the states of this architecture in testdata anew")

// elsewhere are the architectures of which states are in testdata: one that is little-endian and one
// that is big-endian.
var elsewhere = []string{"amd64", "s390x"}

// exactRows are the rows and targets that the states in testdata have learned. They are sums of powers
// of two, so they are the same to the bit wherever they are made.
func exactRows(seed uint64, q, k, c int) (a, y *mat.Dense) {
	r := rand.New(rand.NewPCG(seed, 1))
	numbers := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(r.IntN(4001)-2000) / 1024
		}
		return x
	}
	return mat.NewDense(q, k, numbers(q*k)), mat.NewDense(q, c, numbers(q*c))
}

// TestStatesFromElsewhere reads the states that two architectures of opposite byte order have written.
// Their weights are those of the rows that they have learned, they are written as the same bytes, and
// they go on, on every backend: rows that they have learned elsewhere are unlearned, which Original
// and Improved must recognize, and others learned.
//
//	GOARCH=s390x go test -exec qemu-s390x -run Elsewhere ./blsupdate -update
//
// makes the states of s390x anew, and without GOARCH and -exec those of amd64.
func TestStatesFromElsewhere(t *testing.T) {
	const l, q, k, c = 14, 4, 6, 2
	a0, y0 := exactRows(1, l, k, c)
	a1, y1 := exactRows(2, q, k, c)
	a2, y2 := exactRows(3, q, k, c)
	for _, method := range Methods() {
		v := variant{method, Auto, false}
		lambda := 0.0
		if v.ridgeSolver() {
			lambda = 0.5
		}
		bound := v.accuracy(l+q, kappaOf(a0, lambda))
		for _, arch := range elsewhere {
			path := filepath.Join("testdata", fmt.Sprintf("v2-%v-%s.state", method, arch))
			if *update && runtime.GOARCH == arch {
				u := v.start(t, nil, a0, y0, lambda)
				do(t, u, u.AddInputs(a1, y1))
				weights(t, u) // which Gram and QR keep
				must(t, os.MkdirAll(filepath.Dir(path), 0o777))
				must(t, os.WriteFile(path, encoded(t, u), 0o666))
			}
			text, err := os.ReadFile(path)
			must(t, err)
			backends.On(t, func(t *testing.T, b blskernel.Backend) {
				u := decoded(t, text, b)
				if u.Method() != method || u.Samples() != l+q || u.Nodes() != k || u.Targets() != c || u.Lambda() != lambda {
					t.Errorf("%v of %d rows, %d nodes and %d targets, lambda = %v", u.Method(), u.Samples(), u.Nodes(), u.Targets(), u.Lambda())
				}
				if !bytes.Equal(encoded(t, u), text) {
					t.Errorf("%s: written as other bytes", path)
				}
				if c := u.Condition(); !(c.Digits > 8) {
					t.Errorf("%s: %.1f digits", path, c.Digits)
				}
				checkWeights(t, u, stack(a0, a1), stack(y0, y1), lambda, bound, path)
				do(t, u, u.RemoveInputs(a1, y1))
				do(t, u, u.AddInputs(a2, y2))
				checkWeights(t, u, stack(a0, a2), stack(y0, y2), lambda, bound+v.removal(a1, a0), path)
			})
		}
	}
}
