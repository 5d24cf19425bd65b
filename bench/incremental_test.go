package bench

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"blskernel"
	"blskernel/bls"
	"blskernel/bls/metrics"
	"blskernel/blsupdate"
	"blskernel/dataset"
	"blskernel/internal/testutil"
	"blskernel/mat"
)

var both = []blsupdate.Method{blsupdate.Original, blsupdate.Improved}

// small returns an experiment with k = 60 nodes.
func small(initial, batch, updates int) *Incremental {
	return &Incremental{
		Train: dataset.Digits(initial+updates*batch, 1), Test: dataset.Digits(300, 2),
		Initial: initial, Batch: batch, Updates: updates,
		Features: bls.FeatureOptions{Groups: 4, GroupNodes: 5, EnhancementNodes: 40, Seed: 3},
		Variants: Variants(both...),
		Update:   blsupdate.Options{Lambda: 0x1p-30},
	}
}

func collect(t *testing.T, e *Incremental) []TableRow {
	t.Helper()
	var rows []TableRow
	err := e.Run(context.Background(), func(row TableRow) error {
		rows = append(rows, row)
		return nil
	}, nil)
	testutil.NoError(t, err)
	return rows
}

// TestIncrementalRows looks at every number of every row, with q < k, q = k, and q > k.
func TestIncrementalRows(t *testing.T) {
	const initial = 90
	byDefault := Incremental{Features: bls.FeatureOptions{EnhancementNodes: 7}}
	if k, want := byDefault.Nodes(), bls.DefaultGroups*bls.DefaultGroupNodes+7; k != want {
		t.Errorf("%d nodes by default; want %d", k, want)
	}
	variants := append(Variants(both...), Variant{Method: blsupdate.Improved, Form: blsupdate.Paper})
	for batch, forms := range map[int][]string{ // of each variant; Auto takes the second
		20: {"small", "small", "small"}, 60: {"small", "small", "small"}, 130: {"small", "compressed", "large"},
	} {
		for _, name := range blskernel.Names() {
			e := small(initial, batch, 3)
			e.Variants, e.Retrain = variants, true
			var err error
			e.Update.Backend, err = blskernel.Lookup(name)
			testutil.NoError(t, err)
			steps := collect(t, e)
			if len(steps) != e.Updates+1 {
				t.Fatalf("%d steps; want %d", len(steps), e.Updates+1)
			}
			total := make([]float64, len(variants))
			for i, row := range steps {
				at := fmt.Sprintf("%s, q = %d, step %d", name, batch, i)
				if len(row.Cells) != len(variants) || row.Step != i || row.Samples != initial+i*batch || row.Seed != e.Features.Seed || !(row.Peak > 0) {
					t.Fatalf("%s: %+v", at, row)
				}
				if want := float64(2 * batch * ((e.Train.Features()+1)*20 + 20*40)); !(row.FeatureSeconds >= 0) || i > 0 && row.FeatureFlops != want {
					t.Errorf("%s: %v flops of features in %v s; want %v", at, row.FeatureFlops, row.FeatureSeconds, want)
				}
				if again := row.Retraining; (again != nil) != (i > 0) {
					t.Errorf("%s: retraining %v", at, again)
				} else if again != nil {
					l, k := float64(row.Samples), float64(e.Nodes())
					if want := 3*l*k*k + k*k*k/3 + 2*l*k*10; again.PseudoinverseBy != "cholesky" || !(math.Abs(again.PseudoinverseFlops-want) <= 1e-12*want) {
						t.Errorf("%s: %+v; want %v flops by cholesky", at, again, want)
					}
				}
				for j, c := range row.Cells {
					form := forms[j]
					if i == 0 {
						form = ""
					}
					if c.Method != variants[j].String() || c.Form != form {
						t.Errorf("%s: %+v; want %v, form %q", at, c, variants[j], form)
					}
					var flops, seconds float64
					for _, s := range c.Steps {
						flops += s.Flops
						seconds += s.Seconds
					}
					if c.FlopsCounted != c.FlopsModel || flops != c.FlopsModel || !(flops > 0) {
						t.Errorf("%s, %s: %v flops by the model, %v counted, %v in the steps", at, c.Method, c.FlopsModel, c.FlopsCounted, flops)
					}
					if !(c.Seconds >= row.FeatureSeconds) || !(seconds > 0 && (i == 0 || seconds <= c.Seconds-row.FeatureSeconds)) {
						t.Errorf("%s, %s: %v s, of which %v s for the features and %v s for the steps", at, c.Method, c.Seconds, row.FeatureSeconds, seconds)
					}
					if total[j] += c.Seconds; c.TotalSeconds != total[j] {
						t.Errorf("%s, %s: total %v s; want the sum %v s", at, c.Method, c.TotalSeconds, total[j])
					}
					// The two find the same weights, and agree on 300 images.
					if !(math.Abs(*c.Accuracy-*row.Cells[0].Accuracy) <= 0.02) || !(c.Difference <= 1e-7) || (c.Difference == 0) != (j == 0 || i == 0) {
						t.Errorf("%s: accuracies %v and %v, weights differ by %v", at, *row.Cells[0].Accuracy, *c.Accuracy, c.Difference)
					}
					// Chance is 10%, and 60 nodes on 90 images are above it.
					if !(*c.Accuracy >= 25 && *c.Accuracy <= 100) {
						t.Errorf("%s, %s: accuracy %v%%", at, c.Method, *c.Accuracy)
					}
				}
			}
		}
	}
}

