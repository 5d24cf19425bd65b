package bls_test

import (
	"errors"
	"fmt"
	"math"

	"blskernel/bls"
	"blskernel/dataset"
	"blskernel/mat"
)

// What is left out stands for a default; Options has what it stood for.
func ExampleFeatureOptions() {
	x := dataset.Digits(200, 1).Dense(0, 200)
	f, err := bls.FitFeatures(x, bls.FeatureOptions{Groups: 5, EnhancementNodes: 50, Seed: 1})
	check(err)
	opt := f.Options()
	fmt.Printf("%v scaled, %d groups of %d nodes, %d %v enhancement nodes, s = %v\n",
		opt.Scaling, opt.Groups, opt.GroupNodes, opt.EnhancementNodes, opt.Enhancement, opt.Shrink)
	// Output:
	// samples scaled, 5 groups of 10 nodes, 50 orthonormal enhancement nodes, s = 0.8
}

// The weights of the enhancement nodes as the authors' code has them, orthonormal, and as the paper is
// printed, uniform on [-1,1).
func ExampleEnhancementWeights() {
	x := dataset.Digits(100, 1).Dense(0, 100)
	for _, kind := range []bls.EnhancementWeights{bls.Orthonormal, bls.Uniform} {
		f, err := bls.FitFeatures(x, bls.FeatureOptions{Groups: 2, GroupNodes: 3, EnhancementNodes: 4, Enhancement: kind})
		check(err)
		var gram mat.Dense
		w := f.Maps().EnhancementWeights
		gram.Mul(w.T(), w)
		fmt.Printf("%v: the first two columns are orthogonal: %v\n", kind, math.Abs(gram.At(0, 1)) < 1e-14)
	}
	// Output:
	// orthonormal: the first two columns are orthogonal: true
	// uniform: the first two columns are orthogonal: false
}

// Maps has all numbers that turn a sample into a row of A, for a program that computes it without this
// package. Here without enhancement nodes, which leaves one product.
func ExampleFeatureMaps() {
	x := mat.NewDense(4, 2, []float64{
		1, 100,
		2, 300,
		3, 200,
		4, 500,
	})
	f, err := bls.FitFeatures(x, bls.FeatureOptions{Scaling: bls.ScaleColumns, Groups: 1, GroupNodes: 2, Seed: 3})
	check(err)
	m := f.Maps()
	sample := []float64{2.5, 250}
	z := make([]float64, f.Nodes())
	for j := range z {
		t := m.Bias * m.FeatureWeights.At(2, j)
		for i, v := range sample {
			t += (v - m.Means[i]) / m.Deviations[i] * m.FeatureWeights.At(i, j)
		}
		z[j] = (t - m.FeatureMinimum[j]) / m.FeatureRange[j]
	}
	a, err := f.Transform(mat.NewDense(1, 2, sample))
	check(err)
	fmt.Printf("by hand %.6f %.6f, by Transform %.6f %.6f\n", z[0], z[1], a.At(0, 0), a.At(0, 1))
	// Output:
	// by hand 0.454553 0.545447, by Transform 0.454553 0.545447
}

// The maps of a training set turn any later sample into nodes, from several goroutines at once if need
// be.
func ExampleFeatures() {
	digits := dataset.Digits(300, 1)
	f, a, err := bls.FitTransformFeatures(digits.Dense(0, 200), bls.FeatureOptions{Groups: 3, EnhancementNodes: 40})
	check(err)
	l, k := a.Dims()
	fmt.Printf("%d samples of %d inputs have become %d rows of %d nodes\n", l, f.Inputs(), l, k)
	a, err = f.Transform(digits.Dense(200, 300))
	check(err)
	l, k = a.Dims()
	fmt.Printf("%d later ones are mapped by the same settings to %d nodes\n", l, k)
	// Output:
	// 200 samples of 784 inputs have become 200 rows of 70 nodes
	// 100 later ones are mapped by the same settings to 70 nodes
}

func ExampleAccuracy() {
	fmt.Println(bls.Accuracy([]int{3, 1, 4, 1}, []int{3, 1, 4, 2}), "%")
	// Output:
	// 75 %
}

// With very few nodes it may happen that no input of the enhancement nodes is positive, which s/max
// needs.
func ExampleScaleError() {
	x := mat.NewDense(3, 2, []float64{1, 2, 3, 5, 4, 4})
	for seed := range uint64(100) {
		_, err := bls.FitFeatures(x, bls.FeatureOptions{Groups: 1, GroupNodes: 1, EnhancementNodes: 1, Seed: seed})
		var scale *bls.ScaleError
		if errors.As(err, &scale) {
			fmt.Println("the largest input is positive:", scale.Max > 0)
			return
		}
	}
	// Output:
	// the largest input is positive: false
}

// Every error is of a type that errors.As finds, and names the place.
func Example_errors() {
	_, err := bls.OneHot([]int{0, 2, 7}, 3)
	var label *bls.LabelError
	fmt.Println(errors.As(err, &label), err)

	_, err = bls.FitFeatures(mat.NewDense(2, 2, []float64{1, 2, 3, math.NaN()}), bls.FeatureOptions{})
	fmt.Println(err)
	_, err = bls.FitFeatures(mat.NewDense(1, 1, nil), bls.FeatureOptions{Groups: -1})
	fmt.Println(err)
	f, err := bls.FitFeatures(mat.NewDense(3, 2, []float64{1, 2, 3, 5, 4, 4}), bls.FeatureOptions{})
	check(err)
	_, err = f.Transform(mat.NewDense(1, 3, nil))
	fmt.Println(err)
	// Output:
	// true bls: label 7 of sample 2; want 0 to 2
	// bls: element (1,1) of X is NaN; remove the row or fill in a value
	// bls: Groups is -1; want a positive number, or 0 for the default
	// bls: X is 1×3; want 2 columns, as the samples of the fit
}
