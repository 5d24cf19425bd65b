package dataset_test

import (
	"errors"
	"fmt"
	"io/fs"

	"blskernel/dataset"
)

func ExampleDigits() {
	train := dataset.Digits(1000, 1)
	test := dataset.Digits(200, 2)
	x := train.Dense(0, 500) // the first batch of 500 rows
	rows, cols := x.Dims()
	fmt.Printf("%s (synthetic: %v): %d to train on, %d to test on\n", train.Name, train.Synthetic, train.Len(), test.Len())
	fmt.Println(rows, cols, len(train.LabelsInt(0, 500)), train.Classes)
	// Output:
	// synthetic digits (synthetic: true): 1000 to train on, 200 to test on
	// 500 784 500 10
}

func ExampleLoadMNIST() {
	train, test, err := dataset.LoadMNIST("testdata/not-there")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		// The message names the folder and the files that belong in it.
		fmt.Println("no data")
	case errors.Is(err, dataset.ErrFormat):
		fmt.Println("damaged data:", err)
	case err != nil:
		fmt.Println(err)
	default:
		fmt.Println(train.Len(), test.Len(), train.Features(), train.Classes)
	}
	// Output: no data
}
