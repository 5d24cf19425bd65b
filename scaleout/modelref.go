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

	"blskernel/bls"
	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/scaleout/internal/beamfile"
)

// A withModel holds the base model in a step. Workers get Path and SHA256, and Setup loads base there.
type withModel struct {
	Path   string // of the model file
	SHA256 string // of the whole file when the pipeline was built, in hexadecimal; empty until it is read
	base   *base  // also in the program that builds the pipeline, so that it loads the model once
}

// CheckModel returns an error if Fit would panic because of the model file at path.
func CheckModel(ctx context.Context, path string) error {
	return (&withModel{Path: path}).Setup(ctx)
}

// useModel loads the model file at path for the program that builds the pipeline, or panics.
func useModel(path string) withModel {
	m := withModel{Path: path}
	if err := m.Setup(context.Background()); err != nil {
		panic(err)
	}
	return m
}

// weighted names the kind of weights with which f was trained, from the notes of the file; "" is none.
func weighted(f *modelfile.File) string {
	switch notes := f.Metadata.Notes; {
	case notes["weight"] != "":
		return "row weights"
	case notes["class_weight"] != "", f.Classifier != nil && f.Classifier.ClassWeight == bls.Balanced:
		return "class weights"
	}
	return ""
}

// loaded holds the models that steps of this process use now.
var loaded = struct {
	mu     sync.Mutex
	models map[withModel]weak.Pointer[base] // by Path and SHA256
}{models: map[withModel]weak.Pointer[base]{}}

// Setup loads the model, and sets SHA256 if it is empty. All steps of this process that use the model
// at the same time share it.
func (m *withModel) Setup(ctx context.Context) error {
	loaded.mu.Lock()
	defer loaded.mu.Unlock()
	if m.base = loaded.models[withModel{Path: m.Path, SHA256: m.SHA256}].Value(); m.base != nil {
		return nil
	}
	r, err := beamfile.Open(ctx, m.Path)
	if err != nil {
		return fmt.Errorf("scaleout: the model %s cannot be opened: %w", m.Path, err)
	}
	defer r.Close()
	sum := sha256.New()
	file, err := modelfile.Read(io.TeeReader(r, sum), nil)
	if err != nil {
		return fmt.Errorf("scaleout: the model %s cannot be read: %w", m.Path, err)
	}
	if weights := weighted(file); weights != "" {
		return fmt.Errorf("scaleout: the model %s was trained with %s, which this fit would ignore: train the model again without "+
			"weights ('blskernel train --exclude' leaves out a weight column)", m.Path, weights)
	}
	if is := hex.EncodeToString(sum.Sum(nil)); m.SHA256 == "" {
		m.SHA256 = is
	} else if is != m.SHA256 {
		return fmt.Errorf("scaleout: the model %s has changed since the pipeline was built (its SHA-256 is %s, but was %s): "+
			"restore the file, or build the pipeline again", m.Path, is, m.SHA256)
	}
	maps.DeleteFunc(loaded.models, func(_ withModel, model weak.Pointer[base]) bool { return model.Value() == nil })
	key := withModel{Path: m.Path, SHA256: m.SHA256}
	if m.base = loaded.models[key].Value(); m.base == nil { // otherwise another step has loaded it
		m.base = &base{model.New(file)}
		loaded.models[key] = weak.Make(m.base)
	}
	return nil
}
