package model

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/dataset/stream"
	"blskernel/internal/testutil"
)

// A lab makes models of files.
type lab struct {
	*testing.T
	dir     string
	classes bool
}

// file writes a table of n rows from a given number on, and returns its path.
func (l *lab) file(name string, from, n int) string {
	path := filepath.Join(l.dir, name)
	text := "a,b,y\n" + rows(from, n, "1", "2", "4")
	testutil.NoError(l, os.WriteFile(path, []byte(text), 0o666))
	return path
}

func (l *lab) unfitted(method blsupdate.Method) *Model {
	f := &modelfile.File{Metadata: modelfile.Metadata{Inputs: []string{"a", "b"}, Targets: []string{"y"}}}
	features := bls.FeatureOptions{Groups: 1, GroupNodes: 3, EnhancementNodes: 4}
	if l.classes {
		f.Metadata.Classes = []string{"1", "2", "4"}
		f.Classifier = &bls.Classifier{Features: features, Method: method, Classes: 3}
	} else {
		f.Regressor = &bls.Regressor{Features: features, Method: method}
	}
	m := New(f)
	m.FixMaps = true
	return m
}

// run lets m learn or remove the rows of files, as an operation says, and logs it.
func (l *lab) run(m *Model, op modelfile.Operation, paths ...string) {
	op.Read = &stream.Options{Targets: []string{"y"}}
	op.First, op.Batch, op.Arithmetic, op.Fixed = 60, 25, Arithmetic(nil), m.FixMaps
	for _, path := range paths {
		hash, err := HashOf(nil, path)
		testutil.NoError(l, err)
		info, err := os.Stat(path)
		testutil.NoError(l, err)
		text, err := os.ReadFile(path)
		testutil.NoError(l, err)
		op.Files = append(op.Files, modelfile.Learned{Name: filepath.Base(path), Size: info.Size(), Hash: hash, Rows: int64(strings.Count(string(text), "\n") - 1)})
	}
	if op.Kind == modelfile.OpUpdate { // as the command
		testutil.NoError(l, m.Reweigh(cmp.Or(op.Factor, 1), op.Lambda))
		m.Calibrating = m.Calibrated()
	}
	opt := *op.Read
	opt.Classes = l.classes
	r, err := stream.Open(l.Context(), paths, opt)
	testutil.NoError(l, err)
	defer r.Close()
	do := m.Learn
	if op.Kind == modelfile.OpRemove {
		do = m.Remove
	}
	for n := op.First; ; n = op.Batch {
		b, err := r.Next(n)
		if errors.Is(err, io.EOF) {
			break
		}
		testutil.NoError(l, err)
		testutil.NoError(l, do(l.Context(), b))
	}
	m.Log(op)
}

// like returns a model with the maps of m that has learned a file.
func (l *lab) like(m *Model, path string) *Model {
	v := verifier{of: m}
	other, err := v.emptied(&modelfile.Operation{})
	testutil.NoError(l, err)
	other.Metadata.Log = slices.Clone(m.Metadata.Log[:1])
	other.Metadata.Log[0].Kind = modelfile.OpMaps
	lambda := m.Updater().Lambda()
	l.run(other, modelfile.Operation{Kind: modelfile.OpLike, Lambda: &lambda}, path)
	return other
}

