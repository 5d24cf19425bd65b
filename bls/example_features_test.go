package bls_test

import (
	"fmt"

	"blskernel/bls"
	"blskernel/mat"
)

// Four samples of three features become four rows of A = [Z, H], and a sample that comes later is
// mapped by the same settings.
func ExampleFitFeatures() {
	x := mat.NewDense(4, 3, []float64{
		0.0, 0.2, 0.9,
		0.1, 0.3, 0.7,
		0.8, 0.5, 0.1,
		0.9, 0.4, 0.0,
	})
	f, err := bls.FitFeatures(x, bls.FeatureOptions{Groups: 2, GroupNodes: 3, EnhancementNodes: 5, Seed: 1})
	check(err)
	a, err := f.Transform(x)
	check(err)
	l, k := a.Dims()
	fmt.Printf("A is %d×%d: %d feature nodes, %d enhancement nodes\n", l, k, f.FeatureNodes(), f.EnhancementNodes())

	_, err = f.Transform(mat.NewDense(1, 2, nil))
	fmt.Println(err)
	// Output:
	// A is 4×11: 6 feature nodes, 5 enhancement nodes
	// bls: X is 1×2; want 3 columns, as the samples of the fit
}

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
