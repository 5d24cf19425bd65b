package bls_test

import (
	"errors"
	"fmt"
	"math"

	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/mat"
)

// Rooms with an area in square meters and a price in thousands: columns of different kinds and sizes.
// With the standardisation of each sample by itself a room and one of twice the area and price are the
// same; with that of the columns they are not, and the unit of the price does not matter.
func ExampleScaling() {
	rooms := mat.NewDense(4, 2, []float64{
		20, 300,
		40, 600,
		30, 500,
		60, 800,
	})
	for _, scaling := range []bls.Scaling{bls.ScaleSamples, bls.ScaleColumns} {
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

func ExampleParseScaling() {
	s, err := bls.ParseScaling("Columns")
	fmt.Println(s == bls.ScaleColumns, err)
	_, err = bls.ParseScaling("rows")
	fmt.Println(err)
	// Output:
	// true <nil>
	// bls: unknown scaling "rows"; known are samples, columns, none
}

// A number that is beyond float64 on the way from a sample to its nodes is an error that names the
// sample.
func ExampleOverflowError() {
	x := mat.NewDense(3, 2, []float64{1e-300, 2, 2e-300, 5, 3e-300, 4})
	f, err := bls.FitFeatures(x, bls.FeatureOptions{Scaling: bls.ScaleColumns, Groups: 1, GroupNodes: 2})
	check(err)
	_, err = f.Transform(mat.NewDense(2, 2, []float64{1e-300, 3, 1e10, 3}))
	var overflow *bls.OverflowError
	if errors.As(err, &overflow) {
		fmt.Println("row", overflow.Row, "column", overflow.Col, errors.Is(err, blsupdate.ErrOverflow))
	}
	fmt.Println(err)
	// Output:
	// row 1 column 0 true
	// bls: the distance from the mean of sample 1 at column 0 of X overflows: remove samples that are far beyond the others, or use smaller units
}
