package bls

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// A twin is a pair of models: one has all classes from the start, the other meets them one by one.
type twin struct {
	t          *testing.T
	all, later *Classifier
	exact      bool // whether the backend has one order of sums
}

// both does the same to the two models and checks that they fail alike and stay alike. A failed call
// must not change a bit.
func (w twin) both(name string, act func(c *Classifier) error) error {
	w.t.Helper()
	states := func() []byte { return append(encoded(w.t, w.all), encoded(w.t, w.later)...) }
	before := states()
	err1, err2 := act(w.all), act(w.later)
	if (err1 == nil) != (err2 == nil) || err1 != nil && !bytes.Equal(before, states()) {
		w.t.Fatalf("%s: %v with all classes, %v without, or a failed call has changed a model", name, err1, err2)
	}
	w.alike(name)
	return err1
}

// alike checks that the weights of the classes that both models have are equal to the last bit, or to
// 1e-9 on a backend whose order of sums varies.
func (w twin) alike(name string) {
	w.t.Helper()
	c := w.later.NumClasses()
	one, err1 := w.all.Weights()
	got, err2 := w.later.Weights()
	if (err1 == nil) != (err2 == nil) {
		w.t.Fatalf("%s: weights: %v with all classes, %v without", name, err1, err2)
	}
	if err1 != nil {
		return
	}
	k, _ := one.Dims()
	want := gonum.DenseCopyOf(one.Slice(0, k, 0, c))
	if e := maxDiff(got, want); w.exact && e != 0 || !(e <= 1e-9*(1+gonum.Max(want)-gonum.Min(want))) {
		w.t.Fatalf("%s: W differs by %g from that of all classes", name, e)
	}
	if have, all := w.later.ClassCounts(), w.all.ClassCounts(); !slices.Equal(have, all[:c]) || slices.Max(append(all[c:], 0)) != 0 {
		w.t.Fatalf("%s: counts %v, with all classes %v", name, have, all)
	}
}

// A class that is added later has the weights that it would have had from the start. This holds for all
// six methods and any order of updates, removals, forgetting, other ridges, merges and saving. On the
// backend pure it holds to the last bit: each column of targets is computed by itself, and the column
// of a new class is exactly the negative of the constant column.
func TestNewClassIsTrainingWithAll(t *testing.T) {
	testutil.NotUnderRace(t, "TestTune has the goroutines of a choice")
	const classes, d = 6, 12
	ctx := context.Background()
	rounds := 4
	if testutil.Long() {
		rounds = 12
	}
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, method := range allMethods {
			done := map[string]bool{}
			for seed := range rounds {
				rnd := rand.New(rand.NewPCG(uint64(seed), 9))
				later, _ := small(bk, method, ScaleColumns, 0x1p-10)
				all := *later
				all.Classes = classes
				w := twin{t, &all, later, bk.Name() == "pure"}
				// The rows that were learned last, until they are forgotten in part:
				// removals of such rows are another matter.
				var last, b given
				draw := func(q, most int) {
					b = given{x: samples(rnd.Uint64(), q, d, d), labels: make([]int, q)}
					for i := range b.labels {
						b.labels[i] = rnd.IntN(most)
					}
				}
				draw(60, 2)
				must(t, all.Fit(b.x, b.labels))
				must(t, later.Fit(b.x, b.labels))
				w.alike("Fit")
				for range 14 {
					draw(1+rnd.IntN(40), min(classes, later.NumClasses()+1))
					lambda := rnd.Float64() / 100
					name := []string{"PartialFit", "PartialFit", "Remove", "Forget", "SetLambda", "Merge", "Decode"}[rnd.IntN(7)]
					if name == "Remove" && last.x == nil {
						continue
					}
					err := w.both(name, func(c *Classifier) error {
						switch name {
						case "Remove":
							return c.RemoveContext(ctx, last.x, last.labels, nil)
						case "Forget":
							return c.Forget(0.9)
						case "SetLambda":
							return c.SetLambda(lambda)
						case "Decode":
							got, err := DecodeClassifier(bytes.NewReader(encoded(t, c)), bk)
							if err == nil {
								*c = *got
							}
							return err
						case "Merge":
							other, m := *c, *c
							if err := other.RefitContext(ctx, b.x, b.labels, nil); err != nil {
								return err
							}
							if n := other.NumClasses(); n > c.NumClasses() && blsupdate.Supports(method, blsupdate.ActionMerge) {
								must(t, m.Relabel(ascending(c.NumClasses()), n))
							}
							return m.Merge(&other)
						}
						return c.PartialFit(b.x, b.labels)
					})
					if err == nil {
						done[name] = true
					}
					switch {
					case name == "Remove" || name == "Forget":
						last = given{}
					case err == nil && (name == "PartialFit" || name == "Merge"):
						last = b
					}
				}
				must(t, later.Relabel(ascending(later.NumClasses()), classes))
				w.alike("Relabel")
			}
			for _, name := range []string{"PartialFit", "Remove", "Forget", "SetLambda", "Merge", "Decode"} {
				can := name != "SetLambda" && name != "Merge" || blsupdate.Supports(method, blsupdate.ActionRidge)
				if can != done[name] {
					t.Errorf("%v: %s was done: %v", method, name, done[name])
				}
			}
		}
	})
}

