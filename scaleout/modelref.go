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

	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/scaleout/internal/beamfile"
)

// A withModel holds the model of the features in a step. Model travels to the workers, where Setup
// loads base.
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
	m := withModel{Model: modelRef{Path: path}}
	if err := m.Setup(context.Background()); err != nil {
		panic(err)
	}
	return m
}

// A modelRef names a model file and its content when the pipeline was built.
type modelRef struct {
	Path   string
	SHA256 string // of the whole file, in hexadecimal; empty until it is read
}

// loaded holds the models that steps of this process use now.
var loaded = struct {
	mu     sync.Mutex
	models map[modelRef]weak.Pointer[base]
}{models: map[modelRef]weak.Pointer[base]{}}

// load returns the model of ref, whose SHA256 it sets if that is empty. All steps of this process that
// use it at the same time share it.
func (ref *modelRef) load(ctx context.Context) (*base, error) {
	loaded.mu.Lock()
	defer loaded.mu.Unlock()
	if b := loaded.models[*ref].Value(); b != nil {
		return b, nil
	}
	r, err := beamfile.Open(ctx, ref.Path)
	if err != nil {
		return nil, fmt.Errorf("scaleout: the model %s cannot be opened: %w", ref.Path, err)
	}
	defer r.Close()
	sum := sha256.New()
	file, err := modelfile.Read(io.TeeReader(r, sum), nil)
	if err != nil {
		return nil, fmt.Errorf("scaleout: the model %s: %w", ref.Path, err)
	}
	if is := hex.EncodeToString(sum.Sum(nil)); ref.SHA256 == "" {
		ref.SHA256 = is
	} else if is != ref.SHA256 {
		return nil, fmt.Errorf("scaleout: the model %s has changed since the pipeline was built: its SHA-256 is %s, and was %s; "+
			"restore the file, or build the pipeline again", ref.Path, is, ref.SHA256)
	}
	maps.DeleteFunc(loaded.models, func(_ modelRef, model weak.Pointer[base]) bool { return model.Value() == nil })
	b := loaded.models[*ref].Value() // of another step
	if b == nil {
		b = &base{model.New(file)}
		loaded.models[*ref] = weak.Make(b)
	}
	return b, nil
}
