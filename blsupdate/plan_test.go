package blsupdate

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"blskernel/internal/testutil"
)

// flopRates returns rates with which the time in seconds is the number of flops.
func flopRates() *Rates { return ConstantRates(1, math.Inf(1)) }

// TestPlanAgainstAll compares the choice with the smallest sum of flops over all batches, method by
// method and batch by batch, if all accept the start; Plan does not add up 1000 batches one by one.
func TestPlanAgainstAll(t *testing.T) {
	testutil.NotUnderRace(t, "it starts no goroutine")
	for _, k := range []int{1, 7, 100} {
		for _, q := range []int{1, 2, 10, 100, 400} {
			for _, c := range []int{1, 10, 300} {
				for _, n := range []Needs{{}, {Batches: 5}, {Batches: 5, WeightsAtEnd: true}, {Lambda: 0.1, Batches: 3}, {Batches: 1000}} {
					if n.Batches == 1000 && (k != 7 || q > 2) {
						continue
					}
					l := 2 * k
					least := math.Inf(1)
					for _, x := range candidates {
						if x.Method == Original || x.Method == Improved && n.Lambda > 0 || x.Options.Form == Compressed && q <= k {
							continue
						}
						x.Options.Lambda = n.Lambda
						if flops := allBatches(x.Method, x.Options, Shape{L: l, K: k, Q: q, C: c}, n); flops > 0 {
							least = min(least, flops)
						}
					}
					n.Rates = flopRates()
					got, err := Plan(q, k, l, c, n)
					if err != nil {
						t.Fatalf("q = %d, k = %d, c = %d, %+v: %v", q, k, c, n, err)
					}
					direct := allBatches(got.Method, got.Options, Shape{L: l, K: k, Q: q, C: c}, n)
					if !(math.Abs(got.Seconds-direct) <= 1e-12*direct) {
						t.Errorf("q = %d, k = %d, c = %d, %+v: %v takes %v flops; want %v", q, k, c, n, got.Method, got.Seconds, direct)
					}
					if !(got.Seconds <= (1+tie)*least) {
						t.Errorf("q = %d, k = %d, c = %d, %+v: %v takes %v flops; the least is %v\n%s", q, k, c, n, got.Method, got.Seconds, least, got.Explain())
					}
				}
			}
		}
	}
}

// allBatches returns the flops of all batches and solutions, 0 if there is no model of them.
func allBatches(m Method, opt Options, s Shape, n Needs) float64 {
	var sum float64
	for range max(1, n.Batches) {
		steps := Model(m, ActionAdd, opt, s)
		if steps == nil {
			return 0
		}
		sum += Total(steps)
		s.L += s.Q
		if !n.WeightsAtEnd {
			sum += Total(Model(m, ActionWeights, opt, s))
		}
	}
	if n.WeightsAtEnd {
		sum += Total(Model(m, ActionWeights, opt, s))
	}
	return sum
}

func find(t *testing.T, all []Candidate, m Method, f Form) Candidate {
	t.Helper()
	i := slices.IndexFunc(all, func(c Candidate) bool { return c.Method == m && c.Options.Form == f })
	if i < 0 {
		t.Fatalf("no candidate %v %v", m, f)
	}
	return all[i]
}

