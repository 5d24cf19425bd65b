package stream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing/fstest"

	"blskernel/dataset/stream"
)

// check ends an example at an error.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

// Labels are read from standard input, here a string, in batches of two samples.
func ExampleOpen() {
	const text = "length,width,species\n5.1,3.5,setosa\n7.0,3.2,versicolor\n6.3,3.3,virginica\n"
	r, err := stream.Open(context.Background(), []string{"-"}, stream.Options{
		Targets: []string{"species"},
		Classes: true,
		Stdin:   strings.NewReader(text),
	})
	check(err)
	defer r.Close()
	fmt.Println(r.Inputs(), "->", r.Targets())
	for {
		batch, err := r.Next(2)
		if err == io.EOF {
			break
		}
		check(err)
		fmt.Println(batch.First, batch.X.RawMatrix().Data, batch.Labels)
	}
	// Output:
	// [length width] -> [species]
	// 0 [5.1 3.5 7 3.2] [setosa versicolor]
	// 2 [6.3 3.3] [virginica]
}

func ExampleParseFormat() {
	format, err := stream.ParseFormat("NPY")
	fmt.Println(format, err)
	_, err = stream.ParseFormat("xlsx")
	fmt.Println(err)
	header, err := stream.ParseHeader("present")
	fmt.Println(header, err)
	_, err = stream.ParseHeader("yes")
	fmt.Println(err)
	// Output:
	// npy <nil>
	// stream: unknown format "xlsx"; must be one of auto, csv, npy, npz, idx
	// present <nil>
	// stream: unknown header "yes"; must be one of auto, present, absent
}

// A function opens the files, here from an fs.FS. Up to three bad lines are left out and shown.
func ExampleOptions() {
	bucket := fstest.MapFS{
		"2024.csv": {Data: []byte("age,height\n31,1.75\n?,1.62\n28,1.80\n")},
		"2025.csv": {Data: []byte("age,height\n45\n19,1.68\n")},
	}
	bad := 0
	r, err := stream.Open(context.Background(), []string{"2024.csv", "2025.csv"}, stream.Options{
		Targets: []string{"height"},
		Open: func(_ context.Context, path string) (io.ReadCloser, error) {
			return bucket.Open(path)
		},
		Bad: func(e *stream.Error) error {
			if bad++; bad > 3 {
				return errors.New("too many bad lines")
			}
			fmt.Printf("%d %d %q\n", e.Line, e.Column, e.Name)
			fmt.Println(e)
			return nil
		},
	})
	check(err)
	defer r.Close()
	batch, err := r.Next(100)
	check(err)
	fmt.Println(batch.X.RawMatrix().Data, batch.Y.RawMatrix().Data, batch.Where(2))
	// Output:
	// 3 1 "age"
	// stream: 2024.csv:3: column "age" is "?", a missing value; fill in a number or remove the row
	// 2 0 ""
	// stream: 2025.csv:2: the line has 1 cell, but the first line has 2, separated by ','; correct or remove the line
	// [31 28 19] [1.75 1.8 1.68] 2025.csv:3
}

// A program with a flag for Options.Exclude names the flag in its messages, and could set it by itself.
func ExampleError_With() {
	const text = "age,height\n31,1.75\n4l,1.62\n"
	r, err := stream.Open(context.Background(), []string{"-"}, stream.Options{Stdin: strings.NewReader(text)})
	check(err)
	defer r.Close()
	_, err = r.Next(100)
	var fault *stream.Error
	if errors.As(err, &fault) {
		fmt.Println(fault)
		fmt.Println(fault.With(func(advice stream.Remedy) string {
			return "--" + strings.ToLower(advice.Option.String()) + "=" + advice.Value
		}))
	}
	// Output:
	// stream: standard input:3: column "age" is "4l", not a number; correct it, mark it as missing with Options.NA, or leave the column out with Options.Exclude = age
	// stream: standard input:3: column "age" is "4l", not a number; correct it, mark it as missing with --na=, or leave the column out with --exclude=age
}

// The program peeks at standard input, here a string, before it chooses columns, and loses no sample.
// The first line has numbers over numbers and a word over a word, so it is not a header.
func ExampleReader_Select() {
	const text = "5.1,3.5,setosa\n7.0,3.2,versicolor\n6.3,3.3,virginica\n"
	r, err := stream.Open(context.Background(), []string{"-"}, stream.Options{Stdin: strings.NewReader(text)})
	check(err)
	defer r.Close()
	var h stream.Heading = r.Heading()
	fmt.Println(h.Format, h.Columns, h.First, h.HasHeader)

	check(r.Select(stream.Selection{Targets: []string{"3"}, Classes: true}))
	first, err := r.Peek(1)
	check(err)
	fmt.Println(first.Labels, r.Heading().HasHeader)

	batch, err := r.Next(100)
	check(err)
	var place stream.Place = batch.Where(2)
	fmt.Println(batch.Labels, place)
	// Output:
	// csv 3 [5.1 3.5 setosa] false
	// [setosa] false
	// [setosa versicolor virginica] standard input:3
}

// A table with a column of words, a missing cell and percent becomes numbers.
func ExampleReader_Survey() {
	const text = "color,size,kind\nred,1%,a\nblue,,b\nred,3%,a\n"
	var missing stream.Missing
	missing, err := stream.ParseMissing("mean")
	check(err)
	r, err := stream.Open(context.Background(), []string{"-"}, stream.Options{
		Stdin: strings.NewReader(text), Targets: []string{"kind"}, Classes: true, Missing: missing,
	})
	check(err)
	defer r.Close()
	var found *stream.Description
	found, err = r.Survey(1000)
	check(err)
	fmt.Println(found.Columns)
	var size stream.Notation = found.Columns[1].Notation
	fmt.Println("size: read", size)
	selection := r.Selection()
	selection.Columns, selection.TargetNotations = found.Columns, found.Targets
	check(r.Select(selection))
	batch, err := r.Next(1000)
	check(err)
	fmt.Println(r.Inputs())
	fmt.Println(batch.X.RawMatrix().Data)
	var tally stream.Tally = r.Tally()
	fmt.Println(tally.Filled)
	// Output:
	// [{[ blue red] [0 0.3333333 0.6666667] } {[] [2] in percent}]
	// size: read in percent
	// [color= color=blue color=red size]
	// [0 0 1 1 0 1 0 2 0 0 1 3]
	// [0 1]
}
