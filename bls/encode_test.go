package bls

import (
	"bytes"
	"encoding/binary"
	"io"
	"reflect"
	"slices"
	"testing"
	"testing/iotest"

	"blskernel"
	"blskernel/bls/internal/choice"
	"blskernel/blsupdate"
	"blskernel/internal/testutil/backends"

	gonum "gonum.org/v1/gonum/mat"
)

// Models that are encoded, decoded and continued equal models that never stopped, to the last bit: for
// every method, in their predictions and encodings after every batch.
func TestEncodeGoesOn(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for i, method := range allMethods {
			p := newPair(t, bk, method)
			c, r := p.c, p.r
			c.Features = plain(FeatureOptions{Scaling: Scaling(1 + i%4), Groups: 2, GroupNodes: 3, EnhancementNodes: 7 * (i % 2), Seed: uint64(i) << 60, Unscaled: i == 5})
			c.Update = blsupdate.Options{Lambda: 0x1p-20, Form: blsupdate.Form(i % 4), Solve: i%2 == 0, Workspace: int64(1-i) << 20}
			c.Classes, c.ClassWeight, c.ExpectedRows, c.Validate = 3*(i%2), ClassWeight(i%2), 500*(i%2), i%2 == 0
			r.Features, r.Update, r.NoIntercept, r.ExpectedRows, r.Validate = c.Features, c.Update, i%2 == 1, c.ExpectedRows, c.Validate
			// What is encoded and what is not do not differ either.
			never, neverR := *c, *r
			without := *p
			without.c, without.r = &never, &neverR
			again := *p
			for i := 1; i < len(batches); i++ {
				from, to := batches[i-1], batches[i]
				p.learn(from, to)
				without.learn(from, to)
				if i > 1 {
					again.learn(from, to)
					if !bytes.Equal(p.encoded(), again.encoded()) {
						t.Fatalf("%v: after batch %d the model that was decoded is another", method, i)
					}
				}
				// The model that goes on is read midway, a byte at a time.
				var err error
				again.c, err = DecodeClassifier(iotest.OneByteReader(bytes.NewReader(encoded(t, c))), bk)
				must(t, err)
				again.r, err = DecodeRegressor(iotest.DataErrReader(bytes.NewReader(encoded(t, r))), bk)
				must(t, err)
				if !gonum.Equal(p.predictions(), again.predictions()) {
					t.Errorf("%v: other predictions after batch %d", method, i)
				}
			}
			sameFields(t, &again, p)
			if !slices.Equal(again.r.Center(), r.Center()) || (r.Center() == nil) != r.NoIntercept {
				t.Errorf("%v: the means are %v, were %v", method, again.r.Center(), r.Center())
			}
			if !gonum.Equal(weightsOf(t, &never), weightsOf(t, again.c)) || !gonum.Equal(weightsOf(t, &neverR), weightsOf(t, again.r)) {
				t.Errorf("%v: other weights than without a stop", method)
			}
			w := weightsOf(t, r)
			if weightsOf(t, r).Zero(); !gonum.Equal(weightsOf(t, r), w) {
				t.Errorf("%v: Weights is no copy", method)
			}
			// Fitted anew they are the same too.
			must(t, c.Fit(p.x, p.labels))
			must(t, again.c.Fit(p.x, p.labels))
			if !bytes.Equal(p.encoded(), again.encoded()) {
				t.Errorf("%v: fitted anew the model that was decoded is another", method)
			}
		}
	})
}

// TestEncodeEveryField sets one field of a model after another and finds it in the decoded model. A new
// field needs a value here.
func TestEncodeEveryField(t *testing.T) {
	values := map[string]any{
		"Scaling": ScaleNone, "Groups": 3, "GroupNodes": 4, "EnhancementNodes": None, "Shrink": 0.7, "Unscaled": true,
		"Direct": 1, "Relevance": None, "Steps": 1, "LogTargets": None,
		"Enhancement": Uniform, "Seed": uint64(1) << 63, "Method": blsupdate.Improved, "Lambda": 0.25, "C": blsupdate.CMode(1), "Form": blsupdate.Small, "Solve": true,
		"Workspace": int64(1) << 40, "Classes": 4, "ClassWeight": Balanced, "ExpectedRows": 1 << 30, "Validate": true, "NoIntercept": true,
	}
	seen := map[string]bool{"Backend": true, "model": true, "Features": true, "Update": true}
	for _, path := range []string{"", "Features", "Update"} {
		for _, regressor := range []bool{false, true} {
			// at returns the model of p, or its Features or Update.
			at := func(p *pair) reflect.Value {
				m := reflect.ValueOf(p.c).Elem()
				if regressor {
					m = reflect.ValueOf(p.r).Elem()
				}
				if path != "" {
					m = m.FieldByName(path)
				}
				return m
			}
			for _, field := range reflect.VisibleFields(at(newPair(t, nil, blsupdate.Gram)).Type()) {
				if seen[field.Name] || len(field.Index) > 1 {
					continue
				}
				value := reflect.ValueOf(values[field.Name])
				if !value.IsValid() {
					t.Fatalf("no value for %s", field.Name)
				}
				p := newPair(t, nil, blsupdate.Gram)
				p.c.Features, p.c.Update = FeatureOptions{Groups: 1, GroupNodes: 2, EnhancementNodes: 3}, blsupdate.Options{Lambda: 0.5}
				p.r.Features, p.r.Update = p.c.Features, p.c.Update
				set := at(p).FieldByIndex(field.Index)
				set.Set(value.Convert(set.Type()))
				p.learn(0, 60)
				if got := at(p.decoded()).FieldByIndex(field.Index); !got.Equal(set) {
					t.Errorf("%s is %v, decoded as %v", field.Name, set, got)
				}
			}
		}
	}
}

