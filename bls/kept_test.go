package bls

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"

	"blskernel/blsupdate"
	"blskernel/dataset"
	"blskernel/internal/linalg/block"
	"blskernel/internal/testutil"
	"blskernel/mat"
)

// TestFewRowsAreFit changes models while they keep their samples. At each step they equal, to the last
// bit, the result of Fit on all weighted samples, and decoding their bytes gives the same model.
func TestFewRowsAreFit(t *testing.T) {
	testutil.NotUnderRace(t, "TestTune has the goroutines of a choice")
	const l = 230
	for _, lambda := range []float64{0, 0x1p-10} {
		p := newPair(t, nil, blsupdate.Gram)
		p.x = samples(31, l, 12, 14)
		p.y, p.labels = targetsFor(p.x, 2), labelsFor(l)
		if lambda == 0 {
			p.c.Update.Lambda, p.r.Update.Lambda = 0, 0
			p.c.Features.Shrink, p.r.Features.Shrink = 0, 0
		}
		var rows []int // that both have
		weights, factor := map[int]float64{}, 1.0
		of := func() (x, y *mat.Dense, labels []int, w []float64) {
			for _, i := range rows {
				labels, w = append(labels, p.labels[i]), append(w, weights[i])
			}
			return block.PickRows(p.x, rows), block.PickRows(p.y, rows), labels, w
		}
		check := func(what string, kept bool) {
			t.Helper()
			x, y, labels, w := of()
			c, r := &Classifier{Features: p.c.Features, Method: p.c.Method, Update: p.c.Update}, &Regressor{Features: p.r.Features, Method: p.r.Method, Update: p.r.Update}
			if lambda > 0 {
				c.Update.Lambda, r.Update.Lambda = lambda*factor, lambda*factor
			}
			must(t, c.FitContext(background, x, labels, w))
			must(t, r.FitContext(background, x, y, w))
			q := p.decoded()
			for _, m := range [][2]*model{{p.c.model, c.model}, {p.r.model, r.model}, {q.c.model, c.model}, {q.r.model, r.model}} {
				got, want := m[0].orEmpty(), m[1]
				var a, b bytes.Buffer
				must(t, blsupdate.Encode(&a, got.updater))
				must(t, blsupdate.Encode(&b, want.updater))
				if !bytes.Equal(a.Bytes(), b.Bytes()) || !got.features.equal(want.features) || got.choice != want.choice ||
					got.slope != want.slope || !slices.Equal(got.counts, want.counts) || !slices.Equal(got.center, want.center) {
					t.Errorf("lambda %v, %s: other than by Fit of %d rows", lambda, what, len(rows))
				}
				if n := got.KeptRows(); kept && n != len(rows) || !kept && n > 0 || got.updater.Samples() != len(rows) {
					t.Errorf("lambda %v, %s: %d rows are kept of %d", lambda, what, n, len(rows))
				}
			}
			p = q // which goes on alike
		}
		learn := func(from, to int, weight float64) {
			t.Helper()
			in, w := p.given(from, to), slices.Repeat([]float64{weight}, to-from)
			must(t, p.c.PartialFitContext(background, in.x, in.labels, w))
			must(t, p.r.PartialFitContext(background, in.x, in.y, w))
			for i := from; i < to; i++ {
				rows, weights[i] = append(rows, i), weight
			}
		}
		learn(0, 1, 1)
		check("a row", true)
		for i := 1; i < 30; i++ {
			learn(i, i+1, 1)
		}
		check("rows", true)
		must(t, errors.Join(p.c.Forget(0.5), p.r.Forget(0.5)))
		factor = 0.5
		for _, i := range rows {
			weights[i] *= 0.5
		}
		check("Forget", true)
		must(t, errors.Join(p.c.SetLambda(0x1p-7), p.r.SetLambda(0x1p-7)))
		lambda, factor = 0x1p-7, 1
		check("SetLambda", true)
		learn(30, 60, 3)
		in := p.given(25, 35)
		w := slices.Concat(slices.Repeat([]float64{0.5}, 5), slices.Repeat([]float64{3}, 5))
		must(t, errors.Join(p.c.RemoveContext(background, in.x, in.labels, w), p.r.RemoveContext(background, in.x, in.y, w)))
		rows = slices.Delete(rows, 25, 35)
		check("Remove", true)
		var unknown *blsupdate.UnknownRowError
		if err := p.c.RemoveContext(background, in.x, in.labels, w); !errors.As(err, &unknown) || unknown.Row != 0 {
			t.Errorf("rows that are not there: %v", err)
		}
		part, err1 := p.c.Clone()
		rest, err2 := p.r.Clone()
		must(t, errors.Join(err1, err2, p.c.Merge(part), p.r.Merge(rest)))
		rows = append(rows, rows...)
		check("Merge", true)
		must(t, p.c.Relabel([]int{2, 1, 0}, 3))
		for i, label := range p.labels {
			p.labels[i] = 2 - label
		}
		check("Relabel", true)
		learn(100, 230, 1)
		check("more", false)
	}
}

