package bls

import (
	"errors"
	"math"
	"strings"
	"testing"

	"blskernel"
	"blskernel/mat"
)

func TestOptionErrors(t *testing.T) {
	x := samples(1, 10, 4, 4)
	for _, test := range []struct {
		opt  FeatureOptions
		want string
	}{
		{FeatureOptions{Groups: -1}, "Groups"},
		{FeatureOptions{GroupNodes: -1}, "GroupNodes"},
		{FeatureOptions{Groups: 1 << 20, GroupNodes: 1 << 20}, "GroupNodes"},
		{FeatureOptions{EnhancementNodes: -2}, "EnhancementNodes"},
		{FeatureOptions{EnhancementNodes: math.MaxInt32}, "EnhancementNodes"},
		{FeatureOptions{Shrink: -0.8}, "Shrink"},
		{FeatureOptions{Shrink: math.NaN()}, "Shrink"},
		{FeatureOptions{Shrink: math.Inf(1)}, "Shrink"},
		{FeatureOptions{Shrink: 0.8, Unscaled: true}, "Shrink"},
		{FeatureOptions{Enhancement: 2}, "Enhancement"},
	} {
		f, err := FitFeatures(x, test.opt)
		var e *OptionError
		if !errors.As(err, &e) || e.Option != test.want || f != nil {
			t.Errorf("%+v: %v, %v; want an error of %s", test.opt, f, err, test.want)
		}
	}
}

func TestSampleErrors(t *testing.T) {
	good := samples(1, 3000, 9, 9)
	f := mustFit(t, good, FeatureOptions{Groups: 2, GroupNodes: 2, EnhancementNodes: 3})
	fit := func(x *mat.Dense) error { _, err := FitFeatures(x, FeatureOptions{}); return err }
	transform := func(x *mat.Dense) error { _, err := f.Transform(x); return err }
	for name, call := range map[string]func(*mat.Dense) error{"fit": fit, "transform": transform} {
		for _, x := range []*mat.Dense{nil, {}} {
			var e *ShapeError
			if err := call(x); !errors.As(err, &e) {
				t.Errorf("%s without samples: %v", name, err)
			}
		}
	}
	// The second of two parts of the rows finds its fault long before the first does.
	defer blskernel.SetThreads(0)
	blskernel.SetThreads(2)
	x := mat.NewDense(200000, 3, nil)
	x.Set(99999, 2, math.NaN())
	x.Set(100000, 0, math.NaN())
	var early *NotFiniteError
	if err := fit(x); !errors.As(err, &early) || early.Row != 99999 || early.Col != 2 {
		t.Errorf("with NaN at (99999,2) and (100000,0): %v", err)
	}

	var e *ShapeError
	err := transform(samples(1, 5, 8, 8))
	if !errors.As(err, &e) || e.Rows != 5 || e.Cols != 8 || !strings.Contains(err.Error(), "5×8") || !strings.Contains(err.Error(), "9 columns") {
		t.Errorf("8 columns for 9: %v", err)
	}
}

// With one node of each kind the input of the enhancement node is w0 z + 0.1 w1 with z in [0,1], so
// some seeds make all of it negative.
func TestScaleError(t *testing.T) {
	x := samples(1, 10, 4, 4)
	failed := 0
	for seed := range uint64(40) {
		opt := FeatureOptions{Groups: 1, GroupNodes: 1, EnhancementNodes: 1, Seed: seed}
		f, err := FitFeatures(x, opt)
		var e *ScaleError
		if errors.As(err, &e) {
			failed++
			if e.Max > 0 || f != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
			opt.Unscaled = true
			mustFit(t, x, opt)
		} else if err != nil {
			t.Error(err)
		}
	}
	if failed == 0 || failed == 40 {
		t.Errorf("%d of 40 seeds failed", failed)
	}
}

func TestMessages(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{&OptionError{Op: "bls", Option: "Enhancement", Value: EnhancementWeights(7), Want: "Orthonormal or Uniform"}, "bls: Enhancement is EnhancementWeights(7); want Orthonormal or Uniform"},
		{&OptionError{Op: "bls", Option: "Enhancement", Value: Uniform, Want: Orthonormal.String()}, "bls: Enhancement is uniform; want orthonormal"},
		{&LabelError{Index: 3, Label: 10, Classes: 10}, "bls: label 10 of sample 3; want 0 to 9"},
		{&NotFiniteError{Op: "bls", Matrix: "X", Row: 2, Col: 5, Value: math.Inf(1)}, "bls: element (2,5) of X is +Inf; remove the row or fill in a value"},
	} {
		if test.err.Error() != test.want {
			t.Errorf("got %q, want %q", test.err, test.want)
		}
	}
}
