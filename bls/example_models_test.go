package bls_test

import (
	"fmt"
	"math"

	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/dataset"
	"blskernel/mat"
)

// A classifier learns synthetic digits in three batches. The feature maps are fitted to the first one;
// from then on only the output layer changes.
func ExampleClassifier() {
	train, test := dataset.Digits(1500, 1), dataset.Digits(1000, 2)
	c := bls.Classifier{
		Features: bls.FeatureOptions{Groups: 5, EnhancementNodes: 150, Seed: 1},
		Method:   blsupdate.Improved,
		Classes:  train.Classes,
	}
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

	// A label that the model has no class for is an error, and changes nothing.
	fmt.Println(c.PartialFit(test.Dense(0, 2), []int{3, 10}))
	// Output:
	//  500 samples: more than 9 of 10 are right: true
	// 1000 samples: more than 9 of 10 are right: true
	// 1500 samples: more than 9 of 10 are right: true
	// predicted [8 9 2 4 0] are [8 9 2 4 0]
	// bls: label 10 of sample 1; want 0 to 9
}

// A regressor learns a function of two quantities in two batches. They are the columns of a table,
// which ScaleColumns is for.
func ExampleRegressor() {
	r := bls.Regressor{
		Features: bls.FeatureOptions{Scaling: bls.ScaleColumns, Groups: 1, GroupNodes: 6, EnhancementNodes: 30, Seed: 1},
		Method:   blsupdate.Improved,
		Update:   blsupdate.Options{Lambda: 0x1p-30},
	}
	f := func(u, v float64) float64 { return 20 + math.Sin(3*u)*math.Exp(v) }
	// grid returns n×n points of the unit square and f there.
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

	p, err := r.Predict(mat.NewDense(1, 2, []float64{0.5, 0.5}))
	check(err)
	fmt.Printf("predicted %.1f, is %.1f\n", p.At(0, 0), f(0.5, 0.5))
	// Output:
	// R² = 1.000
	// predicted 21.6, is 21.6
}

// check ends an example that fails.
func check(err error) {
	if err != nil {
		panic(err)
	}
}
