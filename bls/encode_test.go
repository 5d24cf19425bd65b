package bls

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"sync"
	"testing"
	"testing/iotest"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/faults"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// Models that are encoded, decoded and go on are to the bit those that never stopped: for every method,
// with what they predict and with what they are encoded as after every batch.
func TestEncodeGoesOn(t *testing.T) {
	const d, c = 8, 3
	l := batches[len(batches)-1]
	x := samples(71, l, d, d)
	labels, y := labelsFor(l), targetsFor(x, 2)
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for i, method := range allMethods {
			features := FeatureOptions{Scaling: Scaling(1 + i%3), Groups: 2, GroupNodes: 3, EnhancementNodes: 7 * (i % 2), Seed: uint64(i) << 60}
			if features.EnhancementNodes > 0 && i%4 == 1 {
				features.Unscaled = true
			}
			update := blsupdate.Options{Lambda: 0x1p-20, Form: blsupdate.Form(i % 4), Solve: i%2 == 0, Workspace: int64(1-i) << 20}
			cl := &Classifier{Backend: bk, Features: plain(features), Method: method, Update: update, Classes: c * (i % 2), ExpectedRows: 500 * (i % 2), Validate: i%2 == 0, ClassWeight: ClassWeight(i % 2)}
			// What is encoded and what is not do not differ either.
			never := &Classifier{Backend: bk, Features: plain(features), Method: method, Update: update, Classes: cl.Classes, ExpectedRows: cl.ExpectedRows, Validate: cl.Validate, ClassWeight: cl.ClassWeight}
			re := &Regressor{Backend: bk, Features: plain(features), Method: method, Update: update, NoIntercept: i%2 == 1, ExpectedRows: 500 * (i % 2), Validate: i%2 == 0}
			var cl2 *Classifier
			var re2 *Regressor
			for i := 1; i < len(batches); i++ {
				from, to := batches[i-1], batches[i]
				must(t, cl.PartialFit(rowsOf(x, from, to), labels[from:to]))
				must(t, never.PartialFit(rowsOf(x, from, to), labels[from:to]))
				must(t, re.PartialFit(rowsOf(x, from, to), rowsOf(y, from, to)))
				if i > 1 {
					must(t, cl2.PartialFit(rowsOf(x, from, to), labels[from:to]))
					must(t, re2.PartialFit(rowsOf(x, from, to), rowsOf(y, from, to)))
					if !bytes.Equal(encoded(t, cl), encoded(t, cl2)) || !bytes.Equal(encoded(t, re), encoded(t, re2)) {
						t.Fatalf("%v: after batch %d the model that was decoded is another", method, i)
					}
				}
				// The one that goes on is read in the middle of things, a byte at a
				// time.
				var err error
				cl2, err = DecodeClassifier(iotest.OneByteReader(bytes.NewReader(encoded(t, cl))), bk)
				must(t, err)
				re2, err = DecodeRegressor(iotest.DataErrReader(bytes.NewReader(encoded(t, re))), bk)
				must(t, err)
				p := scoresOf(t, cl, x)
				p2 := scoresOf(t, cl2, x)
				q := predicted(t, re, x)
				q2 := predicted(t, re2, x)
				if !gonum.Equal(p, p2) || !gonum.Equal(q, q2) {
					t.Errorf("%v: other predictions after batch %d", method, i)
				}
			}
			if cl2.Features != cl.Features || cl2.Method != cl.Method || cl2.Update != cl.Update || cl2.Classes != cl.Classes || cl2.Backend != bk || cl2.ExpectedRows != cl.ExpectedRows || cl2.Validate != cl.Validate || cl2.ClassWeight != cl.ClassWeight {
				t.Errorf("%v: the options are %+v", method, cl2)
			}
			if re2.Features != re.Features || re2.Method != re.Method || re2.Update != re.Update || re2.NoIntercept != re.NoIntercept || re2.Backend != bk || re2.ExpectedRows != re.ExpectedRows || re2.Validate != re.Validate {
				t.Errorf("%v: the options are %+v", method, re2)
			}
			if !slices.Equal(re2.Center(), re.Center()) || (re.Center() == nil) != re.NoIntercept {
				t.Errorf("%v: the means are %v, were %v", method, re2.Center(), re.Center())
			}
			w := weightsOf(t, re)
			w0 := weightsOf(t, never)
			w1 := weightsOf(t, cl2)
			if !gonum.Equal(w0, w1) {
				t.Errorf("%v: other weights than without a stop", method)
			}
			w2 := weightsOf(t, re2)
			if !gonum.Equal(w, w2) {
				t.Errorf("%v: other weights", method)
			}
			w.Zero()
			if !gonum.Equal(weightsOf(t, re), w2) {
				t.Errorf("%v: Weights is no copy", method)
			}
			// Fitted anew they are the same too.
			must(t, cl.Fit(rowsOf(x, 0, 70), labels[:70]))
			must(t, cl2.Fit(rowsOf(x, 0, 70), labels[:70]))
			if !bytes.Equal(encoded(t, cl), encoded(t, cl2)) {
				t.Errorf("%v: fitted anew the model that was decoded is another", method)
			}
		}
	})
}

