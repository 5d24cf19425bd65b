package stream_test

import (
	"context"
	"fmt"
	"strings"

	"blskernel/dataset/stream"
)

// The program peeks at standard input, here a string, before it chooses columns, and loses no sample.
// The first line has numbers over numbers and a word over a word, so it is no header.
func ExampleReader_Select() {
	const text = "5.1,3.5,setosa\n7.0,3.2,versicolor\n6.3,3.3,virginica\n"
	r, err := stream.Open(context.Background(), []string{"-"}, stream.Options{Stdin: strings.NewReader(text)})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	var h stream.Heading = r.Heading()
	fmt.Println(h.Format, h.Columns, h.First, h.HasHeader)

	if err := r.Select(stream.Selection{Targets: []string{"3"}, Classes: true}); err != nil {
		fmt.Println(err)
		return
	}
	first, err := r.Peek(1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(first.Labels, r.Heading().HasHeader)

	batch, err := r.Next(100)
	if err != nil {
		fmt.Println(err)
		return
	}
	var place stream.Place = batch.Where(2)
	fmt.Println(batch.Labels, place)
	// Output:
	// csv 3 [5.1 3.5 setosa] false
	// [setosa] false
	// [setosa versicolor virginica] standard input:3
}

// A header of numbers, such as years, must be told from samples.
func ExampleHeader() {
	const text = "2023,2024\n1.5,2.5\n"
	for _, header := range []stream.Header{stream.HeaderAuto, stream.HeaderPresent} {
		r, err := stream.Open(context.Background(), []string{"-"}, stream.Options{Header: header, Stdin: strings.NewReader(text)})
		if err != nil {
			fmt.Println(err)
			return
		}
		batch, err := r.Next(10)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r.Inputs(), batch.X.RawMatrix().Data)
		if err := r.Close(); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// [] [2023 2024 1.5 2.5]
	// [2023 2024] [1.5 2.5]
}
