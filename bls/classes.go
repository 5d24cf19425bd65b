package bls

import (
	"fmt"

	"blskernel/blsupdate"
	"blskernel/internal/io/memory"
	"blskernel/mat"
)

// Relabel renames the classes: class i becomes class to[i], from 0 to classes-1. Classes with the same
// to[i] are merged. A class that does not occur in to is new and has no samples. The weights become as
// if the model had learned the new labels from the start.
//
//	shapes: to has c elements.
//	reads/writes: on an error the model is unchanged.
//	cost: blsupdate.Updater.MapTargets; a fit if kept samples are enough for the new classes (see
//	KeptRows), or if a fit to them may fail.
//	memory: a copy of the targets of the output layer, with the new classes.
//	errors: ErrNotFitted; *ShapeError if len(to) is not c; *LabelError for an element outside 0 to
//	classes-1; *OptionError for 2³¹-1 classes or more; *MemoryError, before any work;
//	blsupdate.ErrOverflow if the total weight of a class overflows; the errors of MapTargets and,
//	for kept samples, Fit.
func (c *Classifier) Relabel(to []int, classes int) error {
	m := c.model
	if m == nil {
		return ErrNotFitted
	}
	if c := m.targets(); len(to) != c {
		return &ShapeError{Op: "bls", Matrix: "the list of classes", Rows: len(to), Cols: 1, Want: fmt.Sprintf("one row for each class (%d)", c)}
	}
	if classes < 1 || classes >= maxNodes {
		return &OptionError{Op: "bls", Option: "classes", Value: classes, Want: "a number from 1 to 2³¹-2"}
	}
	if err := checkLabels(to, classes); err != nil {
		return err
	}
	if m.kept != nil && !m.kept.relabeled(to, classes).few() {
		// With these classes from the start, the model would keep no samples.
		if err := m.refresh(background, m.kept.relabeled(to, classes)); err != nil {
			return err
		}
		m.kept = nil
	} else if err := m.relabel(to, classes); err != nil {
		return err
	}
	if m.settings.classes != 0 {
		m.settings.classes, c.Classes = classes, classes
	}
	return nil
}

// relabel relabels all that the model has learned, for valid arguments. It changes no settings.
func (m *model) relabel(to []int, classes int) error {
	if err := m.ready(background); err != nil {
		return err
	}
	u := m.updater
	state := func(targets int) int64 {
		return blsupdate.StateBytes(u.Method(), u.Samples(), u.Nodes(), targets)
	}
	bytes := memory.Sum(memory.Floats(len(to)+1, classes+1), state(classes+1)-state(0))
	if err := memory.Check(bytes, "bls", "use fewer classes", "a model of %d classes", classes); err != nil {
		return err
	}
	var counts []count
	if m.counts != nil {
		counts = make([]count, classes)
	}
	for i, of := range m.counts {
		counts[to[i]].rows += of.rows
		counts[to[i]].weight += of.weight
	}
	if err := checkCounts(counts); err != nil {
		return err
	}
	if m.KeptRows() > 0 {
		return m.keep(background, m.kept.relabeled(to, classes), false)
	}
	if err := m.updater.MapTargets(TargetMap(to, classes)); err != nil {
		return err
	}
	m.weights, m.counts, m.calibration = nil, counts, m.calibration.relabeled(to, classes)
	if m.kept != nil {
		m.kept = m.kept.relabeled(to, classes)
	}
	return nil
}

// TargetMap returns the matrix T such that Y T holds the targets after Relabel, for Y from Expand:
// class i becomes class to[i], from 0 to classes-1. If n classes become one, its target is the sum of
// their targets plus n-1 times the constant target. Pass T to blsupdate.Updater.MapTargets for an
// output layer that learns outside the model.
//
//	shapes: to has c elements; T is (c+1)×(classes+1).
//	panics: for an element of to outside 0 to classes-1.
func TargetMap(to []int, classes int) *mat.Dense {
	t := mat.NewDense(1+len(to), 1+classes, nil)
	t.Set(0, 0, 1)
	sources := make([]int, classes)
	for i, j := range to {
		t.Set(1+i, 1+j, 1)
		sources[j]++
	}
	for j, n := range sources {
		t.Set(0, 1+j, float64(n-1))
	}
	return t
}

// classesWith returns the number of classes after learning labels, which add classes if Classes is 0.
func (m *model) classesWith(labels []int) int {
	if m.settings.classes != 0 {
		return m.targets()
	}
	return inferClasses(labels, m.targets())
}

// withTargets returns a copy of the output layer with the given number of targets. The additional
// targets belong to new classes without samples.
func (m *model) withTargets(targets int) (blsupdate.Updater, error) {
	u, err := m.updater.Clone()
	if err != nil {
		return nil, err
	}
	have := u.Targets()
	t := mat.NewDense(have, targets-have, nil)
	for j := range targets - have {
		t.Set(0, j, -1)
	}
	return u, u.AddTargets(t)
}
