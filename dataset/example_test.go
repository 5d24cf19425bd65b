package dataset_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"blskernel/dataset"
)

// check ends an example at an error.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

// The folder has the test set of MNIST, one file gzipped, and no training set. The message of the error
// names the folder and the missing files.
func ExampleLoadMNIST() {
	dir, err := os.MkdirTemp("", "mnist")
	check(err)
	defer os.RemoveAll(dir)
	for _, name := range []string{"t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte.gz"} {
		check(os.WriteFile(filepath.Join(dir, name), nil, 0o666))
	}
	_, _, err = dataset.LoadMNIST(dir)
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	_, missing, _ := strings.Cut(err.Error(), "lacks ")
	fmt.Println(missing)
	// Output:
	// true
	// train-images-idx3-ubyte, train-labels-idx1-ubyte (with or without .gz); add what is missing, or name another folder: file does not exist
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