func TestPlanNeeds(t *testing.T) {
	type option struct {
		m Method
		f Form
	}
	improved := []option{{Improved, Small}, {Improved, Large}}
	for _, tc := range []struct {
		name       string
		q, k, l, c int
		needs      Needs
		invalid    []option
		why        string
		valid      []option
	}{
		{"merging", 10, 50, 100, 2, Needs{Merging: true}, improved, "support Merge", []option{{Gram, Auto}}},
		{"change of lambda", 10, 50, 100, 2, Needs{RidgeChange: true}, improved, "support SetLambda", []option{{Gram, Auto}}},
		{"removal", 10, 50, 100, 2, Needs{Removal: true, Nodes: true}, nil, "", []option{{Gram, Auto}, {Improved, Small}}},
		{"removal after forgetting", 10, 50, 100, 2, Needs{Removal: true, Forgetting: true}, improved, "after Forget", []option{{Gram, Auto}}},
		{"cold start", 1, 50, 20, 2, Needs{Lambda: 1e-9}, []option{{RidgeInverse, Small}}, "fewer samples", []option{{Gram, Auto}, {InverseCholesky, Small}}},
		{"cold start, condition known", 1, 50, 20, 2, Needs{Lambda: 1, Condition: 10}, nil, "", []option{{RidgeInverse, Small}}},
		{"A+", 10, 50, 100, 2, Needs{Pseudoinverse: true}, []option{{Gram, Auto}}, "A+", improved},
		{"ridge", 10, 50, 100, 2, Needs{Lambda: 1e-3}, improved, "ridge problem", []option{{Gram, Auto}}},
		{"few samples", 10, 50, 20, 2, Needs{}, []option{{Gram, Auto}}, "fewer samples (30) than nodes (50) do not determine the weights", improved},
		{"few samples, enough at the end", 10, 50, 20, 2, Needs{Batches: 3, WeightsAtEnd: true}, nil, "", []option{{Gram, Auto}, {Improved, Small}}},
		{"few samples with a ridge", 10, 50, 20, 2, Needs{Lambda: 1}, improved, "ridge", []option{{Gram, Auto}}},
		{"condition", 10, 50, 100, 2, Needs{Condition: 1e6}, []option{{Gram, Auto}, {Improved, Large}}, "digits", []option{{Improved, Small}}},
		{"fewer digits", 10, 50, 100, 2, Needs{Condition: 1e6, Digits: 1}, nil, "", []option{{Gram, Auto}, {Improved, Large}}},
		{"nodes", 10, 50, 100, 2, Needs{Nodes: true, Condition: 1e8, Digits: 4}, []option{{QR, Auto}, {InverseCholesky, Small}}, "add nodes at", improved[:1]},
		{"memory", 10, 50, 1e6, 2, Needs{Memory: 1e6}, improved, "of memory; the limit is 1 MB", []option{{Gram, Auto}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.needs.Rates = flopRates()
			got, err := Plan(tc.q, tc.k, tc.l, tc.c, tc.needs)
			must(t, err)
			for _, o := range tc.invalid {
				if c := find(t, got.Candidates, o.m, o.f); c.Valid() || !strings.Contains(c.WhyNot, tc.why) {
					t.Errorf("%s: %q; want a reason that has %q in it", c.name(), c.WhyNot, tc.why)
				}
			}
			for _, o := range tc.valid {
				if c := find(t, got.Candidates, o.m, o.f); !c.Valid() {
					t.Errorf("%s: %q; want it to be valid", c.name(), c.WhyNot)
				}
			}
			if best := find(t, got.Candidates, got.Method, got.Options.Form); !best.Valid() || best.Method == Original {
				t.Errorf("the choice is %s: %s", best.name(), best.WhyNot)
			}
			if got.Options.Lambda != tc.needs.Lambda || got.Options.Backend == nil {
				t.Errorf("the options are %+v", got.Options)
			}
			if text := got.Explain(); !strings.Contains(text, got.Method.String()) || (tc.why != "" && !strings.Contains(text, tc.why)) {
				t.Errorf("Explain says\n%s", text)
			}
		})
	}
}

// TestPlanStarts checks that valid candidates of Plan can start and have weights after the first batch.
func TestPlanStarts(t *testing.T) {
	for _, l := range []int{3, 8, 20} {
		for _, lambda := range []float64{0, 0.5} {
			const q, k, c = 4, 10, 2
			got, err := Plan(q, k, l, c, Needs{Lambda: lambda, Rates: flopRates()})
			must(t, err)
			r := rand.New(rand.NewPCG(uint64(l), 5))
			a, y, ax, ya := testutil.Random(r, l, k), testutil.Random(r, l, c), testutil.Random(r, q, k), testutil.Random(r, q, c)
			for _, candidate := range got.Candidates {
				u, err := New(candidate.Method, a, y, candidate.Options)
				if err == nil {
					err = u.AddInputs(ax, ya)
				}
				if err == nil {
					_, err = u.Weights()
				}
				if candidate.Valid() && err != nil {
					t.Errorf("l = %d, lambda = %g: %s is valid, and its error is %v", l, lambda, candidate.name(), err)
				}
			}
		}
	}
}

