// Package sets finds the files of published data sets in a folder.
package sets

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"blskernel/internal/io/vfs"
)

// The names of the files: training images, training labels, test images, test labels.
var (
	MNIST = []string{"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"}
	NORB  = []string{
		"smallnorb-5x46789x9x18x6x2x96x96-training-dat.mat",
		"smallnorb-5x46789x9x18x6x2x96x96-training-cat.mat",
		"smallnorb-5x01235x9x18x6x2x96x96-testing-dat.mat",
		"smallnorb-5x01235x9x18x6x2x96x96-testing-cat.mat",
	}
)

// Find returns the paths of the files in the folder dir of fsys with the given names, in the order of
// names. A nil fsys stands for vfs.OS.
//
//	errors: one that matches fs.ErrNotExist and names the missing folder or files; others for a file
//	in place of the folder, a folder or a device in place of a file; errors of the operating system.
func Find(fsys vfs.FS, dir string, names []string) ([]string, error) {
	switch info, err := vfs.Stat(fsys, filepath.Clean(dir)); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("dataset: folder %q does not exist; give the folder that has %s: %w", dir, strings.Join(names, ", "), fs.ErrNotExist)
	case err == nil && !info.IsDir():
		return nil, fmt.Errorf("dataset: %s: is not a folder; give the folder that has %s", dir, strings.Join(names, ", "))
	}
	var paths, missing []string
	for _, name := range names {
		path, err := find(fsys, dir, name)
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
		return nil, fmt.Errorf("dataset: folder %q lacks %s (with or without .gz); add what is missing, or name another folder: %w",
			dir, strings.Join(missing, ", "), fs.ErrNotExist)
	}
	return paths, nil
}

// find returns the path of the first regular file in dir with the given name, with or without .gz, and
// with a hyphen or a dot before idx. The error matches fs.ErrNotExist only if no such name exists.
func find(fsys vfs.FS, dir, name string) (string, error) {
	dotted := strings.Replace(name, "-idx", ".idx", 1)
	other := fs.ErrNotExist
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
			other = fmt.Errorf("dataset: %s: is a folder or a device; want a regular file", path)
		}
	}
	return "", other
}
