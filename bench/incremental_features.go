package bench

import (
	"math"
	"time"

	"blskernel/bls"
	"blskernel/dataset"
	"blskernel/mat"
)

// expand returns the rows of A for the given samples. The first ones are those that the maps are
// fitted to.
func (r *incrementalRun) expand(from, to int) (a *mat.Dense, err error) {
	x := r.Train.Dense(from, to)
	if r.features != nil {
		return r.transform(x)
	}
	if r.Whitening != nil {
		r.tell("whitening")
		began := time.Now()
		if r.zca, err = dataset.FitZCA(x, *r.Whitening); err != nil {
			return nil, err
		}
		r.whitening = time.Since(began).Seconds()
		if err := r.zca.Transform(x); err != nil {
			return nil, err
		}
	}
	r.tell("feature maps")
	opt := r.Features
	if opt.Backend == nil {
		opt.Backend = r.Update.Backend
	}
	r.features, a, err = bls.FitTransformFeatures(x, opt)
	return a, err
}

// transform returns the rows of A for the samples x, which it may overwrite.
func (r *incrementalRun) transform(x *mat.Dense) (*mat.Dense, error) {
	if r.zca != nil {
		if err := r.zca.Transform(x); err != nil {
			return nil, err
		}
	}
	return r.features.Transform(x)
}

// test fills in the accuracies and, where it is wanted, the check.
func (r *incrementalRun) test(rows []Row, a, y *mat.Dense) error {
	if r.Test != nil && r.testA == nil {
		var err error
		if r.testA, err = r.transform(r.Test.Dense(0, r.Test.Len())); err != nil {
			return err
		}
		r.testY = r.Test.LabelsInt(0, r.Test.Len())
	}
	for i, w := range r.weights {
		rows[i].Accuracy = math.NaN()
		if r.Test != nil {
			var scores mat.Dense
			mat.Mul(r.Update.Backend, &scores, r.testA, w)
			rows[i].Accuracy = bls.Accuracy(bls.ArgMax(&scores), r.testY)
		}
	}
	if r.Check {
		r.tell("solution from scratch")
		return r.check.compare(r.Variants, rows, r.weights, a, y, r.Update)
	}
	return nil
}
