package scaleout

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"sync"
	"weak"

	"blskernel/bls/modelfile"
	"blskernel/scaleout/internal/beamfile"
)

// A withModel is the part of a step that holds the model of the features. Model travels to the workers,
// where Setup loads the base.
type withModel struct {
	Model modelRef
	base  *base // also in the program that builds the pipeline, so that it loads the model once
}

// Setup loads the model.
func (m *withModel) Setup(ctx context.Context) (err error) {
	m.base, err = m.Model.load(ctx)
	return err
}

// useModel returns the model file at path, for the program that builds the pipeline. It panics if the
// file cannot be read.
func useModel(path string) withModel {
	ctx := context.Background()
	sum := sha256.New()
	err := readModel(ctx, path, func(r io.Reader) error {
		_, err := io.Copy(sum, r)
		return err
	})
	m := withModel{Model: modelRef{path, hex.EncodeToString(sum.Sum(nil))}}
	if err == nil {
		err = m.Setup(ctx)
	}
	if err != nil {
		panic(err)
	}
	return m
}

// A modelRef names a model file and its content when the pipeline was built.
type modelRef struct {
	Path   string
	SHA256 string // of the whole file, in hexadecimal
}

// loaded holds the models that steps of this process use now.
var loaded = struct {
	mu     sync.Mutex
	models map[modelRef]weak.Pointer[base]
}{models: map[modelRef]weak.Pointer[base]{}}

// load returns the model of ref. All steps of this process that use it at the same time share it.
func (ref modelRef) load(ctx context.Context) (*base, error) {
	loaded.mu.Lock()
	defer loaded.mu.Unlock()
	if b := loaded.models[ref].Value(); b != nil {
		return b, nil
	}
	var b *base
	sum := sha256.New()
	if err := readModel(ctx, ref.Path, func(r io.Reader) error {
		file, err := modelfile.Read(io.TeeReader(r, sum), nil)
		if err == nil {
			b = newBase(file)
		}
		return err
	}); err != nil {
		return nil, err
	}
	if is := hex.EncodeToString(sum.Sum(nil)); is != ref.SHA256 {
		return nil, fmt.Errorf("scaleout: the model %s has changed since the pipeline was built: its SHA-256 is %s, and was %s; "+
			"restore the file, or build the pipeline again", ref.Path, is, ref.SHA256)
	}
	maps.DeleteFunc(loaded.models, func(_ modelRef, model weak.Pointer[base]) bool { return model.Value() == nil })
	loaded.models[ref] = weak.Make(b)
	return b, nil
}

// readModel opens a model file on any file system of Beam and passes its content to use.
func readModel(ctx context.Context, path string, use func(io.Reader) error) error {
	r, err := beamfile.Open(ctx, path)
	if err != nil {
		return fmt.Errorf("scaleout: the model %s cannot be opened: %w", path, err)
	}
	defer r.Close()
	if err := use(r); err != nil {
		return fmt.Errorf("scaleout: the model %s: %w", path, err)
	}
	return nil
}
