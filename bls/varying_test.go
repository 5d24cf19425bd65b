package bls

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"blskernel/blsupdate"

	gonum "gonum.org/v1/gonum/mat"
)

// TestColumnThatVariesLater has a column that is constant in the first rows, where its weights are
// exactly 0, and decides the target from then on. The nodes of the first rows keep their bits. The
// weights equal a start with the new maps and all rows, within the bound of the output layer.
func TestColumnThatVariesLater(t *testing.T) {
	const first, l, j = 60, 400, 5
	for _, scaling := range []Scaling{ScaleColumns, ScaleRanks} {
		for _, method := range []blsupdate.Method{blsupdate.RidgeInverse, blsupdate.InverseCholesky, blsupdate.Gram, blsupdate.QR} {
			_, r := small(nil, method, scaling, 0x1p-10)
			r.Features.Groups, r.Features.GroupNodes = 5, 5
			x := samples(31, l, 12, 12)
			y := targetsFor(x, 1)
			for i := range l {
				v := 7.5
				if i >= first+40 {
					v += 100 * x.At(i, j)
				}
				x.Set(i, j, v)
				y.Set(i, 0, y.At(i, 0)+v/5)
			}
			must(t, r.Fit(rowsOf(x, 0, first), rowsOf(y, 0, first)))
			maps := r.FittedFeatures()
			if w := maps.weights.RawRowView(j); slices.ContainsFunc(w, func(v float64) bool { return v != 0 }) {
				t.Errorf("%v, %v: a constant column has the weights %v", scaling, method, w)
			}
			before := mustTransform(t, maps, rowsOf(x, 0, first+40))
			must(t, r.PartialFit(rowsOf(x, first, first+40), rowsOf(y, first, first+40)))
			if r.FittedFeatures() != maps {
				t.Errorf("%v, %v: other maps for rows of the same constant", scaling, method)
			}
			was := encoded(t, r)
			ctx, cancel := context.WithCancel(background)
			cancel()
			if r.PartialFitContext(ctx, rowsOf(x, first+40, l), rowsOf(y, first+40, l), nil) == nil || !bytes.Equal(encoded(t, r), was) {
				t.Errorf("%v, %v: a batch that is not learned changes the model", scaling, method)
			}
			for at := first + 40; at < l; at += 100 {
				must(t, r.PartialFit(rowsOf(x, at, at+100), rowsOf(y, at, at+100)))
			}
			if !gonum.Equal(before, mustTransform(t, r.FittedFeatures(), rowsOf(x, 0, first+40))) {
				t.Errorf("%v, %v: other nodes of rows that were learned", scaling, method)
			}
			score, err := r.Score(rowsOf(x, first+40, l), rowsOf(y, first+40, l))
			must(t, err)
			if !(score > 0.9) {
				t.Errorf("%v, %v: R² of %v", scaling, method, score)
			}
			refit, err := DecodeRegressor(bytes.NewReader(was), nil)
			must(t, errors.Join(err, refit.Refit(x, y)))
			again := refit.FittedFeatures()
			if must(t, refit.PartialFit(x, y)); refit.FittedFeatures() != again {
				t.Errorf("%v, %v: other maps for rows that Refit has learned", scaling, method)
			}
			start, err := DecodeRegressor(bytes.NewReader(encoded(t, r)), nil)
			must(t, err)
			must(t, start.Refit(x, y))
			got, want := weightsOf(t, r), weightsOf(t, start)
			digits := min(r.Updater().Condition().Digits, start.Updater().Condition().Digits)
			if diff := maxDiff(got, want); !(digits > 3 && diff <= 2*math.Pow(10, -digits)*gonum.Norm(want, 2)) {
				t.Errorf("%v, %v: other weights than of a start, by %g with %.1f digits", scaling, method, diff, digits)
			}
		}
	}
}

// TestMergeVaried merges copies in which one of two columns of 0 has become 1, in various shares of the
// rows, into the model that learned all rows. A constant column is 0.
func TestMergeVaried(t *testing.T) {
	for _, scaling := range []Scaling{ScaleColumns, ScaleRanks} {
		_, r := small(nil, blsupdate.Gram, scaling, 0x1p-10)
		r.Features.Direct = 1
		x := samples(7, 300, 12, 12)
		y := targetsFor(x, 1)
		for i := range 300 {
			x.Set(i, 3, float64(max(i-200, 0)%2))
			x.Set(i, 4, float64(max(120-i, 0)%2*min(1, i/60)))
		}
		must(t, r.Fit(rowsOf(x, 0, 60), rowsOf(y, 0, 60)))
		old := copyOf(rowsOf(x, 201, 202))
		if old.Set(0, 3, 0); !gonum.Equal(mustTransform(t, r.FittedFeatures(), old), mustTransform(t, r.FittedFeatures(), rowsOf(x, 201, 202))) {
			t.Errorf("%v: a new value of a constant column changes nodes", scaling)
		}
		base, err1 := r.Clone()
		all, err2 := r.Clone()
		must(t, errors.Join(err1, err2))
		for at := 60; at < 300; at += 80 {
			part, err := base.Clone()
			must(t, err)
			must(t, errors.Join(part.Refit(rowsOf(x, at, at+1), rowsOf(y, at, at+1)), part.PartialFit(rowsOf(x, at+1, at+80), rowsOf(y, at+1, at+80))))
			must(t, errors.Join(r.Merge(part), all.PartialFit(rowsOf(x, at, at+80), rowsOf(y, at, at+80))))
		}
		if diff := maxDiff(weightsOf(t, r), weightsOf(t, all)); !(diff <= 1e-9) || !r.features.equal(all.features) {
			t.Errorf("%v: weights differ by %g from those of all rows", scaling, diff)
		}
	}
}