func ascending(n int) []int { return cyclic(n, n) }

// Classes that Relabel renames, merges or adds have the weights of a model trained with the new labels.
func TestRelabel(t *testing.T) {
	x := samples(3, 90, 8, 8)
	labels := cyclic(90, 4)
	for _, method := range allMethods {
		for _, test := range []struct {
			to      []int
			classes int
		}{{[]int{2, 0, 3, 1}, 4}, {[]int{0, 1, 1, 0}, 2}, {[]int{4, 1, 0, 1}, 5}, {[]int{0, 0, 0, 0}, 1}} {
			renamed := make([]int, len(labels))
			for i, v := range labels {
				renamed[i] = test.to[v]
			}
			fit := func(labels []int, classes int) *Classifier {
				c, _ := small(nil, method, ScaleSamples, 0.1)
				c.Classes = classes
				must(t, c.Fit(x, labels))
				return c
			}
			got, want := fit(labels, 4), fit(renamed, test.classes)
			must(t, got.Relabel(test.to, test.classes))
			if e := maxDiff(weightsOf(t, got), weightsOf(t, want)); !(e <= 1e-12) || got.NumClasses() != test.classes || got.Classes != test.classes {
				t.Errorf("%v, %v: W is off by %g, %d classes", method, test.to, e, got.NumClasses())
			}
			if !slices.Equal(got.ClassCounts(), want.ClassCounts()) {
				t.Errorf("%v, %v: counts %v, want %v", method, test.to, got.ClassCounts(), want.ClassCounts())
			}
		}
	}
}

// The same holds for sizes at which threads share blocks of products, and for many classes at once.
func TestManyNewClasses(t *testing.T) {
	testutil.NotUnderRace(t, "TestTune has the goroutines of a choice")
	const classes, d = 60, 20
	x, labels := samples(7, 1000, d, d), append(cyclic(700, 3), cyclic(300, classes)...)
	for _, method := range allMethods {
		later := &Classifier{Features: plain(FeatureOptions{Scaling: ScaleColumns, EnhancementNodes: 200}), Method: method, Update: blsupdate.Options{Lambda: 0x1p-10}}
		all := *later
		all.Classes = classes
		w := twin{t, &all, later, blskernel.Default().Name() == "pure"}
		must(t, all.Fit(rowsOf(x, 0, 400), labels[:400]))
		must(t, later.Fit(rowsOf(x, 0, 400), labels[:400]))
		for from := 400; from < 1000; from += 300 {
			must(t, w.both(method.String(), func(c *Classifier) error { return c.PartialFit(rowsOf(x, from, from+300), labels[from:from+300]) }))
		}
	}
}

// Fit and PartialFit accept any number of labels without gaps. A larger label is an error.
func TestManyClasses(t *testing.T) {
	testutil.NotUnderRace(t, "starts no goroutine")
	const classes = maxInferredClasses + 4
	x := samples(5, classes+2, 2, 2)
	labels := cyclic(classes+2, classes)
	c := &Classifier{Features: FeatureOptions{Groups: 1, GroupNodes: 2, EnhancementNodes: None, Shrink: 1}, Method: blsupdate.Gram, Update: blsupdate.Options{Lambda: 0.1}}
	must(t, c.Fit(x, cyclic(classes+2, 2)))
	for _, gap := range []int{classes + 1, math.MaxInt, math.MinInt} {
		bad := slices.Clone(labels)
		bad[7] = gap
		for _, fit := range []func(*mat.Dense, []int) error{c.Fit, c.PartialFit} {
			var e *LabelError
			if err := fit(x, bad); !errors.As(err, &e) || e.Label != gap {
				t.Errorf("a label of %d: %v", gap, err)
			}
		}
	}
	if must(t, c.PartialFit(x, labels)); c.NumClasses() != classes {
		t.Errorf("%d classes; want %d", c.NumClasses(), classes)
	}
	if must(t, c.PartialFit(rowsOf(x, 0, 1), []int{classes})); c.NumClasses() != classes+1 {
		t.Errorf("%d classes; want one more than %d", c.NumClasses(), classes)
	}
}
