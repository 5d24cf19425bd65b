package dataset

import "io"

// mnistClasses is the number of classes of MNIST and of sets modeled on it.
const mnistClasses = 10

var mnist = format{
	files: []string{
		"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte",
	},
	images: ReadIDXImages,
	labels: readDigitLabels,
}

// FindMNIST returns the paths of the images and the labels of the training set, or of the test set if
// test is true. The files in dir must be named like MNIST's, in any spelling that [LoadMNIST] accepts.
//
//	errors: one that matches fs.ErrNotExist and names the files that are missing; *FormatError if
//	dir is a file, or a folder has the name of a file; any other error is the operating system's,
//	wrapped.
func FindMNIST(dir string, test bool) (images, labels string, err error) {
	names := mnist.files[:2]
	if test {
		names = mnist.files[2:]
	}
	paths, err := findSet(nil, dir, names)
	if err != nil {
		return "", "", err
	}
	return paths[0], paths[1], nil
}

// LoadMNIST reads a training and a test set from four idx files named like MNIST's:
//
//	train-images-idx3-ubyte   train-labels-idx1-ubyte
//	t10k-images-idx3-ubyte    t10k-labels-idx1-ubyte
//
// Each name may also have a dot in place of the hyphen before idx, and end in .gz. Each file may be
// plain or gzipped, whatever its name. Labels are 0 to 9. Classes is 1 + the largest label of both
// sets, 10 for MNIST. Name is the folder's name followed by "(train)" or "(test)".
//
//	memory: the unpacked bytes, 55 MB for MNIST, and up to as much again while reading.
//	errors: one that matches fs.ErrNotExist and names the files that are missing; *FormatError if
//	dir is a file, a folder has the name of a file, a file is malformed (see [ReadIDXImages]), a
//	label is above 9, images and labels differ in number, or the two sets differ in image size;
//	any other error is the operating system's, wrapped.
func LoadMNIST(dir string) (train, test *Images, err error) { return mnist.load(nil, dir) }

func readDigitLabels(r io.Reader) ([]byte, error) {
	labels, err := ReadIDXLabels(r)
	for i, v := range labels {
		if v >= mnistClasses {
			return nil, faultf(int64(8+i), "label %d of sample %d is above %d", v, i, mnistClasses-1)
		}
	}
	return labels, err
}
