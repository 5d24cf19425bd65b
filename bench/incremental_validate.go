package bench

import (
	"errors"
	"fmt"

	"blskernel/blsupdate"
	"blskernel/dataset"
	"blskernel/internal/io/memory"
	"blskernel/internal/io/names"
)

// Validate returns an error for an experiment that cannot run. Only Run checks the options of features
// and updates, and the memory. The error is a *blsupdate.RankError if a method needs as many initial
// samples as nodes and there are fewer.
func (e *Incremental) Validate() error {
	switch {
	case e.Initial < 1:
		return fmt.Errorf("bench: Initial is %d; want at least 1 sample", e.Initial)
	case e.Updates < 0:
		return fmt.Errorf("bench: Updates is %d; want 0 or more", e.Updates)
	case e.Updates > 0 && e.Batch < 1:
		return fmt.Errorf("bench: Batch is %d; want at least 1 sample", e.Batch)
	case len(e.Variants) == 0:
		return errors.New("bench: Variants is empty; want at least one variant")
	case e.Whitening != "" && e.Initial < 2:
		return errors.New("bench: Initial is 1; whitening needs at least 2 samples")
	case e.Whitening != "" && whitenings[e.Whitening] == [2]float64{}:
		return fmt.Errorf("bench: Whitening is %q; want %q, %q or an empty string", e.Whitening, WhitenReference, WhitenUnit)
	}
	for i, set := range []*dataset.Images{e.Train, e.Test} {
		switch name := []string{"Train", "Test"}[i]; {
		case name == "Test" && set == nil:
		case set == nil || set.Len() == 0:
			return fmt.Errorf("bench: %s has no images", name)
		case len(set.Labels) != set.Len():
			return fmt.Errorf("bench: %s has %d images and %d labels; want one label for each image", name, set.Len(), len(set.Labels))
		}
	}
	if e.Test != nil && (e.Train.Rows != e.Test.Rows || e.Train.Cols != e.Test.Cols) {
		return fmt.Errorf("bench: the images are %d×%d in Train and %d×%d in Test; want the same size in both",
			e.Train.Rows, e.Train.Cols, e.Test.Rows, e.Test.Cols)
	}
	if n := e.Train.Len(); e.Initial > n || e.Updates > 0 && e.Batch > (n-e.Initial)/e.Updates {
		return fmt.Errorf("bench: %s has %d samples, but %d + %d×%d are needed: use fewer initial samples, fewer updates or smaller batches",
			e.Train.Name, n, e.Initial, e.Updates, e.Batch)
	}
	for _, v := range e.Variants {
		if err := blsupdate.CheckStart(v.Method, v.options(e.Update), e.Initial, e.Nodes()); err != nil {
			return err
		}
	}
	return nil
}

// checkMemory returns a *blsupdate.MemoryError if memory is too small for the final models of all
// variants and the rows of the last step.
func (e *Incremental) checkMemory() error {
	last := e.Initial
	if e.Updates > 0 {
		last = e.Batch
	}
	need := memory.Floats(last, e.Nodes())
	for _, v := range e.Variants {
		need = memory.Sum(need, blsupdate.StateBytes(v.Method, e.Initial+e.Updates*e.Batch, e.Nodes(), e.Train.Classes))
	}
	return memory.Check(need, "bench", "use fewer variants, nodes or samples",
		"a run of %s with %d nodes and %d samples", names.Count(len(e.Variants), "variant"), e.Nodes(), e.Initial+e.Updates*e.Batch)
}
