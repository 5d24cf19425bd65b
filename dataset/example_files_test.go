package dataset_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"blskernel/dataset"
	"blskernel/mat"
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

// A file by its name, plain or with the ending .gz.
func ExampleFindFile() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "labels.gz"), nil, 0o666); err != nil {
		fmt.Println(err)
		return
	}
	path, err := dataset.FindFile(dir, "labels")
	fmt.Println(filepath.Base(path), err)

	_, _, err = dataset.LoadMNIST(dir)
	var missing *dataset.MissingError
	fmt.Println(errors.As(err, &missing))
	// Output:
	// labels.gz <nil>
	// true
}

// The binary matrices of small NORB: a magic number, the dimensions, at least three of them, and the
// elements.
func ExampleReadMatrixInts() {
	var file []byte
	for _, v := range []uint32{0x1e3d4c54, 1, 3, 1, 1, 0, 4, 2} {
		file = binary.LittleEndian.AppendUint32(file, v)
	}
	dims, categories, err := dataset.ReadMatrixInts(bytes.NewReader(file))
	fmt.Println(dims, categories, err)
	// Output: [3] [0 4 2] <nil>
}

// A whitening that is fitted to some samples and applied to others.
func ExampleFitZCA() {
	train, test := dataset.Digits(200, 1), dataset.Digits(5, 2)
	z, err := dataset.FitZCA(train.Dense(0, 200), dataset.ZCAOptions{
		RowConstant: dataset.ZCAUnitRows, EigenvalueConstant: dataset.ZCAUnitValues,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	var white mat.Dense
	if err := z.Transform(&white, test.Dense(0, 5)); err != nil {
		fmt.Println(err)
		return
	}
	rows, cols := white.Dims()
	fmt.Println(rows, cols, z.Features())
	// Output: 5 784 784
}

// Those of bytes have another magic number.
func ExampleReadMatrixBytes() {
	var file []byte
	for _, v := range []uint32{0x1e3d4c55, 2, 2, 2, 1} {
		file = binary.LittleEndian.AppendUint32(file, v)
	}
	dims, data, err := dataset.ReadMatrixBytes(bytes.NewReader(append(file, 1, 2, 3, 4)))
	fmt.Println(dims, data, err)
	// Output: [2 2] [1 2 3 4] <nil>
}

// A folder has the test set of MNIST, one file packed.
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
	// Output: t10k-images-idx3-ubyte t10k-labels-idx1-ubyte.gz <nil>
}