// Consecutive encodings in a stream can be decoded one after the other: none reads a byte of the next.
func TestDecodeStream(t *testing.T) {
	for _, method := range allMethods {
		p := newPair(t, nil, method).learn(0, 60)
		u := p.c.Updater()
		parts := []func(w io.Writer) error{p.c.Encode, p.r.Encode, p.c.FittedFeatures().Encode, func(w io.Writer) error { return blsupdate.Encode(w, u) }}
		read := []func(r io.Reader) error{
			func(r io.Reader) error { return last(DecodeClassifier(r, nil)) }, func(r io.Reader) error { return last(DecodeRegressor(r, nil)) },
			func(r io.Reader) error { return last(DecodeFeatures(r, nil)) }, func(r io.Reader) error { return last(blsupdate.Decode(r, nil)) },
		}
		var stream bytes.Buffer
		for range 2 {
			for i, write := range parts {
				must(t, write(&stream))
				stream.WriteByte(byte(i))
			}
		}
		for range 2 {
			for i := range read {
				must(t, read[i](&stream))
				if b, err := stream.ReadByte(); err != nil || int(b) != i {
					t.Fatalf("%v: behind part %d there is %d, %v", method, i, b, err)
				}
			}
		}
	}
}

// A model whose parts contradict one another is neither written nor read.
func TestDecodeContradictions(t *testing.T) {
	for name, change := range map[string]func(c, r *model){
		"options":                 func(c, _ *model) { c.settings.features.Groups++ },
		"method":                  func(c, _ *model) { c.settings.method = blsupdate.QR },
		"classes":                 func(c, _ *model) { c.settings.classes = 4 },
		"counts":                  func(c, _ *model) { c.counts = c.counts[1:] },
		"an intercept of classes": func(c, r *model) { c.settings.intercept, c.center = true, r.center },
		"means":                   func(_, r *model) { r.center = r.center[1:] },
		"no means":                func(_, r *model) { r.center = nil },
		"no intercept":            func(_, r *model) { r.settings.intercept = false },
		"regressor: classes":      func(_, r *model) { r.settings.classes = 2 },
		"regressor: weights":      func(_, r *model) { r.settings.classWeight = Balanced },
		"regressor: constant":     func(_, r *model) { r.constant = true },
		"no constant":             func(c, _ *model) { c.constant, c.settings.classes, c.counts = false, 0, nil },
		"regressor: counts":       func(_, r *model) { r.counts = make([]count, 2) },
		"regressor: slope":        func(_, r *model) { r.slope = 1 },
		"calibration: width":      func(c, _ *model) { c.calibration.rows = [][]float64{{1, 1, 0, 1, 1}} },
		"calibration: class":      func(c, _ *model) { c.calibration.rows = [][]float64{{1, 1, 3, 1, 1, 1}} },
		"calibration: weight":     func(_, r *model) { r.calibration.rows = [][]float64{{0, 1, 1, 1}} },
		"calibration: scale":      func(_, r *model) { r.calibration.rows = [][]float64{{1, 0.5, 1, 1}} },
		"classifier: logarithms":  func(c, _ *model) { c.smearing = &choice.Smearing{Factors: []float64{1}, Largest: []float64{1}} },
		"logarithms: width": func(_, r *model) {
			r.smearing = &choice.Smearing{Factors: slices.Repeat([]float64{1}, 9), Largest: slices.Repeat([]float64{1}, 9)}
		},
		"logarithms: factor": func(_, r *model) { r.smearing = &choice.Smearing{Factors: []float64{0}, Largest: []float64{1}} },
		"logarithms: none":   func(_, r *model) { r.settings.log = 1 },
	} {
		p := newPair(t, nil, blsupdate.Gram).learn(0, 60)
		change(p.c.model, p.r.model)
		b1, b2 := new(bytes.Buffer), new(bytes.Buffer)
		err1, err2 := p.c.Encode(b1), p.r.Encode(b2)
		if err1 == nil {
			err1 = last(DecodeClassifier(b1, nil))
		}
		if err2 == nil {
			err2 = last(DecodeRegressor(b2, nil))
		}
		if (err1 == nil) == (err2 == nil) {
			t.Errorf("%s: %v, %v", name, err1, err2)
		}
	}
}

// A model can predict while its encoding is blocked in a writer, whether it has weights or cannot have
// them. What is written is the same in the end.
func TestPredictWhileWriting(t *testing.T) {
	for _, method := range allMethods {
		for _, rows := range []int{40, 3} {
			if rows == 3 && !blsupdate.Supports(method, blsupdate.ActionMerge) {
				continue // has weights, or does not start
			}
			p := newPair(t, nil, method)
			p.r.Update.Lambda = None
			r := p.r
			must(t, r.Fit(rowsOf(p.x, 0, rows), rowsOf(p.y, 0, rows)))
			pr, pw := io.Pipe()
			go func() { pw.CloseWithError(r.Encode(pw)) }()
			var w bytes.Buffer
			_, err := io.CopyN(&w, pr, 8)
			must(t, err)
			// The head, and the first byte of the output layer, which is being written.
			_, err = io.CopyN(&w, pr, int64(binary.LittleEndian.Uint64(w.Bytes()))+1)
			must(t, err)
			_, err = r.Predict(p.x) // comes back
			if rows == 40 && err != nil || rows == 3 && !isA(err, new(*blsupdate.RankError)) {
				t.Errorf("%v: %v", method, err)
			}
			_, err = io.Copy(&w, pr)
			must(t, err)
			if !bytes.Equal(w.Bytes(), encoded(t, r)) {
				t.Errorf("%v: other bytes", method)
			}
		}
	}
}