// TestVerify makes models by all operations, and verifies them with the files of the rows that stayed,
// after the model has been saved and loaded.
func TestVerify(t *testing.T) {
	lambda, huge := 0.25, 1e12
	train, update := modelfile.Operation{Kind: modelfile.OpTrain}, modelfile.Operation{Kind: modelfile.OpUpdate}
	remove := modelfile.Operation{Kind: modelfile.OpRemove}
	for _, classes := range []bool{true, false} {
		l := &lab{t, t.TempDir(), classes}
		a, b, c := l.file("a.csv", 0, 230), l.file("b.csv", 230, 40), l.file("c.csv", 270, 70)
		part := l.file("part.csv", 235, 10)
		begun := func(method blsupdate.Method, paths ...string) *Model {
			m := l.unfitted(method)
			l.run(m, train, paths...)
			m.Metadata.Log[0].Classes, m.Metadata.Log[0].Lambda = len(m.Labels()), new(float64)
			return m
		}
		for _, tc := range []struct {
			name   string
			make   func(m *Model)
			first  []string // of the training
			given  []string
			bits   bool
			maps   bool // made again, and no removed rows taken as given
			method []blsupdate.Method
		}{
			{"learned", func(m *Model) { l.run(m, update, b, c) }, []string{a}, []string{c, b, a}, true, true, blsupdate.Methods()},
			{"ridge", func(m *Model) { l.run(m, modelfile.Operation{Kind: modelfile.OpUpdate, Lambda: &lambda}, b) }, []string{a}, []string{a, b}, true, true,
				[]blsupdate.Method{blsupdate.Gram, blsupdate.QR}},
			{"forgotten", func(m *Model) { l.run(m, modelfile.Operation{Kind: modelfile.OpUpdate, Factor: 0.5}, b) }, []string{a}, []string{a, b}, true, true,
				[]blsupdate.Method{blsupdate.Gram, blsupdate.RidgeInverse}},
			{"removed", func(m *Model) { l.run(m, update, b); l.run(m, update, c); l.run(m, remove, b) }, []string{a}, []string{a, c}, false, true,
				[]blsupdate.Method{blsupdate.Gram, blsupdate.QR, blsupdate.InverseCholesky}},
			{"removed training", func(m *Model) { l.run(m, update, c); l.run(m, remove, a) }, []string{a, b}, []string{b, c}, false, false,
				[]blsupdate.Method{blsupdate.Gram, blsupdate.QR}},
			{"removed at hand", func(m *Model) { l.run(m, update, c); l.run(m, remove, a) }, []string{a}, []string{a, c}, false, true,
				[]blsupdate.Method{blsupdate.Gram}},
			{"removed in part", func(m *Model) { l.run(m, remove, part) }, []string{a, b}, []string{a, b, part}, true, false, []blsupdate.Method{blsupdate.Gram}},
			{"merged", func(m *Model) {
				testutil.NoError(t, m.Merge(l.like(m, b), false))
				l.run(m, update, c)
			}, []string{a}, []string{a, b, c}, true, true, []blsupdate.Method{blsupdate.Gram, blsupdate.QR}},
			{"merged with few rows", func(m *Model) {
				few := l.unfitted(blsupdate.Gram)
				few.FixMaps = false
				l.run(few, modelfile.Operation{Kind: modelfile.OpTrain, Classes: 3}, b)
				testutil.NoError(t, m.Merge(few, false))
			}, []string{a}, []string{a, b}, true, true, []blsupdate.Method{blsupdate.Gram}},
			{"merged and removed", func(m *Model) { testutil.NoError(t, m.Merge(l.like(m, c), false)); l.run(m, remove, a) }, []string{a}, []string{c}, false, false,
				[]blsupdate.Method{blsupdate.Gram}},
			{"ridge of a model like it", func(m *Model) {
				*m = *l.like(m, b)
				l.run(m, modelfile.Operation{Kind: modelfile.OpUpdate, Lambda: &huge}, c)
			}, []string{a}, []string{b, c}, true, false, []blsupdate.Method{blsupdate.QR}},
		} {
			for _, method := range tc.method {
				t.Run(fmt.Sprintf("%s/%v/classes=%v", tc.name, method, classes), func(t *testing.T) {
					m := begun(method, tc.first...)
					tc.make(m)
					path := filepath.Join(t.TempDir(), "m.bls")
					testutil.NoError(t, modelfile.Save(path, m.File))
					f, err := modelfile.Load(path, nil)
					testutil.NoError(t, err)
					m = New(f)
					v, err := m.Verify(t.Context(), tc.given)
					testutil.NoError(t, err)
					if v.Verdict != Same || v.Bits != tc.bits || v.Rows != m.Updater().Samples() || (len(v.Unverified) == 0) != tc.maps {
						t.Fatalf("%+v", v)
					}
					if !tc.bits && !(v.Difference > 0 && v.Difference <= v.Bound && v.Bound < 1e-2) {
						t.Errorf("a difference of %g, a bound of %g", v.Difference, v.Bound)
					}
					for i := range tc.given { // each one of them is needed
						v, err := m.Verify(t.Context(), slices.Delete(slices.Clone(tc.given), i, i+1))
						testutil.NoError(t, err)
						whole := tc.name == "removed at hand" && i == 0
						if whole && v.Verdict == Same && len(v.Unverified) == 1 {
							continue
						}
						if name := filepath.Base(tc.given[i]); v.Verdict != Unknown || !strings.Contains(fmt.Sprint(v.Missing), name) {
							t.Errorf("without %s: %+v", name, v)
						}
					}
				})
			}
		}
	}
}

