package scaleout

import (
	"fmt"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window/trigger"
)

// checkBounded returns an error for a collection of which no single model can be made: one that has no
// end, one in windows, each of which would be another fit, and one with a trigger, by which a sum may
// be handed out more than once.
func checkBounded(name string, col beam.PCollection) error {
	if !col.IsValid() {
		return fmt.Errorf("scaleout: the PCollection of %s is not valid", name)
	}
	// A PCollection does not tell in another way whether it has an end.
	if strings.HasSuffix(col.String(), ":unbounded}") {
		return fmt.Errorf("scaleout: the PCollection of %s has no end, and a model is made when all samples are there: fit to bounded collections, one after the other", name)
	}
	strategy := col.WindowingStrategy()
	if kind := strategy.Fn.Kind; kind != window.GlobalWindows {
		return fmt.Errorf("scaleout: the PCollection of %s is in windows (%s), and a fit is to all samples: put them into the global window", name, kind)
	}
	switch t := strategy.Trigger.(type) {
	case nil, trigger.DefaultTrigger, *trigger.DefaultTrigger:
		return nil
	default:
		return fmt.Errorf("scaleout: the PCollection of %s has the trigger %v, by which samples may come more than once: take the default trigger", name, t)
	}
}
