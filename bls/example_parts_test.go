package bls_test

import (
	"fmt"

	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/dataset"
	"blskernel/mat"
)

// A classifier is fitted to a few samples for its feature maps. The samples to learn are in three
// parts, which may be on three machines: each of them expands its own and makes an output layer of it,
// without a ridge. The three are merged, the sum gets the ridge, and the classifier with it is the one
// that all samples in turn would have made.
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

// There is a row of nodes for each sample, and a row of targets: +1 for its class, and -1 for the
// others.
func ExampleClassifier_Expand() {
	train := dataset.Digits(100, 1)
	c := &bls.Classifier{Features: bls.FeatureOptions{Groups: 2, EnhancementNodes: 30}, Classes: 10}
	check(c.Fit(train.Dense(0, 98), train.LabelsInt(0, 98)))
	a, y, err := c.Expand(train.Dense(98, 100), []int{1, 9})
	check(err)
	fmt.Println(a.Dims())
	fmt.Println(y.RawRowView(0))
	fmt.Println(y.RawRowView(1))
	// Output:
	// 2 50
	// [-1 1 -1 -1 -1 -1 -1 -1 -1 -1]
	// [-1 -1 -1 -1 -1 -1 -1 -1 -1 1]
}

// line returns a regressor that was fitted to three points of y = 2x + 1, with the samples and targets
// of three more.
func line() (r *bls.Regressor, x, y *mat.Dense) {
	r = &bls.Regressor{Features: bls.FeatureOptions{Scaling: bls.ScaleColumns, Groups: 1, GroupNodes: 1}, Method: blsupdate.QR}
	check(r.Fit(mat.NewDense(3, 1, []float64{0, 1, 2}), mat.NewDense(3, 1, []float64{1, 3, 5})))
	return r, mat.NewDense(3, 1, []float64{3, 4, 5}), mat.NewDense(3, 1, []float64{7, 9, 11})
}

// Beside the nodes there is the column of ones, and the mean of the first targets, 3, is subtracted
// from all others.
func ExampleRegressor_Expand() {
	r, x, y := line()
	a, ya, err := r.Expand(x, y)
	check(err)
	fmt.Println("the mean is", r.Center())
	for i := range 3 {
		fmt.Println(a.At(i, 1), ya.At(i, 0))
	}
	// Output:
	// the mean is [3]
	// 1 4
	// 1 6
	// 1 8
}

// An output layer that has never seen the first samples predicts with the mean of their targets all the
// same, since it was subtracted from those that it has seen.
func ExampleRegressor_WithUpdater() {
	r, x, y := line()
	a, ya, err := r.Expand(x, y)
	check(err)
	u, err := blsupdate.New(blsupdate.Gram, a, ya, blsupdate.Options{})
	check(err)
	r, err = r.WithUpdater(u)
	check(err)
	p, err := r.Predict(mat.NewDense(1, 1, []float64{10}))
	check(err)
	fmt.Printf("%v, %d samples: %.6f\n", r.Method, r.Updater().Samples(), p.At(0, 0))
	// Output:
	// gram, 3 samples: 21.000000
}
