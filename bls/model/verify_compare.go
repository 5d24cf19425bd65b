package model

import (
	"fmt"
	"io"
	"math"
	"slices"

	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/internal/linalg/detmath"
)

// compare compares the model to verify with again, the model made by repeating its log. If learned is
// true, the model has only learned, so the bits must agree.
func (v *verifier) compare(again *Model, learned bool) error {
	v.compareMaps()
	for _, op := range v.of.Metadata.Log {
		if here := Arithmetic(v.of.Updater().Options().Backend); op.Arithmetic != here && op.Kind != modelfile.OpMaps && op.Kind != modelfile.OpMerge {
			v.Missing = append(v.Missing, fmt.Sprintf("a program with the arithmetic of the log: %s; this one has %s", op.Arithmetic, here))
			break
		}
	}
	u := v.of.Updater()
	v.Rows = u.Samples()
	if again == nil && v.Rows == 0 {
		v.Missing = append(v.Missing, "rows: the model has unlearned all of them, so that nothing is left to compare")
		return nil
	}
	if again == nil || again.Updater().Samples() != v.Rows {
		n := 0
		if again != nil {
			n = again.Updater().Samples()
		}
		v.Missing = append(v.Missing, fmt.Sprintf("a complete log: the model has %d rows, but its log accounts for %d; the difference was learned or unlearned from Go or Python", v.Rows, n))
		return nil
	}
	if all, to := v.of.classes.With(again.Labels()); !learned && len(all) == len(v.of.Labels()) { // the classes that again lacks came with removed rows
		if err := again.become(all, to); err != nil {
			return err
		}
	}
	if !slices.Equal(again.Labels(), v.of.Labels()) {
		v.Differs = append(v.Differs, "the classes")
	}
	if err := v.compareWeights(again, learned); err != nil {
		return err
	}
	switch {
	case len(v.Missing) > 0:
	case len(v.Differs) > 0:
		v.Verdict = Different
	default:
		v.Verdict = Same
	}
	return nil
}

// sameMaps reports whether m has the same feature maps and Choice as v.of, the model to verify. If
// v.given is true, columns that are constant in m may vary in v.of.
func (v *verifier) sameMaps(m *Model) bool {
	was, is := v.of.FittedFeatures(), m.FittedFeatures()
	return m.Choice() == v.of.Choice() && was.Extends(is) && (v.given || is.Extends(was))
}

// compareMaps compares the repeated feature maps and choices. Maps made from the first rows alone may
// differ: a model with few rows fits its maps to all of them, and a constant column may vary later.
func (v *verifier) compareMaps() {
	same := 0
	for i, m := range slices.Concat(v.fresh, v.first) {
		switch {
		case v.sameMaps(m):
			same++
		case i < len(v.fresh) || v.given && m.KeptRows() == 0:
			v.Differs = []string{"the feature maps or the settings"}
		}
	}
	if slices.ContainsFunc(v.of.Metadata.Log, func(op modelfile.Operation) bool { return op.Tuned }) {
		v.Unverified = append(v.Unverified, "the tuned settings, which are taken as given")
	}
	switch {
	case same > 0 || v.Differs != nil:
	case v.first != nil:
		v.Unverified = append(v.Unverified, "the feature maps and the choice of settings, which the first rows alone do not reproduce")
	default:
		v.Unverified = append(v.Unverified, "the feature maps and the choice of settings, since the training files were not given")
	}
}

func (v *verifier) compareWeights(again *Model, learned bool) error {
	layer := func(m *Model) func(io.Writer) error {
		return func(w io.Writer) error { return blsupdate.Encode(w, m.Updater()) }
	}
	was, err := v.of.Weights()
	if err != nil {
		return err
	}
	is, err := again.Weights()
	if err != nil {
		return err
	}
	hashes := make([]uint64, 4)
	for i, write := range []func(io.Writer) error{layer(v.of), layer(again), v.of.Encode, again.Encode} {
		if hashes[i], err = hashOf(write); err != nil {
			return err
		}
	}
	if v.Bits = hashes[0] == hashes[1]; v.Bits {
		if hashes[2] != hashes[3] {
			v.Unverified = append(v.Unverified, "everything but the output layer, such as the calibration of the probabilities")
		}
		return nil
	}
	k, c := was.Dims()
	if _, targets := is.Dims(); targets != c {
		return nil // the classes differ
	}
	for j := range c {
		var apart, before, after float64 // norms
		for i := range k {
			x, y := was.At(i, j), is.At(i, j)
			apart, before, after = detmath.Hypot(apart, x-y), detmath.Hypot(before, x), detmath.Hypot(after, y)
		}
		if apart > 0 {
			v.Difference = max(v.Difference, apart/max(before, after))
		}
	}
	if learned {
		v.Differs = append(v.Differs, "the weights")
		return nil
	}
	wrong := func(m *Model) float64 { return detmath.Exp(-math.Ln10 * m.Updater().Condition().Digits) }
	e, f := wrong(v.of), wrong(again)
	v.Bound = (e + f) / (1 - f) // the difference is at most (e+f)‖w‖ for the exact w, and ‖w‖ at most ‖w of again‖/(1-f)
	switch {
	case !(f < 1) || !(v.Bound < 1):
		v.Bound = 1
		v.Missing = append(v.Missing, "a bound on the errors of the weights: nodes close to linear dependence, or removed rows that outweighed the others, leave them without known digits")
	case !(v.Difference <= v.Bound):
		v.Differs = append(v.Differs, "the weights")
	}
	return nil
}
