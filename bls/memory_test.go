package bls

import (
	"bytes"
	"context"
	"errors"
	"math"
	"testing"

	"blskernel/blsupdate"
	"blskernel/internal/io/memory"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faults"
	"blskernel/mat"
)

// TestRefusedForMemory sets limits one byte below what a call needs: the error names the bytes, nothing
// is computed, and the models do not change. At the limit, calls that need nothing later succeed.
func TestRefusedForMemory(t *testing.T) {
	testutil.NotUnderRace(t, "counts bytes")
	const l, k = 130, 16
	ctx := context.Background()
	for _, method := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR, blsupdate.Improved} {
		p := newPair(t, nil, method).learn(0, 60)
		must(t, p.r.Calibrate(p.x, p.y))
		before := p.encoded()
		f := p.c.Features
		fresh, chosen := *p.c, Regressor{Features: f}
		chosen.Features.EnhancementNodes = 300
		apart := Regressor{Features: chosen.Features}
		apart.Features.Direct, apart.Features.Relevance = None, 1
		for name, test := range map[string]struct {
			need  int64
			later bool // more is needed
			call  func() error
		}{
			"Fit":                {mapsBytes(12, 6, 10) + 8*l*k + blsupdate.StateBytes(method, l, k, 4), false, func() error { return fresh.Fit(p.x, p.labels) }},
			"FitFeatures":        {mapsBytes(12, 6, 10) + 8*l*6, false, func() error { return last(FitFeatures(p.x, f)) }},
			"the targets of Fit": {8 * l * 4, true, func() error { return fresh.Fit(p.x, p.labels) }},
			"PartialFit":         {8 * l * k, true, func() error { return p.c.PartialFit(p.x, p.labels) }},
			"Expand":             {8 * l * k, false, func() error { return nothing(p.c.Expand(p.x, p.labels)) }},
			"Predict":            {8 * l * 3, false, func() error { return last(p.c.Predict(p.x)) }},
			"OneHot":             {8 * l * 3, false, func() error { return last(OneHot(p.labels, 3)) }},
			"PredictInterval":    {8 * 2 * l * 2, false, func() error { return nothing(p.r.PredictInterval(p.x, 0.5)) }},
			"choice":             {5*mapsBytes(12, 6, 300) + 6*8*l*319 + 13*blsupdate.StateBytes(blsupdate.Gram, l, 319, 2), false, func() error { return chosen.Fit(p.x, p.y) }},
			"relevance":          {5*mapsBytes(12, 6, 300) + 6*8*l*307 + 8*l*13 + 13*blsupdate.StateBytes(blsupdate.Gram, l, 307, 2), false, func() error { return apart.Fit(p.x, p.y) }},
			"Tune":               {5*mapsBytes(12, 6, 300) + 6*8*l*319 + 13*blsupdate.StateBytes(blsupdate.Gram, l, 319, 2), false, func() error { return last(chosen.TuneContext(ctx, p.x, p.y, TuneOptions{})) }},
		} {
			limited := func(bytes int64) (err error) {
				defer memory.Limit(bytes)()
				return test.call()
			}
			var e *MemoryError
			used := faults.Allocated(func() {
				if err := limited(test.need - 1); !errors.As(err, &e) || e.Need != test.need || e.Op != "bls" || e.Do == "" {
					t.Errorf("%v, %s: %v; want %d bytes", method, name, err, test.need)
				}
			})
			if used > 8*l*(4+2+12)+1<<16 { // targets and folds come first
				t.Errorf("%v, %s: %d bytes were allocated", method, name, used)
			}
			if !bytes.Equal(p.encoded(), before) {
				t.Errorf("%v, %s: the models have changed", method, name)
			}
			if test.later {
				continue
			}
			if err := limited(test.need); err != nil {
				t.Errorf("%v, %s in %d bytes: %v", method, name, test.need, err)
			}
		}
	}
	// Predict keeps the scores of a panel of rows, DecisionFunction the scores of all rows.
	t.Run("panels", func(t *testing.T) {
		c := newPair(t, nil, blsupdate.Gram).learn(0, 60).c
		x := mat.NewDense(5000, 12, nil)
		defer memory.Limit(8 * 4096 * 3)()
		classes, err := c.Predict(x)
		var e *MemoryError
		if _, all := c.DecisionFunction(x); err != nil || len(classes) != 5000 || !errors.As(all, &e) {
			t.Error(len(classes), err, all)
		}
		memory.Limit(1 << 30)
		if scores, err := c.DecisionFunctionContext(faults.CanceledAfter(2), x); scores != nil || !errors.Is(err, context.Canceled) {
			t.Error("the scores of a part of the rows", err)
		}
	})
	defer memory.Limit(1 << 30)()
	x, _, labels := normalTable(10, 300, 4)
	c := Classifier{Features: FeatureOptions{EnhancementNodes: 200_000}}
	_, tune := c.TuneContext(ctx, x, labels, TuneOptions{})
	p := newPair(t, nil, blsupdate.Gram).learn(0, 60)
	for name, err := range map[string]error{
		"Tune": tune, "Fit": c.Fit(x, labels), "Relabel": p.c.Relabel([]int{0, 1, 2}, math.MaxInt32-1),
	} {
		var e *MemoryError
		if !errors.As(err, &e) || c.Updater() != nil || c.Validate || p.c.NumClasses() != 3 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
