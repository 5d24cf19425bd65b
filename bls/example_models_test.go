package bls_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/dataset"
	"blskernel/mat"
)

// A classifier learns synthetic digits in three batches. The feature maps are fitted to the first one;
// from then on only the output layer changes.
func ExampleClassifier() {
	train, test := dataset.Digits(1500, 1), dataset.Digits(1000, 2)
	// Fit chooses what is left out: here, all but the nodes and the scaling, which suits images.
	c := bls.Classifier{Features: bls.FeatureOptions{Scaling: bls.ScaleSamples, EnhancementNodes: 100}, Classes: train.Classes}
	for _, batch := range [][2]int{{0, 500}, {500, 1000}, {1000, 1500}} {
		from, to := batch[0], batch[1]
		check(c.PartialFit(train.Dense(from, to), train.LabelsInt(from, to)))
		accuracy, err := c.Score(test.Dense(0, 1000), test.LabelsInt(0, 1000))
		check(err)
		fmt.Printf("%4d samples: more than 9 of 10 are right: %v\n", to, accuracy > 0.9)
	}

	predicted, err := c.Predict(test.Dense(0, 5))
	check(err)
	fmt.Println("predicted", predicted, "are", test.LabelsInt(0, 5))

	// A label for which the model has no class is an error, and changes nothing.
	fmt.Println(c.PartialFit(test.Dense(0, 2), []int{3, 10}))
	// Output:
	//  500 samples: more than 9 of 10 are right: true
	// 1000 samples: more than 9 of 10 are right: true
	// 1500 samples: more than 9 of 10 are right: true
	// predicted [8 9 2 4 0] are [8 9 2 4 0]
	// bls: label 10 at index 1 is out of range; want 0 to 9
}

// A regressor learns a function of two quantities, the columns of a table, in two batches. Fit chooses
// the settings that are left out: the scaling, Shrink and Lambda.
func ExampleRegressor() {
	r := bls.Regressor{
		Features: bls.FeatureOptions{Groups: 1, GroupNodes: 6, EnhancementNodes: 30, Seed: 1},
		Method:   blsupdate.Gram,
	}
	f := func(u, v float64) float64 { return 20 + math.Sin(3*u)*math.Exp(v) }
	// grid returns n×n points of the unit square, and f at these points.
	grid := func(n int, offset float64) (x, y *mat.Dense) {
		x, y = mat.NewDense(n*n, 2, nil), mat.NewDense(n*n, 1, nil)
		for i := range n * n {
			u, v := (float64(i/n)+offset)/float64(n), (float64(i%n)+offset)/float64(n)
			copy(x.RawRowView(i), []float64{u, v})
			y.Set(i, 0, f(u, v))
		}
		return x, y
	}
	for _, offset := range []float64{0.25, 0.75} {
		x, y := grid(20, offset)
		check(r.PartialFit(x, y))
	}

	x, y := grid(13, 0.5)
	r2, err := r.Score(x, y)
	check(err)
	fmt.Printf("R² = %.3f\n", r2)

	var kept bytes.Buffer
	check(r.Encode(&kept))
	again, err := bls.DecodeRegressor(&kept, nil)
	check(err)
	p, err := again.Predict(mat.NewDense(1, 2, []float64{0.5, 0.5}))
	check(err)
	fmt.Printf("predicted %.1f, is %.1f\n", p.At(0, 0), f(0.5, 0.5))
	// Output:
	// R² = 1.000
	// predicted 21.6, is 21.6
}

// check ends the example if err is not nil.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

// A classifier is fitted to a few samples to obtain its feature maps. The samples to learn are in three
// parts, which may be on three machines. Each machine expands its part and starts an output layer
// without a ridge. The three layers are merged and given the ridge; the classifier then equals one that
// learned all samples.
func ExampleClassifier_WithUpdater() {
	train, test := dataset.Digits(1500, 1), dataset.Digits(500, 2)
	base := &bls.Classifier{Features: bls.FeatureOptions{Groups: 5, EnhancementNodes: 100, Seed: 1}, Classes: 10}
	check(base.Fit(train.Dense(0, 300), train.LabelsInt(0, 300)))
	var sum blsupdate.Updater
	for _, part := range [][2]int{{0, 500}, {500, 1000}, {1000, 1500}} {
		from, to := part[0], part[1]
		a, y, err := base.Expand(train.Dense(from, to), train.LabelsInt(from, to))
		check(err)
		u, err := blsupdate.New(blsupdate.Gram, a, y, blsupdate.Options{})
		check(err)
		if sum == nil {
			sum = u
		} else {
			check(sum.Merge(u))
		}
	}
	check(sum.SetLambda(1e-6))
	c, err := base.WithUpdater(sum)
	check(err)
	accuracy, err := c.Score(test.Dense(0, 500), test.LabelsInt(0, 500))
	check(err)
	fmt.Printf("by %v with lambda = %g: %d samples, more than 9 of 10 are right: %v\n", c.Method, c.Update.Lambda, c.Updater().Samples(), accuracy > 0.9)
	// Output:
	// by gram with lambda = 1e-06: 1500 samples, more than 9 of 10 are right: true
}

// Tune searches more widely than Fit, and sets the fields. A bound on its operations bounds its time.
func ExampleClassifier_Tune() {
	train, test := dataset.Digits(600, 1), dataset.Digits(200, 2)
	c := bls.Classifier{Features: bls.FeatureOptions{Scaling: bls.ScaleSamples, Groups: 3, EnhancementNodes: 100}}
	tuned, err := c.TuneContext(context.Background(), train.Dense(0, 600), train.LabelsInt(0, 600), bls.TuneOptions{Flops: 1e9})
	check(err)
	check(c.Fit(train.Dense(0, 600), train.LabelsInt(0, 600)))
	accuracy, err := c.Score(test.Dense(0, 200), test.LabelsInt(0, 200))
	check(err)
	fmt.Println(c.Features.Shrink > 0, c.Update.Lambda > 0, tuned.HeldOut, accuracy > 0.9)
	// Output:
	// true true 600 true
}

// The target depends on two of the three columns, and more on one than on the other.
func ExampleRegressor_Importance() {
	const l = 400
	random := rand.New(rand.NewPCG(1, 1))
	x, y := mat.NewDense(l, 3, nil), mat.NewDense(l, 1, nil)
	for i := range l {
		for j := range 3 {
			x.Set(i, j, random.Float64())
		}
		y.Set(i, 0, 3*x.At(i, 0)+x.At(i, 2))
	}
	r := &bls.Regressor{}
	if err := r.Fit(x, y); err != nil {
		panic(err)
	}
	of, err := r.Importance(x, y, bls.ImportanceOptions{Repeats: 20})
	if err != nil {
		panic(err)
	}
	for j, fall := range of.Mean {
		fmt.Printf("column %d: R2 falls by %.1f\n", j, math.Abs(fall))
	}
	// Output:
	// column 0: R2 falls by 1.7
	// column 1: R2 falls by 0.0
	// column 2: R2 falls by 0.2
}
