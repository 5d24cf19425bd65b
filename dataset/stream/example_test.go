package stream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"blskernel/dataset/stream"
)

// Labels are read from standard input, here a string, in batches of two samples.
func ExampleOpen() {
	const text = "length,width,species\n5.1,3.5,setosa\n7.0,3.2,versicolor\n6.3,3.3,virginica\n"
	r, err := stream.Open(context.Background(), []string{"-"}, stream.Options{
		Targets: []string{"species"},
		Classes: true,
		Stdin:   strings.NewReader(text),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	fmt.Println(r.Inputs(), "->", r.Targets())
	for {
		batch, err := r.Next(2)
		if err == io.EOF {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(batch.First, batch.X.RawMatrix().Data, batch.Labels)
	}
	// Output:
	// [length width] -> [species]
	// 0 [5.1 3.5 7 3.2] [setosa versicolor]
	// 2 [6.3 3.3] [virginica]
}

// An error names the place of the fault.
func ExampleError() {
	const text = "age,height\n31,1.75\n?,1.62\n"
	r, err := stream.Open(context.Background(), []string{"-"}, stream.Options{Stdin: strings.NewReader(text)})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	_, err = r.Next(100)
	var fault *stream.Error
	if errors.As(err, &fault) {
		fmt.Println(fault.Line, fault.Column, fault.Name)
	}
	fmt.Println(err)
	// Output:
	// 3 1 age
	// stream: standard input:3: column "age" is "?", a missing value; fill in a number or remove the row
}

func ExampleParseFormat() {
	format, err := stream.ParseFormat("NPY")
	fmt.Println(format, err)
	_, err = stream.ParseFormat("xlsx")
	fmt.Println(err)
	// Output:
	// npy <nil>
	// stream: unknown format "xlsx"; known are auto, csv, npy, npz, idx
}

func ExampleParseHeader() {
	header, err := stream.ParseHeader("present")
	fmt.Println(header, err)
	_, err = stream.ParseHeader("yes")
	fmt.Println(err)
	// Output:
	// present <nil>
	// stream: unknown header "yes"; known are auto, present, absent
}
