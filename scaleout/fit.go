package scaleout

import (
	"context"

	"blskernel/blsupdate"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// FitGram fits the output layer of a model to all samples of batches, a PCollection<Batch> as of Read,
// by the method blsupdate.Gram: States, Merge and Solve. The result is a PCollection<Model> of one
// element. Up to rounding it is that of a single process with the same samples, feature maps and ridge,
// whatever the shards, bundles and workers, and however often a bundle runs.
//
//	cost: for each sample that of bls.Features.Transform, and k² + 2ck flops for the state; k³/3
//	once.
//	panics: where TryFitGram returns an error.
//	errors, of the pipeline: those of States and Solve.
func FitGram(s beam.Scope, batches beam.PCollection, opt Options) beam.PCollection {
	return beam.Must(TryFitGram(s, batches, opt))
}

// FitQR is FitGram by the method blsupdate.QR, whose errors grow with the condition number of the nodes
// instead of its square. A sample takes 2k² + 4ck flops, a merger 2k³/3.
func FitQR(s beam.Scope, batches beam.PCollection, opt Options) beam.PCollection {
	return beam.Must(TryFitQR(s, batches, opt))
}

// TryFitGram is FitGram and returns an error for invalid options, a model file that cannot be read, and
// batches that are unbounded, in windows, or of another type.
func TryFitGram(s beam.Scope, batches beam.PCollection, opt Options) (beam.PCollection, error) {
	return tryFit(s.Scope("scaleout.FitGram"), blsupdate.Gram, batches, opt)
}

// TryFitQR is FitQR with the errors of TryFitGram.
func TryFitQR(s beam.Scope, batches beam.PCollection, opt Options) (beam.PCollection, error) {
	return tryFit(s.Scope("scaleout.FitQR"), blsupdate.QR, batches, opt)
}

func tryFit(s beam.Scope, method blsupdate.Method, batches beam.PCollection, opt Options) (beam.PCollection, error) {
	f, err := newFit(method, opt)
	if err != nil {
		return beam.PCollection{}, err
	}
	states, err := f.states(s.Scope("scaleout.States"), batches)
	if err != nil {
		return beam.PCollection{}, err
	}
	sum, err := merge(s.Scope("scaleout.Merge"), states, f.opt)
	if err != nil {
		return beam.PCollection{}, err
	}
	return f.solve(s.Scope("scaleout.Solve"), sum)
}

// A fit has what its steps share.
type fit struct {
	method blsupdate.Method
	opt    Options // resolved
	model  modelRef
	base   *base
}

func newFit(method blsupdate.Method, opt Options) (*fit, error) {
	if method != blsupdate.Gram && method != blsupdate.QR {
		panic("scaleout: the method is neither Gram nor QR")
	}
	opt, err := opt.resolve()
	if err != nil {
		return nil, err
	}
	ref, b, err := newModelRef(context.Background(), opt.Model)
	if err != nil {
		return nil, err
	}
	return &fit{method, opt, ref, b}, nil
}
