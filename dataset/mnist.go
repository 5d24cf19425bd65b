package dataset

import "blskernel/dataset/internal/sets"

var mnist = format{
	files: sets.MNIST, classes: 10, want: "n×rows×columns",
	size: func(shape []int64) (rows, cols int) {
		if len(shape) != 3 {
			return 0, 0
		}
		return int(shape[1]), int(shape[2])
	},
	add: func(pixels, panel []byte) []byte { return append(pixels, panel...) },
}

// FindMNIST returns the paths of the images and the labels of the training set, or of the test set if
// test is true. The files in dir must be named like MNIST's, in any spelling that [LoadMNIST] accepts.
//
//	errors: one that matches fs.ErrNotExist and names the missing files; others for a file in place
//	of the folder, and for a folder or a device in place of a file; errors of the operating system.
func FindMNIST(dir string, test bool) (images, labels string, err error) {
	names := mnist.files[:2]
	if test {
		names = mnist.files[2:]
	}
	paths, err := sets.Find(nil, dir, names)
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
//	errors: as [FindMNIST]; *stream.Error if a file is malformed or unreadable, a label exceeds 9,
//	images and labels differ in number, the sets in image size, or the images of a set exceed 1 GiB.
func LoadMNIST(dir string) (train, test *Images, err error) { return mnist.load(nil, dir) }