func TestEncodeFeatures(t *testing.T) {
	x := samples(72, 40, 5, 5)
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for i := range 6 {
			f := mustFit(t, x, FeatureOptions{Scaling: Scaling(1 + i%3), Groups: 2, GroupNodes: 2, EnhancementNodes: 3 * (i / 3), Backend: bk})
			b := encoded(t, f)
			g, err := DecodeFeatures(bytes.NewReader(b), bk)
			must(t, err)
			if g.Options() != f.Options() || !gonum.Equal(mustTransform(t, f, x), mustTransform(t, g, x)) || !bytes.Equal(encoded(t, g), b) {
				t.Errorf("%v, %d nodes: other maps", f.opt.Scaling, f.Nodes())
			}
			if _, err := DecodeFeatures(bytes.NewReader(append(b, 0)), bk); err == nil {
				t.Error("a byte more was accepted")
			}
			wide := &faults.Writer{Left: len(b) - 1}
			if err := f.Encode(wide); !errors.Is(err, faults.ErrFull) {
				t.Errorf("a full disk: %v", err)
			}
		}
	})
}

func TestUnfitted(t *testing.T) {
	var c Classifier
	var r Regressor
	x := samples(32, 40, 5, 5)
	for name, call := range map[string]func() error{
		"Classifier.Encode":  func() error { return c.Encode(io.Discard) },
		"Regressor.Encode":   func() error { return r.Encode(io.Discard) },
		"Classifier.Weights": func() error { _, err := c.Weights(); return err },
		"Regressor.Weights":  func() error { _, err := r.Weights(); return err },
		"Classifier.Predict": func() error { _, err := c.Predict(x); return err },
		"Regressor.Predict":  func() error { _, err := r.Predict(x); return err },
		"DecisionFunction":   func() error { _, err := c.DecisionFunction(x); return err },
		"Classifier.Score":   func() error { _, err := c.Score(x, cyclic(40, 3)); return err },
		"Regressor.Score":    func() error { _, err := r.Score(x, targetsFor(x, 2)); return err },
	} {
		if err := call(); !errors.Is(err, ErrNotFitted) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if c.Updater() != nil || r.Updater() != nil || c.FittedFeatures() != nil || r.FittedFeatures() != nil || r.Center() != nil {
		t.Error("a model that is not fitted has parts")
	}
}

// The options that are written are those that Fit read, whatever the fields have become.
func TestEncodeOptionsOfFit(t *testing.T) {
	x := samples(73, 40, 5, 5)
	c := &Classifier{Method: blsupdate.Gram, Update: blsupdate.Options{Lambda: 1}}
	must(t, c.Fit(x, make([]int, 40)))
	before := encoded(t, c)
	c.Features.Groups, c.Classes, c.Update.Lambda, c.Method = -1, -2, math.NaN(), 77
	if !bytes.Equal(encoded(t, c), before) {
		t.Error("options that Fit has not read were written")
	}
}

// firstColumn returns the first column of x, without a copy.
func firstColumn(x *mat.Dense) *mat.Dense {
	l, _ := x.Dims()
	return x.Slice(0, l, 0, 1).(*mat.Dense)
}

// smallModels are encodings of a classifier and a regressor by each method, of few numbers.
func smallModels(t testing.TB) map[string][]byte {
	t.Helper()
	x := samples(74, 20, 2, 2)
	labels := cyclic(20, 2)
	all := map[string][]byte{}
	for _, method := range allMethods {
		features := FeatureOptions{Scaling: ScaleColumns, Groups: 1, GroupNodes: 2, EnhancementNodes: 1, Seed: 5}
		c := &Classifier{Features: plain(features), Method: method, Update: blsupdate.Options{Lambda: 0.5}, Classes: 2}
		r := &Regressor{Features: plain(features), Method: method, Update: blsupdate.Options{Lambda: 0.5}}
		var b1, b2 bytes.Buffer
		for _, err := range []error{c.Fit(x, labels), r.Fit(x, firstColumn(x)), c.Encode(&b1), r.Encode(&b2)} {
			must(t, err)
		}
		all["classifier by "+method.String()] = b1.Bytes()
		all["regressor by "+method.String()] = b2.Bytes()
	}
	return all
}

// decodeAny decodes as the one kind or the other and returns what it is encoded as again. What was
// decoded predicts, which may be an error and no panic.
func decodeAny(b []byte) (again []byte, err error) {
	var out bytes.Buffer
	if c, err := DecodeClassifier(bytes.NewReader(b), nil); err == nil {
		_, _ = c.Predict(mat.NewDense(1, c.FittedFeatures().Inputs(), nil))
		err := c.Encode(&out)
		return out.Bytes(), err
	}
	r, err := DecodeRegressor(bytes.NewReader(b), nil)
	if err != nil {
		return nil, err
	}
	_, _ = r.Predict(mat.NewDense(1, r.FittedFeatures().Inputs(), nil))
	err = r.Encode(&out)
	return out.Bytes(), err
}

// Whatever a word of 8 bytes becomes, there is a *FormatError, or a model that is encoded as it was
// read; never a panic.
func TestDecodeAltered(t *testing.T) {
	for name, b := range smallModels(t) {
		step := 1
		if testing.Short() {
			step = 13
		}
		for at := 0; at+8 <= len(b); at += 8 * step {
			was := binary.LittleEndian.Uint64(b[at:])
			for _, word := range []uint64{0, 1, 2, 3, math.MaxInt32, math.MaxInt64, math.MaxUint64, math.Float64bits(math.NaN()), math.Float64bits(math.Inf(1)), math.Float64bits(-1), was + 1, was ^ 1<<63} {
				altered := slices.Clone(b)
				binary.LittleEndian.PutUint64(altered[at:], word)
				if again, err := decodeAny(altered); err == nil && !bytes.Equal(again, altered) {
					t.Errorf("%s: word %d as %#x is read as something else", name, at/8, word)
				}
			}
		}
	}
}

func TestDecodeWrongKind(t *testing.T) {
	models := smallModels(t)
	var e *FormatError
	if _, err := DecodeClassifier(bytes.NewReader(models["regressor by gram"]), nil); !errors.As(err, &e) {
		t.Errorf("a regressor as a classifier: %v", err)
	}
	if _, err := DecodeRegressor(bytes.NewReader(models["classifier by gram"]), nil); !errors.As(err, &e) {
		t.Errorf("a classifier as a regressor: %v", err)
	}
	if _, err := DecodeClassifier(bytes.NewReader(nil), nil); !errors.As(err, &e) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("nothing: %v", err)
	}
	broken := errors.New("broken disk")
	if _, err := DecodeClassifier(iotest.ErrReader(broken), nil); !errors.Is(err, broken) {
		t.Errorf("a broken disk: %v", err)
	}
}

