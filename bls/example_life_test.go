package bls_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/dataset"
	"blskernel/mat"
)

// A digit that is new to the model becomes a class, samples are unlearned, and older ones fade.
func ExampleClassifier_Remove() {
	train, test := dataset.Digits(2000, 1), dataset.Digits(500, 2)
	labels := train.LabelsInt(0, 2000)
	var early, late []int // digits 0 to 8, and 9
	for i, label := range labels {
		if label == 9 {
			late = append(late, i)
		} else {
			early = append(early, i)
		}
	}
	pick := func(rows []int) (*mat.Dense, []int) {
		all := train.Dense(0, 2000)
		_, d := all.Dims()
		x, y := mat.NewDense(len(rows), d, nil), make([]int, len(rows))
		for i, row := range rows {
			x.SetRow(i, all.RawRowView(row))
			y[i] = labels[row]
		}
		return x, y
	}
	c := bls.Classifier{Features: bls.FeatureOptions{Scaling: bls.ScaleSamples, Shrink: 0.8, EnhancementNodes: 100}, Method: blsupdate.Gram,
		Update: blsupdate.Options{Lambda: 1e-3}}
	x, y := pick(early)
	check(c.Fit(x, y))
	fmt.Println(c.NumClasses(), "classes")
	x, y = pick(late)
	check(c.PartialFit(x, y))
	score, err := c.Score(test.Dense(0, 500), test.LabelsInt(0, 500))
	check(err)
	fmt.Printf("%d classes, better than 90%%: %v\n", c.NumClasses(), score > 0.9)

	check(c.Remove(x, y))
	check(c.Forget(0.5)) // samples learned from now on count twice as much
	fmt.Println("rows of the classes:", c.ClassCounts())
	// Output:
	// 9 classes
	// 10 classes, better than 90%: true
	// rows of the classes: [200 200 200 200 200 200 200 200 200 0]
}

// Two models with the same feature maps learn different samples. Merged, they are one model of all.
func ExampleClassifier_Merge() {
	train, test := dataset.Digits(2000, 1), dataset.Digits(500, 2)
	base := bls.Classifier{Features: bls.FeatureOptions{Scaling: bls.ScaleSamples, Shrink: 0.8, EnhancementNodes: 100}, Method: blsupdate.Gram,
		Update: blsupdate.Options{Lambda: 1e-3}}
	check(base.Fit(train.Dense(0, 500), train.LabelsInt(0, 500)))
	here, err := base.Clone()
	check(err)
	var sent bytes.Buffer // to another machine
	check(base.Encode(&sent))
	there, err := bls.DecodeClassifier(&sent, nil)
	check(err)
	check(here.Refit(train.Dense(0, 1000), train.LabelsInt(0, 1000)))
	check(there.Refit(train.Dense(1000, 2000), train.LabelsInt(1000, 2000)))
	check(here.Merge(there))
	check(here.SetLambda(1e-2))
	score, err := here.Score(test.Dense(0, 500), test.LabelsInt(0, 500))
	check(err)
	fmt.Printf("%d samples, better than 90%%: %v\n", here.Updater().Samples(), score > 0.9)
	// Output: 2000 samples, better than 90%: true
}

// A server predicts while a clone of its model learns. Then the clone replaces the model, and each
// request sees one or the other.
func ExampleClassifier_Clone() {
	train, test := dataset.Digits(1000, 1), dataset.Digits(500, 2)
	first := &bls.Classifier{Features: bls.FeatureOptions{Scaling: bls.ScaleSamples, Shrink: 0.8, EnhancementNodes: 100},
		Method: blsupdate.Gram, Update: blsupdate.Options{Lambda: 1e-3}}
	check(first.Fit(train.Dense(0, 500), train.LabelsInt(0, 500)))
	var serving atomic.Pointer[bls.Classifier]
	serving.Store(first)
	var requests sync.WaitGroup
	for i := range 10 {
		requests.Add(1)
		go func() {
			defer requests.Done()
			_, err := serving.Load().Predict(test.Dense(50*i, 50*i+50))
			check(err)
		}()
	}
	next, err := serving.Load().Clone()
	check(err)
	check(next.PartialFit(train.Dense(500, 1000), train.LabelsInt(500, 1000)))
	serving.Store(next)
	requests.Wait()
	fmt.Println(first.Updater().Samples(), "and", serving.Load().Updater().Samples(), "samples")
	// Output: 500 and 1000 samples
}

// Calibrate measures, on samples that the model has not learned, how sure its predictions can be.
func ExampleClassifier_PredictProba() {
	train, test := dataset.Digits(2000, 1), dataset.Digits(500, 2)
	c := bls.Classifier{Features: bls.FeatureOptions{Scaling: bls.ScaleSamples, EnhancementNodes: 100}, Method: blsupdate.Gram,
		Update: blsupdate.Options{Lambda: 1e-3}, ClassWeight: bls.Balanced}
	check(c.Fit(train.Dense(0, 1500), train.LabelsInt(0, 1500)))
	check(c.Calibrate(train.Dense(1500, 2000), train.LabelsInt(1500, 2000)))
	p, err := c.PredictProba(test.Dense(0, 500))
	check(err)
	labels := test.LabelsInt(0, 500)
	var sure, right float64
	for i, class := range bls.ArgMax(p) {
		sure += p.At(i, class) / 500
		if class == labels[i] {
			right += 1.0 / 500
		}
	}
	fmt.Printf("as sure as right, to 3%%: %v\n", sure-right < 0.03 && right-sure < 0.03)
	weight, err := bls.ParseClassWeight("balanced")
	fmt.Println(weight, err, c.Calibrated())
	var choice bls.Choice = c.Choice()
	fmt.Printf("Shrink is chosen by %d samples, of which each was held out once: %v\n", choice.Rows, choice.HeldOut == choice.Rows)
	// Output:
	// as sure as right, to 3%: true
	// balanced <nil> true
	// Shrink is chosen by 1500 samples, of which each was held out once: true
}

// A sample of weight 3 counts as three.
func ExampleRegressor_FitContext() {
	x := mat.NewDense(4, 1, []float64{1, 2, 3, 4})
	y := mat.NewDense(4, 1, []float64{2, 4, 6, 9})
	r := bls.Regressor{Features: bls.FeatureOptions{Scaling: bls.ScaleColumns, Groups: 1, GroupNodes: 1, EnhancementNodes: bls.None},
		Method: blsupdate.QR, Update: blsupdate.Options{Lambda: 1e-9}}
	check(r.FitContext(context.Background(), x, y, []float64{3, 3, 3, 0}))
	p, err := r.Predict(mat.NewDense(1, 1, []float64{5}))
	check(err)
	fmt.Printf("%.3f\n", p.At(0, 0))
	// Output: 10.000
}
