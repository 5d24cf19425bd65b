package dataset

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"blskernel/internal/io/vfs"
)

// A format names the files of a data set (training images, training labels, test images, test labels)
// and has the functions that read them.
type format struct {
	files  []string
	images func(io.Reader) (*Images, error)
	labels func(io.Reader) ([]byte, error)
}

// load reads the training and the test set from the folder dir of fsys. A nil fsys stands for vfs.OS.
func (f *format) load(fsys vfs.FS, dir string) (train, test *Images, err error) {
	paths, err := findSet(fsys, dir, f.files)
	if err != nil {
		return nil, nil, err
	}
	if train, err = f.loadPart(fsys, paths[0], paths[1]); err != nil {
		return nil, nil, err
	}
	if test, err = f.loadPart(fsys, paths[2], paths[3]); err != nil {
		return nil, nil, err
	}
	if test.Rows != train.Rows || test.Cols != train.Cols {
		return nil, nil, &FormatError{File: paths[2], Offset: 8,
			Msg: fmt.Sprintf("images are %d×%d, but %s has images of %d×%d", test.Rows, test.Cols, paths[0], train.Rows, train.Cols)}
	}
	train.Classes = max(train.Classes, test.Classes)
	test.Classes = train.Classes
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	name := filepath.Base(dir)
	train.Name, test.Name = name+" (train)", name+" (test)"
	return train, test, nil
}

// loadPart reads a file of images and the file of their labels. The labels are read first, so that
// their faults show before the images, which take longer, are read.
func (f *format) loadPart(fsys vfs.FS, imagePath, labelPath string) (*Images, error) {
	labels, err := readFile(fsys, labelPath, f.labels)
	if err != nil {
		return nil, err
	}
	s, err := readFile(fsys, imagePath, f.images)
	if err != nil {
		return nil, err
	}
	if len(labels) != s.Len() {
		return nil, &FormatError{File: labelPath, Offset: -1,
			Msg: fmt.Sprintf("has %d labels, but %s has %d images", len(labels), imagePath, s.Len())}
	}
	return s, s.SetLabels(labels)
}

// findSet returns the paths of the files in dir with the given names, in the order of names. If some
// are missing, the error names all of them and matches fs.ErrNotExist.
func findSet(fsys vfs.FS, dir string, names []string) ([]string, error) {
	if info, err := vfs.Stat(fsys, dir); err == nil && !info.IsDir() {
		return nil, &FormatError{File: dir, Offset: -1, Msg: "is a file; want the folder with " + strings.Join(names, ", ")}
	}
	var paths, missing []string
	for _, name := range names {
		path, err := findFile(fsys, dir, name)
		switch {
		case err == nil:
			paths = append(paths, path)
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, name)
		default:
			return nil, err
		}
	}
	if missing != nil {
		return nil, fmt.Errorf("dataset: folder %q lacks %s, each with or without .gz; put them there, or name the folder that has them: %w",
			dir, strings.Join(missing, ", "), fs.ErrNotExist)
	}
	return paths, nil
}

// findFile returns the path of the first regular file in dir with the given name, with or without .gz,
// and with a hyphen or a dot before idx. The error matches fs.ErrNotExist if the name does not exist,
// and is a *FormatError if it belongs only to something else, such as a folder.
func findFile(fsys vfs.FS, dir, name string) (string, error) {
	dotted := strings.Replace(name, "-idx", ".idx", 1)
	var other error = fs.ErrNotExist
	for _, spelling := range []string{name, name + ".gz", dotted, dotted + ".gz"} {
		path := filepath.Join(dir, spelling)
		info, err := vfs.Stat(fsys, path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return "", fmt.Errorf("dataset: %w", err)
		case info.Mode().IsRegular():
			return path, nil
		default:
			other = &FormatError{File: path, Offset: -1, Msg: "is a folder or a device; want a regular file"}
		}
	}
	return "", other
}

// readFile opens path and calls read. It adds path to a *FormatError; system errors already contain it.
func readFile[T any](fsys vfs.FS, path string, read func(io.Reader) (T, error)) (T, error) {
	var none T
	f, err := vfs.Open(fsys, path)
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
