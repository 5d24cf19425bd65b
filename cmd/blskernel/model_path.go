package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"blskernel"
	"blskernel/bls/modelfile"
)

// modelExtension is that of the names of model files, by custom.
const modelExtension = "bls"

// checkModelPath says why there can be no model at path.
func checkModelPath(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the model %q is not there: 'blskernel train --out %s' makes one", path, path)
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%q is a folder; want a model file", path)
	}
	return nil
}

// explainModel says what to do about a file that is no model.
func explainModel(path string, err error) error {
	if errors.Is(err, modelfile.ErrNotAModel) {
		return fmt.Errorf("%q is no model file: the model comes first, as 'blskernel train' wrote it, and the data after it", path)
	}
	return err // it names the path
}

// loadModel reads the model at path.
func loadModel(ctx context.Context, path string, b blskernel.Backend) (*learner, error) {
	if err := checkModelPath(path); err != nil {
		return nil, err
	}
	var f *modelfile.File
	err := interruptible(ctx, func() (err error) {
		f, err = modelfile.Load(path, b)
		return err
	})
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, explainModel(path, err)
	}
	return newLearner(f), nil
}

// checkReplaceable returns an error unless path is free or has a model: a file of data that is named by
// mistake is not replaced.
func checkReplaceable(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return usageError{fmt.Errorf("--out is %q, which is no file", path)}
	}
	if info.Size() == 0 {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := modelfile.Inspect(file); errors.Is(err, modelfile.ErrNotAModel) {
		return usageError{fmt.Errorf("--out is %q, which is there and is no model: remove it, or give another name", path)}
	}
	return nil
}
