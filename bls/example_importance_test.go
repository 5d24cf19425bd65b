package bls_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"blskernel/bls"
	"blskernel/mat"
)

// A target of two columns out of three, one of which matters more.
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
	of, err := r.Importance(context.Background(), x, y, bls.ImportanceOptions{Repeats: 20})
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
