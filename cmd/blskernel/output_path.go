package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"blskernel/bls/modelfile"
)

// checkOutput returns an error if results written to path would take the place of one of the files that
// are read, or of a model.
func checkOutput(path string, read ...string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, name := range read {
		if name == standardInput {
			continue
		}
		if other, err := os.Stat(name); err == nil && os.SameFile(info, other) {
			return usageError{fmt.Errorf("--out is %q, which is read: give another name", path)}
		}
	}
	if !info.Mode().IsRegular() {
		return usageError{fmt.Errorf("--out is %q, which is no file", path)}
	}
	if info.Size() == 0 {
		return nil
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrPermission) {
		return nil // whether it can be replaced is for who replaces it to say
	}
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := modelfile.Inspect(file); !errors.Is(err, modelfile.ErrNotAModel) {
		return usageError{fmt.Errorf("--out is %q, which is a model: give another name, or remove it", path)}
	}
	return nil
}

// checkStandardOutput refuses standard output for a model.
func checkStandardOutput(out string) error {
	if out == standardInput {
		return usageError{errors.New("--out is -, and a model cannot be written to standard output: name a file")}
	}
	return nil
}