// TestVerifyFinds checks models that differ from their logs, and logs that leave the verdict open.
func TestVerifyFinds(t *testing.T) {
	l := &lab{t, t.TempDir(), true}
	a, b := l.file("a.csv", 0, 230), l.file("b.csv", 230, 40)
	one := batch(t, true, rows(5, 1, "4"))
	other := batch(t, true, rows(300, 1, "2"))
	exchange := func(m *Model) {
		testutil.NoError(t, m.Remove(t.Context(), one))
		testutil.NoError(t, m.Learn(t.Context(), other))
	}
	log := func(m *Model) *modelfile.Operation { return &m.Metadata.Log[len(m.Metadata.Log)-1] }
	for name, tc := range map[string]struct {
		change  func(m *Model)
		verdict Verdict
		says    string
	}{
		"weights":    {exchange, Different, "the weights"},
		"bits":       {func(m *Model) { log(m).First, log(m).Batch = 7, 7 }, Different, "the weights"},
		"maps":       {func(m *Model) { m.Metadata.Log[0].First = 50 }, Different, "the feature maps"},
		"go":         {func(m *Model) { testutil.NoError(t, m.Learn(t.Context(), one)) }, Unknown, "the model has 271 rows, but its log accounts for 270; the difference was learned or unlearned from Go or Python"},
		"empty":      {func(m *Model) { l.run(m, modelfile.Operation{Kind: modelfile.OpRemove}, a, b) }, Unknown, "rows: the model has unlearned all of them"},
		"no log":     {func(m *Model) { m.Metadata.Log = nil }, Unknown, "a log"},
		"cut":        {func(m *Model) { m.CutLog() }, Unknown, "the first operations"},
		"pipe":       {func(m *Model) { log(m).Files[0] = modelfile.Learned{Name: "standard input"} }, Unknown, "the rows of standard input"},
		"checkpoint": {func(m *Model) { m.Metadata.Progress = &modelfile.Progress{Rows: 3} }, Unknown, "a run that was interrupted"},
		"incomplete": {func(m *Model) { log(m).Files = nil }, Unknown, "a run that was interrupted"},
		"kind":       {func(m *Model) { log(m).Kind = "dream" }, Unknown, `"dream"`},
		"merge":      {func(m *Model) { m.Log(modelfile.Operation{Kind: modelfile.OpMerge}) }, Unknown, "the log of a merged model"},
		"arithmetic": {func(m *Model) { log(m).Arithmetic = "abacus" }, Unknown, "a program with the arithmetic of the log: abacus; this one has pure, KC 256"},
	} {
		m := l.unfitted(blsupdate.Gram)
		l.run(m, modelfile.Operation{Kind: modelfile.OpTrain}, a)
		m.Metadata.Log[0].Classes = 3
		l.run(m, modelfile.Operation{Kind: modelfile.OpUpdate}, b)
		tc.change(m)
		v, err := m.Verify(t.Context(), []string{a, b})
		testutil.NoError(t, err)
		if v.Verdict != tc.verdict || !strings.Contains(fmt.Sprint(v.Missing, v.Differs), tc.says) {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// TestLogIsBounded checks that a log keeps the last operations, and says that others are missing.
func TestLogIsBounded(t *testing.T) {
	m := &Model{File: &modelfile.File{}}
	for i := range 3 * modelfile.MaxLog {
		m.Log(modelfile.Operation{Kind: modelfile.OpUpdate, Batch: i})
		if n := len(m.Metadata.Log); n > modelfile.MaxLog || m.Metadata.Log[n-1].Batch != i {
			t.Fatalf("%d operations after %d", n, i)
		}
	}
	if m.Metadata.Log[0].Kind != modelfile.OpCut {
		t.Error("the log does not say that it was cut")
	}
}
