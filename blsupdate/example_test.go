package blsupdate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"blskernel/blsupdate"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// Three samples of two features, then a fourth one.
func Example() {
	a := mat.NewDense(3, 2, []float64{
		1, 0,
		0, 1,
		1, 1,
	})
	y := mat.NewDense(3, 1, []float64{1, 2, 3})
	u, err := blsupdate.New(blsupdate.Improved, a, y, blsupdate.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	w, _ := u.Weights()
	fmt.Printf("l = %d: W = [%.4f %.4f]\n", u.Samples(), w.At(0, 0), w.At(1, 0))

	if err := u.AddInputs(mat.NewDense(1, 2, []float64{1, -1}), mat.NewDense(1, 1, []float64{4})); err != nil {
		fmt.Println(err)
		return
	}
	w, _ = u.Weights()
	fmt.Printf("l = %d: W = [%.4f %.4f]\n", u.Samples(), w.At(0, 0), w.At(1, 0))
	// Output:
	// l = 3: W = [1.0000 2.0000]
	// l = 4: W = [2.6667 0.3333]
}

// A batch that cannot be learned is an error, and the model goes on as if it had not been given.
func ExampleUpdater() {
	a := mat.NewDense(2, 1, []float64{1, 2})
	y := mat.NewDense(2, 1, []float64{2, 4})
	u, err := blsupdate.New(blsupdate.Original, a, y, blsupdate.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = u.AddInputs(mat.NewDense(1, 2, []float64{1, 1}), mat.NewDense(1, 1, []float64{1}))
	var shape *blsupdate.ShapeError
	fmt.Println(errors.As(err, &shape), err)
	fmt.Println(u.Samples(), "samples")
	// Output:
	// true blsupdate: Ax is 1×2; want 1 columns, as before
	// 2 samples
}

// Every step of an update with the flops that the backend was asked for.
func ExampleReport() {
	a := mat.NewDense(4, 2, []float64{1, 0, 0, 1, 1, 1, 1, 2})
	y := mat.NewDense(4, 1, []float64{1, 2, 3, 4})
	u, _ := blsupdate.New(blsupdate.Improved, a, y, blsupdate.Options{Form: blsupdate.Small})
	if err := u.AddInputs(mat.NewDense(2, 2, []float64{2, 1, 0, 3}), mat.NewDense(2, 1, []float64{5, 6})); err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range u.Report().Steps {
		fmt.Printf("%-18s %-5s %3.0f %3.0f\n", s.Step, s.Formula, s.Model, s.Counted)
	}
	// Output:
	// checks             0       0   0
	// D' = Ax A+         2qkl   32  32
	// Dbar = A+ D        2qkl   32  32
	// inner product      q²k     8   8
	// inverse            q³      8   8
	// B                  2q²k   16  16
	// A+ - B D'          2qkl   32  32
	// W + B (Ya - Ax W)  4cqk   16  16
}

// A model is kept in a buffer, as it could be in a file, and goes on from there.
func ExampleEncode() {
	a := mat.NewDense(3, 2, []float64{
		1, 0,
		0, 1,
		1, 1,
	})
	y := mat.NewDense(3, 1, []float64{1, 2, 3})
	u, err := blsupdate.New(blsupdate.RidgeInverse, a, y, blsupdate.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var kept bytes.Buffer
	if err := blsupdate.Encode(&kept, u); err != nil {
		fmt.Println(err)
		return
	}

	again, err := blsupdate.Decode(&kept, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	ax, ya := mat.NewDense(1, 2, []float64{1, -1}), mat.NewDense(1, 1, []float64{4})
	for _, model := range []blsupdate.Updater{u, again} {
		if err := model.AddInputs(ax, ya); err != nil {
			fmt.Println(err)
			return
		}
	}
	w, _ := u.Weights()
	v, _ := again.Weights()
	fmt.Println(again.Method(), again.Samples(), gonummat.Equal(w, v))
	// Output: ridge-inverse 4 true
}

// What was not written by Encode, or is not all of it, is a FormatError that says where.
func ExampleDecode() {
	_, err := blsupdate.Decode(strings.NewReader("1,2,3\n4,5,6\n"), nil)
	var format *blsupdate.FormatError
	fmt.Println(errors.As(err, &format))
	fmt.Println(err)
	// Output:
	// true
	// blsupdate: decoding a model: byte 0: this is not the state of a model by blsupdate.Encode
}

// A long update is canceled: the model is what it was.
func ExampleUpdater_addInputsContext() {
	a := mat.NewDense(2, 1, []float64{1, 2})
	y := mat.NewDense(2, 1, []float64{2, 4})
	u, err := blsupdate.New(blsupdate.Gram, a, y, blsupdate.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err = u.AddInputsContext(ctx, a, y)
	fmt.Println(errors.Is(err, context.Canceled), err)
	fmt.Println(u.Samples(), "samples")
	// Output:
	// true blskernel: canceled before the end: context canceled
	// 2 samples
}
