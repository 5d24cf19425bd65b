package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"time"

	"blskernel/mat"
)

// spin is how long a step waits before it begins: OpenBLAS's threads, of which either side may have some, go on
// spinning for 0.1 s after a call.
const spin = 250 * time.Millisecond

// A row is a step of a method on both sides.
type row struct {
	method         string
	step, samples  int
	octave, ours   []float64 // seconds, by round
	difference     float64   // ‖W - W'‖/‖W'‖, the largest of the rounds; NaN for weights that are not comparable
	octaveAccuracy float64   // percent
	oursAccuracy   float64
	octaveW, oursW *mat.Dense
	octaveA        *mat.Dense // features of the test set by Octave's maps; nil where they are ours
}

// compare runs all steps of all methods and rounds. One method after the other has its model on both sides, since
// pseudoinverses are large.
func (e *experiment) compare(ctx context.Context, p *octave, progress io.Writer) ([]*row, error) {
	var rows []*row
	for _, method := range e.methods {
		of := make([]*row, 1+e.updates)
		for i := range of {
			of[i] = &row{method: method, step: i, samples: e.initial + i*e.batch}
		}
		for round := range e.rounds {
			fmt.Fprintf(progress, "compare: %s, round %d of %d\n", method, round+1, e.rounds)
			l := &learner{experiment: e, method: method}
			for step, r := range of {
				sides := []func() error{
					func() error { return e.stepOctave(p, r) },
					func() error { return e.stepOurs(l, r) },
				}
				if round%2 == 1 {
					slices.Reverse(sides)
				}
				for _, side := range sides {
					if err := ctx.Err(); err != nil {
						return nil, err
					}
					runtime.GC()
					time.Sleep(e.rest)
					if err := side(); err != nil {
						return nil, fmt.Errorf("%s, step %d: %w", method, step, err)
					}
				}
				e.judge(r)
			}
		}
		rows = append(rows, of...)
	}
	return rows, nil
}

func (e *experiment) stepOctave(p *octave, r *row) error {
	seconds, w, err := p.step(r.method, r.step, e.k(), e.classes)
	if err != nil {
		return err
	}
	r.octave, r.octaveW = append(r.octave, seconds), w
	if r.method == "features" {
		r.octaveA, err = p.testFeatures(len(e.testLabels), e.k())
	}
	return err
}

func (e *experiment) stepOurs(l *learner, r *row) error {
	seconds, w, err := l.step(r.step)
	if err != nil {
		return err
	}
	r.ours, r.oursW = append(r.ours, seconds), w
	return nil
}

// judge compares the weights of a step and lets go of them.
func (e *experiment) judge(r *row) {
	a := e.testA
	if r.octaveA != nil {
		a = r.octaveA
		r.difference = math.NaN()
	} else {
		r.difference = max(r.difference, difference(r.oursW, r.octaveW))
	}
	r.octaveAccuracy, r.oursAccuracy = e.accuracy(a, r.octaveW), e.accuracy(e.testA, r.oursW)
	r.octaveW, r.oursW, r.octaveA = nil, nil, nil
}

// difference returns ‖V - W‖/‖W‖ in the Frobenius norm.
func difference(v, w *mat.Dense) float64 {
	var d, n float64
	a, b := v.RawMatrix().Data, w.RawMatrix().Data
	for i := range a {
		d = math.Hypot(d, a[i]-b[i])
		n = math.Hypot(n, b[i])
	}
	return d / n
}

// median returns the median of x.
func median(x []float64) float64 {
	x = slices.Clone(x)
	slices.Sort(x)
	n := len(x)
	return (x[(n-1)/2] + x[n/2]) / 2
}
