package main

import (
	"slices"
	"time"

	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/mat"
)

// methodNames are the methods as both sides know them.
var methodNames = []string{"features", "gram", "improved", "original"}

func known(method string) bool { return slices.Contains(methodNames, method) }

// A learner is our side of a method.
type learner struct {
	*experiment
	method string
	maps   *bls.Features
	model  blsupdate.Updater
}

// settings returns the method and options of the output layer. As in the functions for Octave B is solved for, not
// multiplied by an inverse, where there is the choice.
func (l *learner) settings() (blsupdate.Method, blsupdate.Options) {
	opt := blsupdate.Options{Lambda: lambda, Form: blsupdate.Paper, Solve: true}
	switch l.method {
	case "original":
		return blsupdate.Original, opt
	case "improved":
		return blsupdate.Improved, opt
	default:
		return blsupdate.Gram, opt
	}
}

// step runs a step and returns its time and the weights. The time of "features" is that of Algorithm 1; its
// weights are those of Gram. The data are read from the files right before, as Octave does.
func (l *learner) step(step int) (seconds float64, w *mat.Dense, err error) {
	name, cols := "a", l.k()
	if l.method == "features" {
		name, cols = "x", l.testX.RawMatrix().Cols
	}
	a, err := l.read(name, step, cols)
	if err != nil {
		return 0, nil, err
	}
	y, err := l.read("y", step, l.classes)
	if err != nil {
		return 0, nil, err
	}
	began := time.Now()
	if l.method == "features" {
		if step == 0 {
			l.maps, a, err = bls.FitTransformFeatures(a, l.features())
		} else {
			a, err = l.maps.Transform(a)
		}
		seconds = time.Since(began).Seconds()
		if err != nil {
			return 0, nil, err
		}
	}
	if step == 0 {
		m, opt := l.settings()
		l.model, err = blsupdate.New(m, a, y, opt)
	} else {
		err = l.model.AddInputs(a, y)
	}
	if err != nil {
		return 0, nil, err
	}
	w, err = l.model.Weights()
	if l.method != "features" {
		seconds = time.Since(began).Seconds()
	}
	return seconds, w, err
}

// accuracy returns the share of the test samples, with features a, that weights w tell right, in percent.
func (e *experiment) accuracy(a, w *mat.Dense) float64 {
	var scores mat.Dense
	mat.Mul(nil, &scores, a, w)
	return bls.Accuracy(bls.ArgMax(&scores), e.testLabels)
}
