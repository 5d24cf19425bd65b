package bench

import (
	"context"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"blskernel"
	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/dataset"
	"blskernel/internal/testutil"
)

var both = []blsupdate.Method{blsupdate.Original, blsupdate.Improved}

// small is an experiment with k = 60 nodes.
func small(initial, batch, updates int) *Incremental {
	return &Incremental{
		Train: dataset.Digits(initial+updates*batch, 1), Test: dataset.Digits(300, 2),
		Initial: initial, Batch: batch, Updates: updates,
		Features: bls.FeatureOptions{Groups: 4, GroupNodes: 5, EnhancementNodes: 40, Seed: 3},
		Variants: Variants(both...),
		Update:   blsupdate.Options{Lambda: 0x1p-30},
	}
}

// collect runs e and returns its rows, step by step.
func collect(t *testing.T, e *Incremental) [][]Row {
	t.Helper()
	var steps [][]Row
	err := e.Run(context.Background(), func(rows []Row) error {
		steps = append(steps, rows)
		return nil
	}, nil)
	testutil.NoError(t, err)
	return steps
}

func TestIncrementalRows(t *testing.T) {
	for _, tc := range []struct {
		name           string
		initial, batch int
		form           string // that Auto takes
	}{
		{"q<k", 90, 20, "small"},
		{"q=k", 90, 60, "small"},
		{"q>k", 90, 130, "compressed"},
	} {
		for _, name := range blskernel.Names() {
			t.Run(tc.name+"/backend="+name, func(t *testing.T) {
				e := small(tc.initial, tc.batch, 3)
				var err error
				if e.Update.Backend, err = blskernel.Lookup(name); err != nil {
					t.Fatal(err)
				}
				steps := collect(t, e)
				if len(steps) != e.Updates+1 {
					t.Fatalf("%d steps; want %d", len(steps), e.Updates+1)
				}
				var total [2]float64
				for i, rows := range steps {
					if len(rows) != len(both) {
						t.Fatalf("step %d: %d rows; want %d", i, len(rows), len(both))
					}
					if i == 0 && rows[0].UpdateSeconds != rows[1].UpdateSeconds {
						t.Errorf("the same start takes %v s and %v s", rows[0].UpdateSeconds, rows[1].UpdateSeconds)
					}
					for j, r := range rows {
						form := ""
						if i > 0 {
							form = "small"
							if both[j] == blsupdate.Improved {
								form = tc.form
							}
						}
						if r.Method != both[j].String() || r.Variant != both[j].String() || r.Samples != tc.initial+i*tc.batch || r.Form != form {
							t.Errorf("step %d: row %+v; want %v, %d samples, form %q", i, r, both[j], tc.initial+i*tc.batch, form)
						}
						if r.FlopsCounted != r.FlopsModel || !(r.FlopsModel > 0) {
							t.Errorf("step %d, %s: %v flops by the model, %v counted", i, r.Method, r.FlopsModel, r.FlopsCounted)
						}
						if !(r.FeatureSeconds >= 0 && r.UpdateSeconds >= r.FeatureSeconds) {
							t.Errorf("step %d, %s: %v s for the features, %v s for the step", i, r.Method, r.FeatureSeconds, r.UpdateSeconds)
						}
						var flops, seconds float64
						for _, s := range r.Steps {
							flops += s.Flops
							seconds += s.Seconds
						}
						if flops != r.FlopsCounted || !(seconds > 0 && (i == 0 || seconds <= r.UpdateSeconds-r.FeatureSeconds)) {
							t.Errorf("step %d, %s: %v flops in %v s of steps; want %v, at most %v s", i, r.Method, flops, seconds, r.FlopsCounted, r.UpdateSeconds)
						}
						if want := float64(2 * tc.batch * ((e.Train.Features()+1)*20 + 20*40)); i > 0 && r.FeatureFlops != want {
							t.Errorf("step %d: %v flops of features; want %v", i, r.FeatureFlops, want)
						}
						total[j] += r.UpdateSeconds
						if r.TotalSeconds != total[j] {
							t.Errorf("step %d, %s: total %v s; want the sum %v s", i, r.Method, r.TotalSeconds, total[j])
						}
						// 300 test images make steps of 1/3 of a point: the
						// methods agree on every one of them.
						if !(math.Abs(r.Accuracy-rows[0].Accuracy) <= 0.02) {
							t.Errorf("step %d: accuracies %v and %v", i, rows[0].Accuracy, r.Accuracy)
						}
						// Ten classes: chance is 10%, and 60 nodes on 90 images
						// are well above it.
						if !(r.Accuracy >= 25 && r.Accuracy <= 100) {
							t.Errorf("step %d, %s: accuracy %v%%", i, r.Method, r.Accuracy)
						}
					}
				}
			})
		}
	}
}

