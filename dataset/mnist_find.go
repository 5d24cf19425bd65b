package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mnistFiles are the names of MNIST's files: training images and labels, test images and labels.
var mnistFiles = [4]string{
	"train-images-idx3-ubyte",
	"train-labels-idx1-ubyte",
	"t10k-images-idx3-ubyte",
	"t10k-labels-idx1-ubyte",
}

// findMNIST returns the paths of the four files, in the order of mnistFiles.
func findMNIST(dir string) (paths [4]string, err error) {
	found, err := findSet(dir, mnistFiles[:])
	if err != nil {
		return paths, err
	}
	return [4]string(found), nil
}

// findSet returns the paths of the files of a set that are needed, in the order of names.
func findSet(dir string, names []string) ([]string, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &MissingError{Dir: dir, Expected: slices.Clone(names)}
	case err != nil:
		return nil, fmt.Errorf("dataset: %w", err)
	case !info.IsDir():
		return nil, &FormatError{File: dir, Offset: -1, Msg: "is a file, want the folder that holds " + strings.Join(names, ", ")}
	}
	paths := make([]string, len(names))
	var missing []string
	for i, name := range names {
		paths[i], err = FindFile(dir, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, name)
		case err != nil:
			return nil, err
		}
	}
	if missing != nil {
		return nil, &MissingError{Dir: dir, Missing: missing, Expected: slices.Clone(names)}
	}
	return paths, nil
}

// FindFile returns the path of the file of dir that the loaders take for the one of the given plain name: the
// first regular file in the order plain, .gz, and for names with -idx as MNIST's the same with a dot in
// place of that hyphen.
//
//	errors: fs.ErrNotExist where there is none; *FormatError where something else, such as a folder,
//	bears one of the names and no file does; any other error is the operating system's, wrapped.
func FindFile(dir, name string) (string, error) {
	spellings := []string{name, name + ".gz"}
	if dotted := strings.Replace(name, "-idx", ".idx", 1); dotted != name {
		spellings = append(spellings, dotted, dotted+".gz")
	}
	var other error
	for _, spelling := range spellings {
		path := filepath.Join(dir, spelling)
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return "", fmt.Errorf("dataset: %w", err)
		case info.Mode().IsRegular():
			return path, nil
		case other == nil:
			kind := "not a regular file"
			if info.IsDir() {
				kind = "a folder"
			}
			other = &FormatError{File: path, Offset: -1, Msg: "is " + kind + ", want a file"}
		}
	}
	if other != nil {
		return "", other
	}
	return "", fs.ErrNotExist
}
