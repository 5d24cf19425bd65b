package dataset_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"blskernel/dataset"
)

// idx returns an idx file of bytes.
func idx(dims []uint32, elements ...byte) []byte {
	b := []byte{0, 0, 8, byte(len(dims))}
	for _, d := range dims {
		b = binary.BigEndian.AppendUint32(b, d)
	}
	return append(b, elements...)
}

// Two images of 1×2 pixels with their labels, from any reader.
func ExampleReadIDXImages() {
	set, err := dataset.ReadIDXImages(bytes.NewReader(idx([]uint32{2, 1, 2}, 0, 255, 51, 102)))
	if err != nil {
		fmt.Println(err)
		return
	}
	labels, err := dataset.ReadIDXLabels(bytes.NewReader(idx([]uint32{2}, 7, 1)))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := set.SetLabels(labels); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(set.Len(), set.LabelsInt(0, 2), set.Dense(1, 2).RawRowView(0))

	// A file that ends too early is found when it does, whatever its header promises.
	_, err = dataset.ReadIDXLabels(bytes.NewReader(idx([]uint32{1000}, 7, 1)))
	var format *dataset.FormatError
	fmt.Println(errors.As(err, &format))
	// Output:
	// 2 [7 1] [0.2 0.4]
	// true
}

// The folder has the test set of MNIST, one file packed, and no training set.
func ExampleFindMNIST() {
	dir, err := os.MkdirTemp("", "mnist")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte.gz"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			fmt.Println(err)
			return
		}
	}
	images, labels, err := dataset.FindMNIST(dir, true)
	fmt.Println(filepath.Base(images), filepath.Base(labels), err)

	_, _, err = dataset.FindMNIST(dir, false)
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	// Output:
	// t10k-images-idx3-ubyte t10k-labels-idx1-ubyte.gz <nil>
	// true
}

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
	case errors.As(err, new(*dataset.FormatError)):
		fmt.Println("damaged data:", err)
	case err != nil:
		fmt.Println(err)
	default:
		fmt.Println(train.Len(), test.Len(), train.Features(), train.Classes)
	}
	// Output: no data
}

// The whitening is fitted to some samples and applied to others.
func ExampleFitZCA() {
	train, test := dataset.Digits(200, 1), dataset.Digits(5, 2)
	z, err := dataset.FitZCA(train.Dense(0, 200), dataset.ZCAOptions{
		RowConstant: dataset.ZCAUnitRows, EigenvalueConstant: dataset.ZCAUnitValues,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	x := test.Dense(0, 5)
	if err := z.Transform(x); err != nil {
		fmt.Println(err)
		return
	}
	rows, cols := x.Dims()
	fmt.Println(rows, cols, z.Features())
	// Output: 5 784 784
}
