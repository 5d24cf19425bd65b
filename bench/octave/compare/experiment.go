package main

import (
	"fmt"
	"math"
	"path/filepath"
	"time"

	"blskernel/bls"
	"blskernel/dataset"
	"blskernel/mat"
)

// lambda is the ridge of the paper's experiments.
var lambda = math.Exp2(-30)

// testDigits is the number of synthetic digits in the test set.
const testDigits = 2000

// An experiment is the data of both sides.
type experiment struct {
	options
	name string
	rest time.Duration // before a step

	x, a, y    []*mat.Dense // pixels, features and targets of the first samples and of each batch, until they are exported
	classes    int
	testX      *mat.Dense
	testA      *mat.Dense
	testLabels []int

	folder string // that they are exported to
}

func newExperiment(o options) (*experiment, error) {
	need := o.initial + o.updates*o.batch
	var train, test *dataset.Images
	if o.data == "" {
		train, test = dataset.Digits(need, o.seed), dataset.Digits(testDigits, o.seed+1)
	} else {
		var err error
		if train, test, err = dataset.LoadMNIST(o.data); err != nil {
			return nil, err
		}
	}
	if train.Len() < need {
		return nil, fmt.Errorf("%d samples at first and %d updates by %d are %d, and %s has %d", o.initial, o.updates, o.batch, need, o.data, train.Len())
	}
	e := &experiment{options: o, name: o.data, rest: spin, classes: train.Classes, testX: test.Dense(0, test.Len()), testLabels: test.LabelsInt(0, test.Len())}
	if o.data == "" {
		e.name = "synthetic digits"
	}
	for from, to := 0, o.initial; to <= need; from, to = to, to+o.batch {
		y, err := bls.OneHot(train.LabelsInt(from, to), train.Classes)
		if err != nil {
			return nil, err
		}
		e.x, e.y = append(e.x, train.Dense(from, to)), append(e.y, y)
	}
	f, first, err := bls.FitTransformFeatures(e.x[0], e.features())
	if err != nil {
		return nil, err
	}
	e.a = append(e.a, first)
	for _, x := range e.x[1:] {
		a, err := f.Transform(x)
		if err != nil {
			return nil, err
		}
		e.a = append(e.a, a)
	}
	e.testA, err = f.Transform(e.testX)
	return e, err
}

// features are the settings of Algorithm 1, the same for both sides.
func (e *experiment) features() bls.FeatureOptions {
	return bls.FeatureOptions{
		Groups: e.groups, GroupNodes: e.nodes, EnhancementNodes: e.enhancement, Shrink: bls.DefaultShrink,
		Enhancement: bls.Orthonormal, Seed: e.seed,
	}
}

// export writes all that either side reads. What belongs to a step is not kept: at the paper's size it is 3 GB.
func (e *experiment) export(folder string) error {
	write := func(name string, m *mat.Dense) error { return writeMatrix(filepath.Join(folder, name), m) }
	labels := make([]float64, len(e.testLabels))
	for i, v := range e.testLabels {
		labels[i] = float64(v)
	}
	settings := []float64{lambda, float64(e.groups), float64(e.nodes), float64(e.enhancement), bls.DefaultShrink, float64(e.updates)}
	for _, file := range []struct {
		name string
		m    *mat.Dense
	}{
		{"settings.bin", mat.NewDense(len(settings), 1, settings)},
		{"xt.bin", e.testX}, {"at.bin", e.testA}, {"lt.bin", mat.NewDense(len(labels), 1, labels)},
	} {
		if err := write(file.name, file.m); err != nil {
			return err
		}
	}
	for step := range e.a {
		for name, m := range map[string]*mat.Dense{"x": e.x[step], "a": e.a[step], "y": e.y[step]} {
			if err := write(fmt.Sprintf("%s%d.bin", name, step), m); err != nil {
				return err
			}
		}
	}
	e.folder, e.x, e.a, e.y = folder, nil, nil, nil
	return nil
}

// read returns a matrix of a step, with so many rows as the step has samples.
func (e *experiment) read(name string, step, cols int) (*mat.Dense, error) {
	rows := e.initial
	if step > 0 {
		rows = e.batch
	}
	return readMatrix(filepath.Join(e.folder, fmt.Sprintf("%s%d.bin", name, step)), rows, cols)
}
