package bls_test

import (
	"context"
	"errors"
	"fmt"

	"blskernel/bls"
	"blskernel/mat"
)

// The fit of feature maps, with the mapping of the samples and without it, ends with a context.
func ExampleFitFeaturesContext() {
	x := mat.NewDense(2, 2, []float64{0, 1, 1, 0})
	opt := bls.FeatureOptions{Groups: 1, GroupNodes: 2, EnhancementNodes: 3, Seed: 1}
	f, err := bls.FitFeaturesContext(context.Background(), x, opt)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.FeatureNodes() + f.EnhancementNodes())

	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("no time"))
	_, _, err = bls.FitTransformFeaturesContext(ctx, x, opt)
	fmt.Println(errors.Is(err, context.Cause(ctx)))
	// Output:
	// 5
	// true
}