func TestChoose(t *testing.T) {
	fast := Candidate{Method: Gram, Seconds: 1, Power: 2}
	near := Candidate{Method: QR, Seconds: 1.02, Power: 1}
	far := Candidate{Method: QR, Seconds: 1.2, Power: 1}
	original := Candidate{Method: Original, Seconds: 0.5, Power: 1}
	bad := Candidate{Method: Improved, Seconds: 0.1, WhyNot: "reason"}
	const fastest = ", the fastest that meets all needs"
	for _, tc := range []struct {
		all    []Candidate
		want   Candidate
		reason string
	}{
		{[]Candidate{fast, far}, fast, "gram: 1 s" + fastest + "; qr would take 1.2 times as long.\n"},
		{[]Candidate{fast, near, far}, near,
			"qr: 1.02 s, within 3% of the time of gram, and its error grows with κ instead of κ²; gram would take 0.98 times as long.\n"},
		{[]Candidate{fast, original}, fast, "gram: 1 s, the fastest apart from original, which is chosen only if no other method is valid; " +
			"original would take 0.5 times as long.\n"},
		{[]Candidate{original, bad}, original, "original: 500 ms" + fastest + ".\n"},
		{[]Candidate{fast, bad}, fast, "gram: 1 s" + fastest + ".\n"},
	} {
		if got, ok := choose(tc.all); !ok || got != tc.want {
			t.Errorf("chosen %+v, %t; want %+v", got, ok, tc.want)
		}
		if got := (Choice{Candidates: tc.all}).reason(); got != tc.reason {
			t.Errorf("reason is %q; want %q", got, tc.reason)
		}
	}
	if _, ok := choose([]Candidate{bad}); ok {
		t.Error("a candidate that is not valid was chosen")
	}
}

func TestPlanErrors(t *testing.T) {
	testutil.MustPanic(t, "blsupdate: the zero value of Rates has no rates; call RatesFor, MeasureRates or ConstantRates", func() { new(Rates).Seconds() })
	for _, tc := range []struct {
		name       string
		q, k, l, c int
		needs      Needs
	}{
		{"q", 0, 1, 1, 1, Needs{}}, {"k", 1, 0, 1, 1, Needs{}}, {"l", 1, 1, 0, 1, Needs{}}, {"c", 1, 1, 1, -1, Needs{}},
		{"Lambda", 1, 1, 1, 1, Needs{Lambda: -1}}, {"Lambda", 1, 1, 1, 1, Needs{Lambda: math.NaN()}},
		{"Batches", 1, 1, 1, 1, Needs{Batches: -1}}, {"Batches", 1000, 1, 1, 1, Needs{Batches: math.MaxInt/1000 + 1}},
		{"Condition", 1, 1, 1, 1, Needs{Condition: 0.5}},
		{"Digits", 1, 1, 1, 1, Needs{Digits: 17}}, {"Memory", 1, 1, 1, 1, Needs{Memory: -1}},
	} {
		tc.needs.Rates = flopRates()
		var option *OptionError
		choice, err := Plan(tc.q, tc.k, tc.l, tc.c, tc.needs)
		if got := choice.Explain(); !errors.As(err, &option) || option.Option != tc.name || !strings.Contains(got, "No method") {
			t.Errorf("%s: %v; want an *OptionError that names it; %s", tc.name, err, got)
		}
	}
	_, err := Plan(1, 100, 1000, 1, Needs{Batches: math.MaxInt - 1000, Rates: flopRates()}) // the most samples
	must(t, err)
	for _, x := range candidates { // in short lists, however many rows
		for _, s := range Model(x.Method, ActionAdd, x.Options, Shape{L: 200, K: 100, Q: 1e6 + 1, C: 1}) {
			if n := len(s.line.Work); n > 20 {
				t.Errorf("%v: %d operations of step %s", x, n, s.Step)
			}
		}
	}
	var none *PlanError
	got, err := Plan(10, 50, 100, 2, Needs{Merging: true, Pseudoinverse: true, Rates: flopRates()})
	if !errors.As(err, &none) || len(none.Candidates) != len(got.Candidates) || !strings.Contains(err.Error(), "improved/small: it does not support Merge") {
		t.Errorf("Merge and A+: %v", err)
	}
	// While the rank of A grows, the error of W is eps κ² in every method.
	if _, err := Plan(10, 50, 20, 2, Needs{Condition: 1e6, Rates: flopRates()}); !errors.As(err, &none) || !strings.Contains(err.Error(), "improved/small: rounding") {
		t.Errorf("few samples and a large condition number: %v", err)
	}
	if !strings.Contains(got.Explain(), "No method meets") {
		t.Errorf("Explain says\n%s", got.Explain())
	}
}