// A model may be encoded and predict on several goroutines at once. Run it with the race detector.
func TestEncodeWhilePredicting(t *testing.T) {
	x := samples(75, 60, 5, 5)
	y := targetsFor(x, 2)
	for _, method := range allMethods {
		r := &Regressor{Features: plain(FeatureOptions{Groups: 1, GroupNodes: 3, EnhancementNodes: 4}), Method: method, Update: blsupdate.Options{Lambda: 1e-3}}
		must(t, r.Fit(x, y))
		want := encoded(t, r)
		must(t, r.Fit(x, y))
		var wg sync.WaitGroup
		failures := make([]error, 8)
		for g := range failures {
			wg.Add(1)
			go func() {
				defer wg.Done()
				if g%2 == 0 {
					_, failures[g] = r.Predict(x)
					return
				}
				var b bytes.Buffer
				if failures[g] = r.Encode(&b); failures[g] == nil && !bytes.Equal(b.Bytes(), want) {
					failures[g] = errors.New("other bytes")
				}
			}()
		}
		wg.Wait()
		if err := errors.Join(failures...); err != nil {
			t.Errorf("%v: %v", method, err)
		}
	}
}

// A stuckWriter takes nothing until it is let go, and says when it is first asked to.
type stuckWriter struct {
	asked, letGo chan struct{}
	bytes.Buffer
}

