package main

import (
	"context"
	"errors"
	"math"

	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
)

// fit fits a model to the first batch, of the method that --method names, or of the one that suits the
// condition number that the batch shows. Methods are compared by their flops, and not by the times that
// they take on this machine, so that the same command makes the same model everywhere.
func (tr *training) fit(ctx context.Context, f fetched, total int64, meta modelfile.Metadata) (*learner, error) {
	by := func(method blsupdate.Method) (*learner, error) {
		classifier, regressor := tr.set.model.estimator(tr.classes, len(meta.Classes), method, tr.images, tr.backend)
		l := newLearner(&modelfile.File{Classifier: classifier, Regressor: regressor, Metadata: meta})
		l.labelsIn = tr.set.source.targetsFile
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

// expectedRows returns the rows of the data, total if that is known, by the bytes that the first batch
// took of all: the same whenever the same data is read.
func expectedRows(f fetched, first int, total int64) float64 {
	switch {
	case total >= 0:
		return float64(total)
	case f.total > 0 && f.done > 0:
		return float64(first) * float64(f.total) / float64(f.done)
	default:
		return unknownGrowth * float64(first)
	}
}

// choose returns the method for the batches to come after the first, which u has learned.
func (tr *training) choose(u blsupdate.Updater, f fetched, total int64) (blsupdate.Method, error) {
	first := u.Samples()
	rows := expectedRows(f, first, total)
	batches := max(1, math.Ceil((rows-float64(first))/float64(tr.batch)))
	// The largest singular value grows with the root of the rows, and the ridge, which bounds the
	// smallest, stays.
	condition := 1 / max(u.Condition().RCond, 1e-300) * math.Sqrt(max(1, rows/float64(first)))
	choice, err := blsupdate.Plan(tr.batch, u.Nodes(), first, u.Targets(), blsupdate.Needs{
		Lambda: u.Lambda(), Batches: int(min(batches, mostSamples)), WeightsAtEnd: true,
		Condition: max(1, condition), Backend: tr.backend, Rates: blsupdate.ConstantRates(1e9, 1e9),
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
