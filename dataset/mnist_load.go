package dataset

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// mnistClasses is the number of classes that MNIST and the sets made after it have.
const mnistClasses = 10

// LoadMNIST reads a training and a test set from four idx files that are named as MNIST's:
//
//	train-images-idx3-ubyte   train-labels-idx1-ubyte
//	t10k-images-idx3-ubyte    t10k-labels-idx1-ubyte
//
// Each may be plain or gzip, which its content decides, under its name with or without .gz, and may
// have a dot in place of the last hyphen but one (train-images.idx3-ubyte). Of several the first is
// taken, in the order plain, .gz, dot, dot and .gz; a folder of such a name is passed over.
//
// Labels are 0 to 9. Classes, the same in both results, is 1 + the largest label found in either, 10
// for MNIST itself. The images of the two sets have one size. Name is the folder's name followed by
// "(train)" or "(test)".
//
//	memory: the unpacked bytes, 55 MB for MNIST, and while reading up to as much again.
//	errors: *MissingError (errors.Is fs.ErrNotExist) where the folder or files are missing;
//	*FormatError (errors.Is ErrFormat) where dir is a file, a folder stands for a file, a file is
//	malformed (see [ReadIDXImages]), a label is above 9, or the files do not fit each other in
//	number or size of images; any other error is the operating system's, wrapped.
func LoadMNIST(dir string) (train, test *Images, err error) {
	paths, err := findMNIST(dir)
	if err != nil {
		return nil, nil, err
	}
	if train, err = loadIDX(paths[0], paths[1]); err != nil {
		return nil, nil, err
	}
	if test, err = loadIDX(paths[2], paths[3]); err != nil {
		return nil, nil, err
	}
	if test.Rows != train.Rows || test.Cols != train.Cols {
		return nil, nil, &FormatError{File: paths[2], Offset: 8,
			Msg: fmt.Sprintf("images of %d×%d, but those of %s are %d×%d", test.Rows, test.Cols, paths[0], train.Rows, train.Cols)}
	}
	classes := max(train.Classes, test.Classes)
	train.Classes, test.Classes = classes, classes
	name := folderName(dir)
	train.Name, test.Name = name+" (train)", name+" (test)"
	return train, test, nil
}

// loadIDX reads a file of images and the file of their labels.
func loadIDX(imagePath, labelPath string) (*Images, error) {
	s, err := readFile(imagePath, ReadIDXImages)
	if err != nil {
		return nil, err
	}
	labels, err := readFile(labelPath, ReadIDXLabels)
	if err != nil {
		return nil, err
	}
	for i, v := range labels {
		if v >= mnistClasses {
			return nil, &FormatError{File: labelPath, Offset: int64(4 + 4*labelDims + i),
				Msg: fmt.Sprintf("label %d of sample %d is above %d", v, i, mnistClasses-1)}
		}
	}
	if len(labels) != s.Len() {
		return nil, &FormatError{File: labelPath, Offset: 4,
			Msg: fmt.Sprintf("%d labels, but %s has %d images", len(labels), imagePath, s.Len())}
	}
	return s, s.SetLabels(labels)
}

// readFile opens path and returns what read makes of it. A FormatError is given the file's name; the
// errors of the operating system have it already.
func readFile[T any](path string, read func(io.Reader) (T, error)) (T, error) {
	var none T
	f, err := os.Open(path)
	if err != nil {
		return none, fmt.Errorf("dataset: %w", err)
	}
	defer f.Close()
	v, err := read(f)
	if err != nil {
		var format *FormatError
		if errors.As(err, &format) {
			format.File = path
		}
		return none, err
	}
	return v, nil
}