// TestIncrementalMethods runs one method alone, and both in the other order.
func TestIncrementalMethods(t *testing.T) {
	want := collect(t, small(90, 130, 2))
	for _, methods := range [][]blsupdate.Method{
		{blsupdate.Original}, {blsupdate.Improved}, {blsupdate.Improved, blsupdate.Original},
	} {
		e := small(90, 130, 2)
		e.Variants = Variants(methods...)
		for i, rows := range collect(t, e) {
			if len(rows) != len(methods) {
				t.Fatalf("%v, step %d: %d rows", methods, i, len(rows))
			}
			for j, m := range methods {
				if w := want[i][slices.Index(both, m)]; rows[j].Method != m.String() || rows[j].Accuracy != w.Accuracy || rows[j].FlopsModel != w.FlopsModel {
					t.Errorf("%v, step %d: row %+v; want as in %+v", methods, i, rows[j], w)
				}
			}
		}
	}
}

func TestIncrementalNoUpdates(t *testing.T) {
	e := small(90, 0, 0)
	if steps := collect(t, e); len(steps) != 1 || steps[0][0].Samples != 90 {
		t.Errorf("steps %+v; want the start alone", steps)
	}
}

// TestOrder has three variants, of which each step takes another one first, in the rows by their own
// place.
func TestOrder(t *testing.T) {
	e := small(90, 20, 2)
	e.Variants = []Variant{{Method: blsupdate.Improved, Form: blsupdate.Small}, {Method: blsupdate.Gram}, {Method: blsupdate.Improved, Form: blsupdate.Large}}
	for i, rows := range collect(t, e) {
		for j, r := range rows {
			if r.Variant != e.Variants[j].String() || r.Method != e.Variants[j].Method.String() {
				t.Errorf("step %d, row %d is of %s, %s", i, j, r.Variant, r.Method)
			}
		}
	}
}

// TestShareStarts has times that are made up.
func TestShareStarts(t *testing.T) {
	r := incrementalRun{Incremental: &Incremental{Variants: []Variant{
		{Method: blsupdate.Original}, {Method: blsupdate.Gram}, {Method: blsupdate.Improved, Form: blsupdate.Paper}, {Method: blsupdate.Improved, Form: blsupdate.Small},
		{Method: blsupdate.RidgeInverse}, {Method: blsupdate.Improved}, {Method: blsupdate.Improved},
	}}}
	rows := make([]Row, len(r.Variants))
	for i := range rows {
		rows[i].FlopsModel = 7
	}
	rows[5].FlopsModel, rows[6].FlopsAbandoned = 8, 9 // starts that went another way
	seconds := []float64{1, 20, 2, 6, 30, 40, 50}
	r.shareStarts(rows, seconds)
	if want := []float64{3, 20, 3, 3, 30, 40, 50}; !slices.Equal(seconds, want) {
		t.Errorf("%v; want %v", seconds, want)
	}
}

