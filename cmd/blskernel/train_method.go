package main

import (
	"context"
	"errors"
	"math"

	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/dataset/stream"
)

// fit fits a model to the first batch, of the method that --method names, or of the one that suits the
// condition number that the batch shows. No rates are measured: where there are none of this machine
// methods are compared by their flops.
func (tr *training) fit(ctx context.Context, f fetched, total int64, meta modelfile.Metadata) (*learner, error) {
	by := func(method blsupdate.Method) (*learner, error) {
		classifier, regressor := tr.set.model.estimator(tr.options.Classes, len(meta.Classes), method, tr.set.source.guess() == stream.IDX, tr.backend)
		l := newLearner(&modelfile.File{Classifier: classifier, Regressor: regressor, Metadata: meta})
		return l, l.learn(ctx, f.batch)
	}
	if tr.set.model.method != automatic {
		method, err := blsupdate.ParseMethod(tr.set.model.method)
		if err != nil {
			return nil, usageError{err}
		}
		return by(method)
	}
	// Gram starts from any rows and is the cheapest to start, so that it is what the condition number
	// is seen by.
	model, err := by(blsupdate.Gram)
	if err != nil {
		return nil, err
	}
	method, err := tr.choose(model.updater(), f, total)
	if err != nil || method == blsupdate.Gram {
		return model, err
	}
	return by(method)
}

// unknownGrowth is how many times the first batch the rows are taken to be where nobody knows.
const unknownGrowth = 100

// choose returns the method for the batches to come after the first, which u has learned.
func (tr *training) choose(u blsupdate.Updater, f fetched, total int64) (blsupdate.Method, error) {
	first := u.Samples()
	rows := float64(total)
	switch {
	case total >= 0:
	case f.total > 0 && f.done > 0:
		rows = float64(first) * float64(f.total) / float64(f.done)
	default:
		rows = unknownGrowth * float64(first)
	}
	batches := max(1, math.Ceil((rows-float64(first))/float64(tr.set.batch)))
	// The largest singular value grows with the root of the rows, and the ridge, which bounds the
	// smallest, stays.
	condition := 1 / max(u.Condition().RCond, 1e-300) * math.Sqrt(max(1, rows/float64(first)))
	rates, err := blsupdate.LoadRates(tr.backend)
	if err != nil {
		rates = blsupdate.ConstantRates(1e9, 1e9)
	}
	choice, err := blsupdate.Plan(tr.set.batch, u.Nodes(), first, u.Targets(), blsupdate.Needs{
		Lambda: u.Lambda(), Batches: int(min(batches, mostSamples)), WeightsAtEnd: true,
		Condition: max(1, condition), Backend: tr.backend, Rates: rates,
	})
	var none *blsupdate.PlanError
	if err != nil && !errors.As(err, &none) {
		return 0, err
	}
	tr.talk.explain("%s", choice.Explain())
	method := choice.Method
	if none != nil || method == blsupdate.Improved || method == blsupdate.Original {
		// The error of qr grows slowest of those whose state does not grow with the rows.
		method = blsupdate.QR
	}
	tr.talk.explain("method %s", method)
	return method, nil
}