// TestKeptMeetsFixed merges a model that keeps its samples with one whose maps are fixed, either way:
// the maps stay, and the samples of both are learned.
func TestKeptMeetsFixed(t *testing.T) {
	p := newPair(t, nil, blsupdate.Gram).learn(0, 60)
	must(t, p.c.Calibrate(rowsOf(p.x, 60, 130), p.labels[60:130])) // which a merge ends
	few := newPair(t, nil, blsupdate.Gram)
	few.c.Features.Seed++
	must(t, few.c.PartialFit(rowsOf(p.x, 60, 80), p.labels[60:80]))
	want, err := p.c.Clone()
	must(t, err)
	must(t, want.PartialFit(rowsOf(p.x, 60, 80), p.labels[60:80]))
	want.calibration = calibration{}
	into, err := few.c.Clone()
	must(t, err)
	must(t, into.Merge(p.c))
	must(t, p.c.Merge(few.c))
	for _, c := range []*Classifier{p.c, into} {
		if !bytes.Equal(encoded(t, c), encoded(t, want)) || c.KeptRows() != 0 || c.Features != want.Features {
			t.Error("another model than that of the fixed maps with all samples")
		}
	}
	// With fewer classes the samples are enough.
	fresh, labels := few.c.Unfitted(), cyclic(220, 25)
	if must(t, errors.Join(fresh.PartialFit(samples(3, 220, 12, 12), labels), fresh.Relabel(cyclic(25, 20), 20))); decodedAgain(t, fresh).KeptRows() != 0 || fresh.Updater().Samples() != 220 || fresh.NumClasses() != 20 {
		t.Error("Relabel keeps samples")
	}
	one := &Classifier{ClassWeight: Balanced, Features: FeatureOptions{Groups: 1, GroupNodes: 2, EnhancementNodes: None}, Method: blsupdate.Gram, Update: blsupdate.Options{Lambda: None}}
	if must(t, one.PartialFitContext(background, mat.NewDense(3, 1, []float64{2, 0, 5}), []int{0, 1, 1}, []float64{1, 1e-16, 1e-16})); one.Relabel([]int{0, 0}, 1) == nil || decodedAgain(t, one).NumClasses() != 2 {
		t.Error("light samples that no longer determine a node, or another model after an error")
	}
	for _, lambda := range []float64{1e-12, 0} { // so low that QR cannot take the ridge out of its state
		low, want, x := newPair(t, nil, blsupdate.QR).c, newPair(t, nil, blsupdate.QR).c, rowsOf(p.x, 0, 9)
		want.Update.Lambda = orNone(lambda)
		must(t, errors.Join(low.PartialFit(x, p.labels[:9]), low.SetLambda(lambda), want.PartialFit(x, p.labels[:9])))
		if !bytes.Equal(encoded(t, low), encoded(t, want)) {
			t.Errorf("lambda %v: another model than by Fit", lambda)
		}
	}
	// What no fit can learn is refused at once, and so is a removal after which no fit is possible.
	must(t, few.r.PartialFit(rowsOf(p.x, 60, 80), rowsOf(p.y, 60, 80)))
	before, huge := encoded(t, few.r), mat.NewDense(2, 2, []float64{math.MaxFloat64, 1, -math.MaxFloat64, 1})
	if err := few.r.PartialFit(rowsOf(p.x, 0, 2), huge); !errors.Is(err, blsupdate.ErrOverflow) || !bytes.Equal(encoded(t, few.r), before) {
		t.Errorf("targets whose squares overflow: %v", err)
	}
	loose := &Regressor{Method: blsupdate.Gram, Features: FeatureOptions{Groups: 2, EnhancementNodes: None}, Update: blsupdate.Options{Lambda: None}}
	must(t, loose.PartialFit(rowsOf(p.x, 0, 10), rowsOf(p.y, 0, 10)))
	if err := loose.PartialFit(rowsOf(p.x, 10, 60), rowsOf(p.y, 10, 60)); !isA(err, new(*blsupdate.ConditionError)) || loose.KeptRows() != 10 {
		t.Errorf("20 nodes of 12 columns without a ridge: %v", err)
	}
	loose = loose.Unfitted()
	loose.Update.Lambda = 1
	must(t, loose.PartialFit(rowsOf(p.x, 0, 60), rowsOf(p.y, 0, 60)))
	if before := encoded(t, loose); !isA(loose.SetLambda(0), new(*blsupdate.ConditionError)) || loose.SetLambda(1e-13) == nil || !bytes.Equal(encoded(t, loose), before) {
		t.Error("SetLambda leaves too small a ridge, or changes the model")
	}
	edge := &Regressor{Method: blsupdate.Gram, Features: FeatureOptions{Groups: 2, EnhancementNodes: None}, Update: blsupdate.Options{Lambda: 3e11}}
	for i := range 60 { // near the limit of gram, which refuses some calls, the model can always be used
		if edge.PartialFitContext(background, rowsOf(p.x, i, i+1), rowsOf(p.y, i, i+1), []float64{1e24}) != nil {
			_ = edge.Forget(0.7)
		}
		encoded(t, edge)
	}
	light := &Regressor{Method: blsupdate.Gram, Features: FeatureOptions{Groups: 1, EnhancementNodes: None}, Update: blsupdate.Options{Lambda: 1e-12}}
	must(t, light.PartialFitContext(background, rowsOf(p.x, 0, 20), rowsOf(p.y, 0, 20), slices.Repeat([]float64{1e-14}, 20)))
	heavy := light.PartialFitContext(background, rowsOf(p.x, 20, 21), rowsOf(p.y, 20, 21), []float64{1e5})
	tight := &Regressor{Method: blsupdate.Improved, Features: FeatureOptions{Groups: 1, EnhancementNodes: None, Direct: None}, Update: blsupdate.Options{Lambda: 1}}
	must(t, tight.PartialFit(rowsOf(p.x, 0, 20), rowsOf(p.y, 0, 20)))
	if err := tight.Remove(rowsOf(p.x, 0, 10), rowsOf(p.y, 0, 10)); !isA(err, new(*blsupdate.RankError)) || tight.KeptRows() != 20 || heavy == nil {
		t.Errorf("10 rows are left for 11 nodes: %v; a weight 1e19 times as large as others: %v", err, heavy)
	}
	// All rows are taken out, and others come.
	must(t, few.c.Remove(rowsOf(p.x, 60, 80), p.labels[60:80]))
	again, err := DecodeClassifier(bytes.NewReader(encoded(t, few.c)), nil)
	must(t, err)
	even := few.c.Unfitted()
	even.ClassWeight = Balanced
	must(t, errors.Join(even.PartialFit(rowsOf(p.x, 60, 80), p.labels[60:80]), even.Remove(rowsOf(p.x, 60, 80), p.labels[60:80])))
	for _, method := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR, blsupdate.RidgeInverse} { // with a tiny ridge
		exact := &Regressor{Method: method, Features: FeatureOptions{Groups: 2, EnhancementNodes: None}}
		must(t, errors.Join(exact.PartialFit(p.x, p.x), exact.Remove(p.x, p.x)))
	}
	for _, c := range []*Classifier{few.c, again, even} {
		must(t, c.PartialFit(rowsOf(p.x, 0, 30), p.labels[:30]))
		fresh := c.Unfitted()
		must(t, fresh.Fit(rowsOf(p.x, 0, 30), p.labels[:30]))
		if !fresh.FittedFeatures().equal(c.FittedFeatures()) || c.KeptRows() != 30 {
			t.Error("the maps are not those of the rows that came after")
		}
	}
}

// TestOneAtATime learns images of digits one at a time.
func TestOneAtATime(t *testing.T) {
	testutil.NotUnderRace(t, "TestTune has the goroutines of a choice")
	train, test := dataset.Digits(1000, 1), dataset.Digits(500, 2)
	c := &Classifier{Features: FeatureOptions{Scaling: ScaleSamples}}
	for i := range 1000 {
		must(t, c.PartialFit(train.Dense(i, i+1), train.LabelsInt(i, i+1)))
	}
	if accuracy, err := c.Score(test.Dense(0, 500), test.LabelsInt(0, 500)); err != nil || !(accuracy >= 0.95) {
		t.Errorf("accuracy %v, %v", accuracy, err)
	}
}
