package scaleout

import (
	"os"
	"strings"
	"testing"

	"blskernel/blsupdate"
	"blskernel/internal/testutil"
)

// TestSolveErrors solves for impossible models.
func TestSolveErrors(t *testing.T) {
	few, err := partState(blsupdate.Gram, digits(), 0, shardCount)
	testutil.NoError(t, err)
	all, err := partState(blsupdate.Gram, digits(), 0, 1)
	testutil.NoError(t, err)
	repeated := &State{}
	for range 4 {
		testutil.NoError(t, repeated.add(few))
	}
	small := smallState(t, blsupdate.Gram, 0)
	qr, err := partState(blsupdate.QR, digits(), 0, 1)
	testutil.NoError(t, err)
	for name, test := range map[string]struct {
		states []*State
		bad    []string
		lambda float64
		want   string
	}{
		"nothing":         {nil, nil, 1, "no file has a usable sample"},
		"nothing in it":   {[]*State{{}, {}}, []string{"x"}, 1, "; 1 bad rows were set aside"},
		"too much bad":    {[]*State{all}, []string{"one", "two"}, 1, "2 bad rows, and the limit is 1; correct the data, or raise the limit; the first are: one; two"},
		"bad by far":      {[]*State{all}, strings.Split("1 2 3 4 5 6 7", " "), 1, "the first are: 1; 2; 3; 4; 5"},
		"too few":         {[]*State{few}, nil, 0, "30 samples do not determine the weights of 48 nodes; use a lambda above 0"},
		"dependent":       {[]*State{repeated}, nil, 0, "dependent to working precision; raise lambda, or fit by QR"},
		"another size":    {[]*State{small}, nil, 1, "making a model of the states"},
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
