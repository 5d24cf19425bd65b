package dataset

import "fmt"

// mnistClasses is the number of classes of MNIST and of the sets that follow it.
const mnistClasses = 10

// mnistFiles are the names of MNIST's files: training images and labels, test images and labels.
var mnistFiles = [4]string{
	"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte",
}

// FindMNIST returns the paths of the images and the labels of the training set, or of the test set, in
// a folder with files named as MNIST's, in any spelling of [FindFile].
//
//	errors: *MissingError (errors.Is fs.ErrNotExist) without the folder or a file; *FormatError if
//	dir is a file or a folder has the name of a file; any other error is the operating system's.
func FindMNIST(dir string, test bool) (images, labels string, err error) {
	names := mnistFiles[:2]
	if test {
		names = mnistFiles[2:]
	}
	paths, err := findSet(dir, names)
	if err != nil {
		return "", "", err
	}
	return paths[0], paths[1], nil
}

// LoadMNIST reads a training and a test set from four idx files named as MNIST's:
//
//	train-images-idx3-ubyte   train-labels-idx1-ubyte
//	t10k-images-idx3-ubyte    t10k-labels-idx1-ubyte
//
// Each may be plain or gzip, which its content decides, in any spelling of [FindFile]. Labels are 0 to
// 9. Classes is 1 + the largest label of both sets, 10 for MNIST. Name is the folder's name followed by
// "(train)" or "(test)".
//
//	memory: the unpacked bytes, 55 MB for MNIST, and up to as much again while it reads.
//	errors: *MissingError (errors.Is fs.ErrNotExist) without the folder or a file; *FormatError
//	(errors.Is ErrFormat) if dir is a file, a folder has the name of a file, a file is malformed
//	(see [ReadIDXImages]), a label is above 9, or the files differ in number or size of images; any
//	other error is the operating system's, wrapped.
func LoadMNIST(dir string) (train, test *Images, err error) {
	paths, err := findSet(dir, mnistFiles[:])
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
