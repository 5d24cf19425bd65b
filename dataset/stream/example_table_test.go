package stream_test

import (
	"context"
	"fmt"
	"strings"

	"blskernel/dataset/stream"
)

// A table with a column of words and a missing cell becomes numbers.
func ExampleReader_Describe() {
	const text = "color,size,kind\nred,1,a\nblue,,b\nred,3,a\n"
	var missing stream.Missing
	missing, err := stream.ParseMissing("mean")
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := stream.Open(context.Background(), []string{"-"}, stream.Options{
		Stdin: strings.NewReader(text), Targets: []string{"kind"}, Classes: true, Missing: missing,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	columns, err := r.Describe(1000)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(columns)
	selection := r.Selection()
	selection.Columns = columns
	if err := r.Select(selection); err != nil {
		fmt.Println(err)
		return
	}
	batch, err := r.Next(1000)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Inputs())
	fmt.Println(batch.X.RawMatrix().Data)
	var tally stream.Tally = r.Tally()
	fmt.Println(tally.Filled)
	// Output:
	// [{[blue red] [0.3333333 0.6666667]} {[] [2]}]
	// [color=blue color=red size]
	// [0 1 1 1 0 2 0 1 3]
	// [0 1]
}
