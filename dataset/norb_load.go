package dataset

import (
	"errors"
	"fmt"
	"io/fs"
)

// The names of small NORB's files: images, categories and, optionally, views.
var (
	norbFiles = []string{
		"smallnorb-5x46789x9x18x6x2x96x96-training-dat.mat",
		"smallnorb-5x46789x9x18x6x2x96x96-training-cat.mat",
		"smallnorb-5x01235x9x18x6x2x96x96-testing-dat.mat",
		"smallnorb-5x01235x9x18x6x2x96x96-testing-cat.mat",
	}
	norbInfoFiles = []string{
		"smallnorb-5x46789x9x18x6x2x96x96-training-info.mat",
		"smallnorb-5x01235x9x18x6x2x96x96-testing-info.mat",
	}
)

// LoadNORB reads the training and the test set of small NORB from the files of F. J. Huang and Y.
// LeCun, each plain or gzip, which its content decides, under its name with or without .gz:
//
//	smallnorb-5x46789x9x18x6x2x96x96-training-dat.mat   and -cat.mat
//	smallnorb-5x01235x9x18x6x2x96x96-testing-dat.mat    and -cat.mat
//
// It returns images of 64×32 in 5 classes, the left view of a toy above the right one, reduced as in
// [ReadNORBImages]; small NORB has 24,300 pairs in each set. An info file is optional and must fit its
// set; [LoadNORBInfo] returns it. Name is the folder's name followed by "(train)" or "(test)".
//
//	memory: 100 MB for small NORB, and up to half as much again while it reads.
//	errors: as [LoadMNIST].
func LoadNORB(dir string) (train, test *Images, err error) {
	paths, err := findSet(dir, norbFiles)
	if err != nil {
		return nil, nil, err
	}
	if train, err = loadNORB(dir, paths[0], paths[1], norbInfoFiles[0]); err != nil {
		return nil, nil, err
	}
	if test, err = loadNORB(dir, paths[2], paths[3], norbInfoFiles[1]); err != nil {
		return nil, nil, err
	}
	name := folderName(dir)
	train.Name, test.Name = name+" (train)", name+" (test)"
	return train, test, nil
}

// loadNORB reads a file of images, that of their categories, and checks the info file if there is one.
func loadNORB(dir, datPath, catPath, infoName string) (*Images, error) {
	// The small files come first, so that their faults show before the long read.
	labels, err := readFile(catPath, ReadNORBLabels)
	if err != nil {
		return nil, err
	}
	infoPath, err := FindFile(dir, infoName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	default:
		views, err := readFile(infoPath, ReadNORBInfo)
		if err != nil {
			return nil, err
		}
		if len(views) != len(labels) {
			return nil, &FormatError{File: infoPath, Offset: 8, Msg: fmt.Sprintf("views of %d samples, but %s has %d categories", len(views), catPath, len(labels))}
		}
	}
	s, err := readFile(datPath, ReadNORBImages)
	if err != nil {
		return nil, err
	}
	if len(labels) != s.Len() {
		return nil, &FormatError{File: catPath, Offset: 8, Msg: fmt.Sprintf("%d categories, but %s has %d image pairs", len(labels), datPath, s.Len())}
	}
	s.Labels, s.Classes = labels, norbClasses
	return s, nil
}

// LoadNORBInfo reads the info files of small NORB's training and test set.
//
//	errors: as [LoadNORB].
func LoadNORBInfo(dir string) (train, test []NORBView, err error) {
	paths, err := findSet(dir, norbInfoFiles)
	if err != nil {
		return nil, nil, err
	}
	if train, err = readFile(paths[0], ReadNORBInfo); err != nil {
		return nil, nil, err
	}
	if test, err = readFile(paths[1], ReadNORBInfo); err != nil {
		return nil, nil, err
	}
	return train, test, nil
}