func newStuckWriter() *stuckWriter {
	return &stuckWriter{asked: make(chan struct{}), letGo: make(chan struct{})}
}

func (w *stuckWriter) Write(p []byte) (int, error) {
	if w.Len() == 0 {
		return w.Buffer.Write(p) // the length of the head
	}
	select {
	case <-w.asked:
	default:
		if w.Len() > 8 { // the head has been written
			close(w.asked)
			<-w.letGo
		}
	}
	return w.Buffer.Write(p)
}

// A model predicts while it is written to something that does not go on, whether it has weights or
// cannot have them; and what is written is the same in the end.
func TestPredictWhileWriting(t *testing.T) {
	x := samples(76, 40, 5, 5)
	y := targetsFor(x, 2)
	for _, method := range allMethods {
		for _, rows := range []int{40, 3} {
			if rows == 3 && method != blsupdate.Gram && method != blsupdate.QR {
				continue // has weights, or does not start
			}
			r := &Regressor{Features: plain(FeatureOptions{Groups: 1, GroupNodes: 3, EnhancementNodes: 4}), Method: method, Update: blsupdate.Options{Lambda: None}}
			must(t, r.Fit(rowsOf(x, 0, rows), rowsOf(y, 0, rows)))
			w := newStuckWriter()
			written := make(chan error)
			go func() { written <- r.Encode(w) }()
			<-w.asked
			_, err := r.Predict(x) // comes back
			var rank *blsupdate.RankError
			if (err == nil) != (rows == 40) || err != nil && !errors.As(err, &rank) {
				t.Errorf("%v: %v", method, err)
			}
			close(w.letGo)
			must(t, <-written)
			if !bytes.Equal(w.Bytes(), encoded(t, r)) {
				t.Errorf("%v: other bytes", method)
			}
		}
	}
}

// The byte that an error names counts from the beginning, wherever it is.
func TestDecodeOffsets(t *testing.T) {
	for name, b := range smallModels(t) {
		decode := func(b []byte) error {
			if name[0] == 'c' {
				_, err := DecodeClassifier(bytes.NewReader(b), nil)
				return err
			}
			_, err := DecodeRegressor(bytes.NewReader(b), nil)
			return err
		}
		head := 8 + int(binary.LittleEndian.Uint64(b))
		var e *FormatError
		for n := range len(b) {
			if err := decode(b[:n]); !errors.As(err, &e) || e.Offset != int64(n) || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("%s, %d of %d bytes: %v", name, n, len(b), err)
			}
		}
		// The kind; the magic word, the version and the method of the output layer; the end.
		for _, at := range []int{8, head, head + 8, head + 16, len(b)} {
			altered := append(slices.Clone(b), 0, 0, 0, 0, 0, 0, 0, 0)
			binary.LittleEndian.PutUint64(altered[at:], 99)
			if err := decode(altered[:max(len(b), at+8)]); !errors.As(err, &e) || e.Offset != int64(at) {
				t.Errorf("%s: %v, want byte %d", name, err, at)
			}
		}
	}
}
