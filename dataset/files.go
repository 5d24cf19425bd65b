package dataset

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// findSet returns the paths of the files of dir with the given names, in their order.
func findSet(dir string, names []string) ([]string, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &MissingError{Dir: dir, Expected: slices.Clone(names)}
	case err != nil:
		return nil, fmt.Errorf("dataset: %w", err)
	case !info.IsDir():
		return nil, &FormatError{File: dir, Offset: -1, Msg: "is a file; want the folder of " + strings.Join(names, ", ")}
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

// FindFile returns the path of the file of dir that the loaders take for a plain name: the first
// regular file in the order plain, .gz, and for names with -idx the same with a dot in place of that
// hyphen.
//
//	errors: fs.ErrNotExist without a file; *FormatError if only something else, such as a folder,
//	has one of the names; any other error is the operating system's, wrapped.
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
			other = &FormatError{File: path, Offset: -1, Msg: "is " + kind + "; want a file"}
		}
	}
	if other != nil {
		return "", other
	}
	return "", fs.ErrNotExist
}

// readFile opens path and calls read. It gives a FormatError the path, which errors of the operating
// system have already.
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

// folderName returns the last element of dir's absolute path, the name of a set.
func folderName(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		return filepath.Base(abs)
	}
	return filepath.Base(dir)
}
