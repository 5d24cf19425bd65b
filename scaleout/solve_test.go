package scaleout

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/internal/testutil"
)

func newSolveFn(t testing.TB) *solveFn {
	t.Helper()
	return &solveFn{
		withModel: useModel(sampleFile(t, modelfile.Metadata{})),
		Options:   Options{Out: filepath.Join(t.TempDir(), "m.bls"), Lambda: 0.25, SkipBad: 1, Created: created, Software: "a test"},
	}
}

// over returns an iterator over values, in the form of Beam's side inputs.
func over[T any](values ...T) func(*T) bool {
	return func(v *T) bool {
		if len(values) == 0 {
			return false
		}
		*v, values = values[0], values[1:]
		return true
	}
}

// TestSolveRetried checks that the same states give the same bytes and do not change. The output is in
// a missing folder, and on another file system.
func TestSolveRetried(t *testing.T) {
	for _, method := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR} {
		s := partState(t, method, 0, 1)
		before := encoded(t, s)
		var want []byte
		for _, folder := range []string{filepath.Join(t.TempDir(), "not", "there"), "memfs://retried"} {
			fn := newSolveFn(t)
			fn.Options.Out, fn.Options.BadOut = folder+"/m.bls", folder+"/bad.txt"
			for range 2 {
				testutil.NoError(t, fn.ProcessElement(background, nil, over(s), over("one")))
				got := readAll(t, fn.Options.Out)
				if want == nil {
					want = got
				}
				if !bytes.Equal(got, want) {
					t.Errorf("%v: two runs wrote different bytes", method)
				}
			}
			if got := string(readAll(t, fn.Options.BadOut)); got != "one\n" {
				t.Errorf("the list of bad rows is %q", got)
			}
		}
		if !bytes.Equal(before, encoded(t, s)) {
			t.Errorf("%v: the state has changed", method)
		}
	}
}

// TestSolveErrors checks the errors of sums that give no model, and that no file is written.
func TestSolveErrors(t *testing.T) {
	few, all, qr := partState(t, blsupdate.Gram, 0, shardCount), partState(t, blsupdate.Gram, 0, 1), partState(t, blsupdate.QR, 0, 1)
	repeated := &State{}
	for range 4 {
		testutil.NoError(t, repeated.add(few))
	}
	small := smallState(t, blsupdate.Gram, 0)
	for name, test := range map[string]struct {
		states []*State
		bad    []string
		lambda float64
		want   string
	}{
		"nothing":         {nil, nil, 1, "no file has a usable sample"},
		"nothing in it":   {[]*State{{}, {}}, []string{"x"}, 1, "(bad rows set aside: 1)"},
		"too much bad":    {[]*State{all}, []string{"one", "two"}, 1, "the number of bad rows is 2 (the first are one; two), but at most 1 may be set aside: correct the data, or raise the limit"},
		"bad by far":      {[]*State{all}, strings.Split("1 2 3 4 5 6 7", " "), 1, "(the first are 1; 2; 3; 4; 5), but"},
		"too few":         {[]*State{few}, nil, 0, "the samples (30) do not determine the weights of 48 nodes; use a lambda above 0"},
		"dependent":       {[]*State{repeated}, nil, 0, "): raise lambda, or use the method qr"},
		"another size":    {[]*State{small}, nil, 1, "making a model from the states"},
		"another method":  {[]*State{all, qr}, nil, 1, "merging two states"},
		"none of these":   {[]*State{all}, []string{"one"}, 0, ""},
		"several at once": {[]*State{few, few}, nil, 1, ""},
	} {
		fn := newSolveFn(t)
		fn.Options.Lambda = test.lambda
		err := fn.ProcessElement(background, nil, over(test.states...), over(test.bad...))
		_, missing := os.Stat(fn.Options.Out)
		switch {
		case test.want == "" && (err != nil || missing != nil):
			t.Errorf("%s: %v, %v", name, err, missing)
		case test.want != "" && (err == nil || missing == nil || !strings.HasPrefix(err.Error(), "scaleout: ") || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: %v, %v", name, err, missing)
		}
	}
	for _, field := range []func(o *Options) *string{func(o *Options) *string { return &o.Out }, func(o *Options) *string { return &o.BadOut }} {
		fn := newSolveFn(t)
		path := field(&fn.Options)
		*path = t.TempDir() // a folder
		if err := fn.ProcessElement(background, nil, over(all), over("one")); err == nil || !strings.Contains(err.Error(), *path) {
			t.Errorf("%s: %v", *path, err)
		}
	}
}
