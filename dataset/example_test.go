package dataset_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"blskernel/dataset"
)

// check ends an example at an error.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

// The folder has the test set of MNIST, one file gzipped, and no training set.
func ExampleLoadMNIST() {
	dir, err := os.MkdirTemp("", "mnist")
	check(err)
	defer os.RemoveAll(dir)
	for _, name := range []string{"t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte.gz"} {
		check(os.WriteFile(filepath.Join(dir, name), nil, 0o666))
	}
	images, labels, err := dataset.FindMNIST(dir, true)
	fmt.Println(filepath.Base(images), filepath.Base(labels), err)

	// The message names the folder and the files that belong in it.
	_, _, err = dataset.LoadMNIST(dir)
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	// Output:
	// t10k-images-idx3-ubyte t10k-labels-idx1-ubyte.gz <nil>
	// true
}

func ExampleDigits() {
	train, test := dataset.Digits(200, 1), dataset.Digits(5, 2)
	fmt.Printf("%s (synthetic: %v): %d to train on, %d to test on\n", train.Name, train.Synthetic, train.Len(), test.Len())
	rows, cols := test.Dense(0, 5).Dims()
	fmt.Println(rows, cols)
	// Output:
	// synthetic digits (synthetic: true): 200 to train on, 5 to test on
	// 5 784
}
