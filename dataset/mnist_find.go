package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return paths, &MissingError{Dir: dir}
	case err != nil:
		return paths, fmt.Errorf("dataset: %w", err)
	case !info.IsDir():
		return paths, &FormatError{File: dir, Offset: -1, Msg: "is a file, want the folder that holds " + strings.Join(mnistFiles[:], ", ")}
	}
	var missing []string
	for i, name := range mnistFiles {
		path, err := findFile(dir, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, name)
		case err != nil:
			return paths, err
		}
		paths[i] = path
	}
	if missing != nil {
		return paths, &MissingError{Dir: dir, Missing: missing}
	}
	return paths, nil
}

// findFile returns the path of the first regular file among the spellings of name in dir. Where
// there is none it returns a FormatError if something else bears such a name, and otherwise
// fs.ErrNotExist.
func findFile(dir, name string) (string, error) {
	dotted := strings.Replace(name, "-idx", ".idx", 1)
	var other error
	for _, spelling := range [...]string{name, name + ".gz", dotted, dotted + ".gz"} {
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
			other = &FormatError{File: path, Offset: -1, Msg: "is " + kind + ", want an idx file"}
		}
	}
	if other != nil {
		return "", other
	}
	return "", fs.ErrNotExist
}
