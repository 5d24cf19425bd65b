package scaleout

import (
	"fmt"
	"strings"

	"blskernel/blsupdate"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window/trigger"
)

// FitGram fits the output layer of a model to all samples of batches, a PCollection<Batch> such as that
// of Read, by the method blsupdate.Gram: States, Merge and Solve. The result is a PCollection<Model> of
// one element. Up to rounding it is the model of one process with the same samples, feature maps and
// ridge, whatever the shards, bundles and workers, and however often a bundle runs.
//
//	cost: for each sample that of bls.Features.Transform, and k² + 2ck flops for the state; k³/3
//	once.
//	panics: for invalid options, a model file that cannot be read, and batches that are unbounded,
//	in windows, or of another type.
//	errors, of the pipeline: those of States and Solve.
func FitGram(s beam.Scope, batches beam.PCollection, opt Options) beam.PCollection {
	return newFit(blsupdate.Gram, opt).all(s.Scope("scaleout.FitGram"), batches)
}

// FitQR is FitGram by the method blsupdate.QR, whose errors grow with the condition number of the nodes
// instead of its square. A sample takes 2k² + 4ck flops, a merger 2k³/3.
func FitQR(s beam.Scope, batches beam.PCollection, opt Options) beam.PCollection {
	return newFit(blsupdate.QR, opt).all(s.Scope("scaleout.FitQR"), batches)
}

// A fit is what the steps of a fit share.
type fit struct {
	method blsupdate.Method
	opt    Options // resolved
	model  withModel
}

func newFit(method blsupdate.Method, opt Options) *fit {
	if method != blsupdate.Gram && method != blsupdate.QR {
		panic("scaleout: the method is neither Gram nor QR")
	}
	opt = opt.resolve()
	return &fit{method, opt, useModel(opt.Model)}
}

func (f *fit) all(s beam.Scope, batches beam.PCollection) beam.PCollection {
	return f.solve(s, merge(s, f.states(s, batches), f.opt))
}

// checkBounded panics for a collection that does not determine one model: one without an end, one in
// windows, each of which would be another fit, and one with a trigger, which may emit a sum twice.
func checkBounded(name string, col beam.PCollection) {
	if !col.IsValid() {
		panic(fmt.Errorf("scaleout: the PCollection of %s is not valid", name))
	}
	// A PCollection tells in no other way whether it is bounded.
	if strings.HasSuffix(col.String(), ":unbounded}") {
		panic(fmt.Errorf("scaleout: the PCollection of %s is unbounded; fit to bounded ones", name))
	}
	strategy := col.WindowingStrategy()
	if kind := strategy.Fn.Kind; kind != window.GlobalWindows {
		panic(fmt.Errorf("scaleout: the PCollection of %s is in windows (%s); use the global window", name, kind))
	}
	switch t := strategy.Trigger.(type) {
	case nil, trigger.DefaultTrigger, *trigger.DefaultTrigger:
	default:
		panic(fmt.Errorf("scaleout: the PCollection of %s has the trigger %v; use the default trigger", name, t))
	}
}
