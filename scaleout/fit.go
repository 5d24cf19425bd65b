package scaleout

import (
	"fmt"

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
//	panics: for invalid options, a model file that cannot be read, and batches in windows or of
//	another type.
//	errors, of the pipeline: those of States and Solve.
func FitGram(s beam.Scope, batches beam.PCollection, opt Options) beam.PCollection {
	return fit(s.Scope("scaleout.FitGram"), blsupdate.Gram, batches, opt)
}

// FitQR is FitGram by the method blsupdate.QR, whose errors grow with the condition number of the nodes
// instead of its square. A sample takes 2k² + 4ck flops, a merger 2k³/3.
func FitQR(s beam.Scope, batches beam.PCollection, opt Options) beam.PCollection {
	return fit(s.Scope("scaleout.FitQR"), blsupdate.QR, batches, opt)
}

func fit(s beam.Scope, method blsupdate.Method, batches beam.PCollection, opt Options) beam.PCollection {
	return Solve(s, Merge(s, States(s, method, batches, opt), opt), opt)
}

// checkWhole panics for a collection that does not determine one model: one in windows, each of which
// would be another fit, and one with a trigger, which may emit a sum twice.
func checkWhole(name string, col beam.PCollection) {
	if !col.IsValid() {
		panic(fmt.Errorf("scaleout: the PCollection of %s is not valid", name))
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