// TestWhiteningSeconds keeps the time of the fit out of all others.
func TestWhiteningSeconds(t *testing.T) {
	e := small(90, 20, 1)
	cut := *e.Train // to 400 pixels an image, whatever they show: the fit of more takes seconds
	cut.Rows, cut.Cols = 20, 20
	cut.Pixels = cut.Pixels[:len(cut.Labels)*20*20]
	e.Train, e.Test, e.Whitening = &cut, nil, &dataset.ZCAOptions{}
	began := time.Now()
	steps := collect(t, e)
	elapsed := time.Since(began).Seconds()
	// The times of the parts add up to less than that of the whole, in which the fit is most.
	sum := steps[0][0].WhiteningSeconds
	for i, rows := range steps {
		for _, r := range rows {
			if (r.WhiteningSeconds > 0) != (i == 0) || !(r.FeatureSeconds > 0) {
				t.Errorf("step %d: %+v", i, r)
			}
		}
		sum += rows[0].FeatureSeconds
	}
	if !(sum < elapsed) {
		t.Errorf("the features and the fit take %v s of %v s", sum, elapsed)
	}
}

func TestNodes(t *testing.T) {
	e := small(90, 20, 1)
	if k := e.Nodes(); k != 60 {
		t.Errorf("%d nodes; want 60", k)
	}
	e.Features = bls.FeatureOptions{EnhancementNodes: 7}
	if k, want := e.Nodes(), bls.DefaultGroups*bls.DefaultGroupNodes+7; k != want {
		t.Errorf("%d nodes by default; want %d", k, want)
	}
}

// TestPlan compares the plan with what was done, which it foresees where the start is by QR.
func TestPlan(t *testing.T) {
	for _, tc := range []struct {
		name                    string
		initial, batch, updates int
		lambda                  float64
		startsAsPlanned         bool
	}{
		{"q<k", 90, 20, 2, 0x1p-30, true},
		{"q>k", 90, 130, 2, 0x1p-30, true},
		{"lambda 0", 90, 20, 2, 0, true},
		{"cholesky", 600, 20, 2, 100, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := small(tc.initial, tc.batch, tc.updates)
			e.Update.Lambda = tc.lambda
			sum := 0.0
			for i, rows := range collect(t, e) {
				for j, r := range rows {
					planned := e.planned(e.Variants[j], i)
					if sum += planned; (i > 0 || tc.startsAsPlanned) && planned != r.FlopsModel {
						t.Errorf("step %d, %s: %v flops planned, %v by the report", i, r.Method, planned, r.FlopsModel)
					}
				}
			}
			if all := e.flops(); sum != all {
				t.Errorf("%v flops in all; want %v", all, sum)
			}
		})
	}
}

// TestProgress has starts that take the flops planned and, by Cholesky, fewer.
func TestProgress(t *testing.T) {
	for _, tc := range []struct {
		name           string
		initial, batch int
		lambda         float64
	}{
		{"qr", 90, 20, 0x1p-30},
		{"wide", 30, 20, 0},
		{"large", 90, 130, 0x1p-30},
		{"cholesky", 600, 30, 100},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := small(tc.initial, tc.batch, 3)
			e.Update.Lambda = tc.lambda
			e.Check = true
			last, emitted := -1.0, 0
			var doing []string
			err := e.Run(context.Background(), func([]Row) error {
				emitted++
				return nil
			}, func(done, total float64, what string) {
				share := done / total
				if !(share >= last && share <= 1) || share == 1 && !strings.HasPrefix(what, "finished") && emitted < e.Updates {
					t.Errorf("%v of %v done (%s) after %v", done, total, what, last)
				}
				last = share
				doing = append(doing, what)
			})
			testutil.NoError(t, err)
			if last != 1 {
				t.Errorf("ends at %v; want 1", last)
			}
			want := []string{"feature maps"}
			for i, samples := range []string{"1 to 90", "91 to 110", "111 to 130", "131 to 150"} {
				first, second := both[i%2], both[1-i%2]
				want = append(want, first.String()+", samples "+samples, second.String()+", samples "+samples, "test accuracy", "solution from scratch")
			}
			if want = append(want, "finished"); tc.name == "qr" && !reflect.DeepEqual(doing, want) {
				t.Errorf("told of %q; want %q", doing, want)
			}
		})
	}
}