// TestDifference compares the ridge solution with the other solution that Original and Improved share.
func TestDifference(t *testing.T) {
	e := small(90, 20, 1)
	e.Update.Lambda = 10
	e.Variants = Variants(blsupdate.Gram, blsupdate.QR, blsupdate.Original, blsupdate.Improved)
	c := collect(t, e)[1].Cells
	if !(c[1].Difference <= 1e-12 && c[2].Difference >= 1e-3 && math.Abs(c[2].Difference-c[3].Difference) <= 1e-9) {
		t.Errorf("weights differ by %v, %v, %v", c[1].Difference, c[2].Difference, c[3].Difference)
	}
}

// TestVariantOrder runs one method alone, both in the other order, and three methods. Each step begins
// with a different one; the rows keep the order of the variants.
func TestVariantOrder(t *testing.T) {
	want := collect(t, small(90, 130, 2))
	for _, variants := range [][]Variant{
		Variants(blsupdate.Original), Variants(blsupdate.Improved), Variants(blsupdate.Improved, blsupdate.Original),
		{{Method: blsupdate.Improved, Form: blsupdate.Small}, {Method: blsupdate.Gram}, {Method: blsupdate.Improved, Form: blsupdate.Large}},
	} {
		e := small(90, 130, 2)
		e.Variants = variants
		for step, row := range collect(t, e) {
			if len(row.Cells) != len(variants) {
				t.Fatalf("%v, step %d: %d cells", variants, step, len(row.Cells))
			}
			for j, v := range variants {
				c := row.Cells[j]
				if c.Method != v.String() {
					t.Errorf("%v, step %d, cell %d is of %s", variants, step, j, c.Method)
				}
				if at := slices.Index(both, v.Method); at >= 0 && v.Form == blsupdate.Auto {
					if w := want[step].Cells[at]; *c.Accuracy != *w.Accuracy || c.FlopsModel != w.FlopsModel {
						t.Errorf("%v, step %d: %+v; want as in %+v", variants, step, c, w)
					}
				}
			}
		}
	}
	if steps := collect(t, small(90, 0, 0)); len(steps) != 1 || steps[0].Samples != 90 {
		t.Errorf("steps %+v; want the start alone", steps)
	}
}

// TestProgress checks that the share never falls, and what is being done.
func TestProgress(t *testing.T) {
	last, emitted := -1.0, 0
	var doing []string
	err := small(90, 20, 3).Run(context.Background(), func(TableRow) error {
		emitted++
		return nil
	}, func(share float64, what string) {
		if !(share >= last && share <= 1) || share == 1 && what != "finished" && emitted < 3 {
			t.Errorf("%v done (%s) after %v", share, what, last)
		}
		last = share
		doing = append(doing, what)
	})
	testutil.NoError(t, err)
	want := []string{"feature maps"}
	for i, samples := range []string{"1 to 90", "91 to 110", "111 to 130", "131 to 150"} {
		first, second := both[i%2], both[1-i%2]
		want = append(want, first.String()+", samples "+samples, second.String()+", samples "+samples, "test accuracy")
	}
	if want = append(want, "finished"); last != 1 || !slices.Equal(doing, want) {
		t.Errorf("ends at %v; told of %q; want %q", last, doing, want)
	}
}

// TestWhitening computes the accuracy of the start by hand, after whitening with the first samples.
func TestWhitening(t *testing.T) {
	e := small(90, 20, 1)
	e.Variants = e.Variants[:1]
	e.Whitening = WhitenUnit
	got := *collect(t, e)[0].Cells[0].Accuracy

	z := fitted(t, nil, e.Train.Dense(0, 90), whitenings[WhitenUnit])
	x, test := e.Train.Dense(0, 90), e.Test.Dense(0, e.Test.Len())
	z.transform(x)
	z.transform(test)
	features, a, err := bls.FitTransformFeatures(x, e.Features)
	testutil.NoError(t, err)
	y, err := bls.OneHot(e.Train.LabelsInt(0, 90), e.Train.Classes)
	testutil.NoError(t, err)
	u, err := blsupdate.New(e.Variants[0].Method, a, y, e.Variants[0].options(e.Update))
	testutil.NoError(t, err)
	w, err := u.Weights()
	testutil.NoError(t, err)
	testA, err := features.Transform(test)
	testutil.NoError(t, err)
	var scores mat.Dense
	scores.Mul(testA, w)
	if want := 100 * metrics.Accuracy(e.Test.LabelsInt(0, e.Test.Len()), bls.ArgMax(&scores), nil); got != want {
		t.Errorf("%v%%; want %v%%", got, want)
	}
	e.Whitening = ""
	if plain := *collect(t, e)[0].Cells[0].Accuracy; plain == got {
		t.Errorf("%v%% without whitening too", plain)
	}
}
