package bench

import (
	"errors"
	"fmt"

	"blskernel/blsupdate"
	"blskernel/dataset"
	"blskernel/internal/memory"
)

// SamplesError says that the training set is too small for the experiment.
type SamplesError struct {
	Name                    string // of the training set
	Have                    int    // its samples
	Initial, Batch, Updates int    // what is wanted of them
}

// Error names the set, its size, what is wanted of it and what to do.
func (e *SamplesError) Error() string {
	return fmt.Sprintf("bench: %s has %d samples and %d + %d×%d are wanted: lower Initial, Batch or Updates",
		e.Name, e.Have, e.Initial, e.Updates, e.Batch)
}

// Validate returns an error that says which setting cannot be run: a *SamplesError if the training
// set is too small, a *blsupdate.RankError if a method cannot start from fewer samples than nodes. Run
// checks the options of the features and of the update.
func (e *Incremental) Validate() error {
	switch {
	case e.Initial < 1:
		return fmt.Errorf("bench: Initial is %d; want at least 1 sample", e.Initial)
	case e.Updates < 0:
		return fmt.Errorf("bench: Updates is %d; want 0 or more", e.Updates)
	case e.Updates > 0 && e.Batch < 1:
		return fmt.Errorf("bench: Batch is %d; want at least 1 sample", e.Batch)
	case len(e.Variants) == 0:
		return errors.New("bench: Variants is empty; want at least one")
	}
	if err := checkSet("Train", e.Train); err != nil {
		return err
	}
	if e.Test != nil {
		if err := checkSet("Test", e.Test); err != nil {
			return err
		}
	}
	if e.Test != nil && (e.Train.Rows != e.Test.Rows || e.Train.Cols != e.Test.Cols) {
		return fmt.Errorf("bench: the images of Train are %d×%d and those of Test %d×%d; want one size",
			e.Train.Rows, e.Train.Cols, e.Test.Rows, e.Test.Cols)
	}
	if n := e.Train.Len(); e.Initial > n || e.Updates > 0 && e.Batch > (n-e.Initial)/e.Updates {
		return &SamplesError{Name: e.Train.Name, Have: n, Initial: e.Initial, Batch: e.Batch, Updates: e.Updates}
	}
	for _, v := range e.Variants {
		if err := blsupdate.CheckStart(v.Method, v.options(e.Update), e.Initial, e.Nodes()); err != nil {
			return err
		}
	}
	return nil
}

func checkSet(name string, s *dataset.Images) error {
	switch {
	case s == nil || s.Len() == 0:
		return fmt.Errorf("bench: %s has no images", name)
	case len(s.Labels) != s.Len():
		return fmt.Errorf("bench: %s has %d images and %d labels; want as many", name, s.Len(), len(s.Labels))
	}
	return nil
}

// checkMemory returns a *blsupdate.MemoryError where memory is too small for the models of all variants
// at the end with the rows of the last step.
func (e *Incremental) checkMemory() error {
	last := e.Initial
	if e.Updates > 0 {
		last = e.Batch
	}
	need := memory.Floats(last, e.Nodes())
	for _, v := range e.Variants {
		need = memory.Sum(need, blsupdate.StateBytes(v.Method, e.Initial+e.Updates*e.Batch, e.Nodes(), e.Train.Classes))
	}
	return memory.Check(need, "bench", "take fewer variants, nodes or samples",
		"a run of %d variants with %d nodes and %d samples", len(e.Variants), e.Nodes(), e.Initial+e.Updates*e.Batch)
}
