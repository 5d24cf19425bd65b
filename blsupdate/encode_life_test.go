package blsupdate

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"
)

// eachSequence runs f for sequences of all variants, ridges, values of Options.C and numbers of first
// rows, each with a random source of its own.
func eachSequence(t *testing.T, f func(t *testing.T, h *sequence, opt Options)) {
	const k = 4
	seed := uint64(0)
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		for _, lambda := range []float64{0, 0.1} {
			for _, rows := range []int{3, 12} {
				for _, mode := range []CMode{CAuto, CCheck, CZero} {
					if mode != CAuto && (v.ridgeSolver() || lambda > 0) {
						continue
					}
					opt := Options{Lambda: lambda, Form: v.form, Solve: v.solve, C: mode, Backend: b}
					if CheckStart(v.method, opt, rows, k) == nil {
						seed++
						f(t, plainSequence(t, seed, v.method, rows, k, 0, opt), opt)
					}
				}
			}
		}
	})
}

// TestGoingOn compares a model that never stops with one that is encoded and decoded before every
// change, and with models decoded once at some point, over 8 changes, or 25 in the long form. After
// each change the weights have the promised digits of the solution for all rows.
func TestGoingOn(t *testing.T) {
	did, steps := map[string]int{"slide": 1}, 8 // an addition and a removal
	if testutil.Long() {
		steps = 25
	}
	eachSequence(t, func(t *testing.T, h *sequence, opt Options) {
		others := []Updater{nil}
		for step := range steps {
			data := encoded(t, h.u)
			others[0] = decoded(t, data, opt.Backend)
			if again := encoded(t, others[0]); !bytes.Equal(again, data) {
				t.Fatalf("step %d: encoded again it is something else", step)
			}
			if step%8 == 3 {
				others = append(others, decoded(t, data, opt.Backend))
			}
			var kind string
			var do func(u Updater) error
			var then func()
			for do == nil {
				kind = operations[h.r.IntN(len(operations))]
				do, then = h.next(kind)
			}
			wantErr := do(h.u)
			data = encoded(t, h.u)
			for i, u := range others {
				what := fmt.Sprintf("step %d, %s, model %d", step, kind, i)
				if err := do(u); fmt.Sprint(err) != fmt.Sprint(wantErr) {
					t.Fatalf("%s: %v, want %v", what, err, wantErr)
				}
				if digest(u) != digest(h.u) || !bytes.Equal(encoded(t, u), data) {
					t.Fatalf("%s: another state", what)
				}
				checkReportSame(t, u.Report(), h.u.Report())
			}
			// Queries change what some models cache: sometimes the models are queried,
			// sometimes only copies of them, and sometimes neither.
			switch step % 3 {
			case 1:
				copies := [2]Updater{decoded(t, encoded(t, others[0]), opt.Backend), decoded(t, data, opt.Backend)}
				checkSame(t, fmt.Sprintf("step %d, %s, copies", step, kind), copies[0], copies[1])
			case 2:
				for _, u := range append(others, h.u) {
					u.Condition()
					_, _ = u.Weights() // compared below
				}
				for i, u := range others {
					checkSame(t, fmt.Sprintf("step %d, %s, model %d", step, kind, i), u, h.u)
				}
			}
			if wantErr != nil {
				continue
			}
			did[kind]++
			then()
			// CZero assumes that C is zero, which it may not be.
			if opt.C != CZero {
				copied := *h
				copied.u = decoded(t, encoded(t, h.u), opt.Backend)
				if _, err := copied.u.Weights(); err == nil {
					copied.checkPromise(t, fmt.Sprintf("step %d, %s", step, kind), maxDigits)
				}
			}
			if h.u.Samples() != dense.Rows(h.a) {
				t.Fatalf("step %d, %s: %d samples, want %d", step, kind, h.u.Samples(), dense.Rows(h.a))
			}
		}
	})
	for _, kind := range operations {
		if did[kind] == 0 {
			t.Errorf("no change %q was made: %v", kind, did)
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

// exactRows are the rows and targets that the states in testdata have learned. They are sums of powers
// of two, so they have the same bits on every machine.
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

// TestStatesFromElsewhere reads the states that an earlier program wrote, as the same bytes on amd64
// and on s390x, which is big-endian. Their weights fit the rows that they learned, they are written as
// the same bytes, and they continue on every backend: they unlearn rows that they learned elsewhere,
// which Original and Improved must recognize, and learn others.
func TestStatesFromElsewhere(t *testing.T) {
	const l, q, k, c = 14, 4, 6, 2
	a0, y0 := exactRows(1, l, k, c)
	a1, y1 := exactRows(2, q, k, c)
	a2, y2 := exactRows(3, q, k, c)
	for _, method := range Methods() {
		v, lambda := variant{method, Auto, false}, 0.0
		if v.ridgeSolver() {
			lambda = 0.5
		}
		bound := v.accuracy(l+q, kappaOf(a0, lambda))
		path := filepath.Join("testdata", fmt.Sprintf("v2-%v.state", method))
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
