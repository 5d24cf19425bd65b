package bls_test

import (
	"bytes"
	"fmt"
	"math"

	"blskernel/bls"
	"blskernel/dataset"
	"blskernel/mat"
)

func ExampleOneHot() {
	y, err := bls.OneHot([]int{1, 0, 2}, 3)
	check(err)
	for i := range 3 {
		fmt.Println(y.RawRowView(i))
	}
	fmt.Println(bls.ArgMax(y))
	// Output:
	// [-1 1 -1]
	// [1 -1 -1]
	// [-1 -1 1]
	// [1 0 2]
}

// Rooms with an area in square meters and a price in thousands are columns of different kinds and
// sizes. If each sample is standardized by itself, a room and one of twice the area and price are the
// same. If the columns are standardized, they are not, and the unit of the price does not matter.
func ExampleScaling() {
	rooms := mat.NewDense(4, 2, []float64{
		20, 300,
		40, 600,
		30, 500,
		60, 800,
	})
	for _, name := range []string{"samples", "Columns"} {
		scaling, err := bls.ParseScaling(name)
		check(err)
		f, err := bls.FitFeatures(rooms, bls.FeatureOptions{Scaling: scaling, Groups: 1, GroupNodes: 3, Seed: 1})
		check(err)
		a, err := f.Transform(rooms)
		check(err)
		same := true
		for j := range f.Nodes() {
			same = same && math.Abs(a.At(0, j)-a.At(1, j)) < 1e-9
		}
		fmt.Printf("%v: the first two rooms are the same: %v\n", scaling, same)
	}
	// Output:
	// samples: the first two rooms are the same: true
	// columns: the first two rooms are the same: false
}

// Options left out stand for defaults. Options returns the defaults, also for maps written and read.
func ExampleFeatureOptions() {
	x := dataset.Digits(200, 1).Dense(0, 200)
	f, a, err := bls.FitTransformFeatures(x, bls.FeatureOptions{Groups: 5, EnhancementNodes: 50, Seed: 1})
	check(err)
	fmt.Println(a.Dims())
	var kept bytes.Buffer
	check(f.Encode(&kept))
	f, err = bls.DecodeFeatures(&kept, nil)
	check(err)
	opt := f.Options()
	fmt.Printf("%v scaled, %d groups of %d nodes, %d %v enhancement nodes, s = %v\n",
		opt.Scaling, opt.Groups, opt.GroupNodes, opt.EnhancementNodes, opt.Enhancement, opt.Shrink)
	// Output:
	// 200 100
	// samples scaled, 5 groups of 10 nodes, 50 orthonormal enhancement nodes, s = 0.8
}

// Maps returns all the numbers that turn a sample into a row of A, for a program that computes it
// without this package. Without enhancement nodes, as here, it takes one product.
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
