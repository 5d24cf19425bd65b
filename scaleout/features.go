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

// A modelRef names a model file, and what was in it when the pipeline was built. It is what a step has
// of the model while it travels to the workers.
type modelRef struct {
	Path   string
	SHA256 string // of all bytes of the file, in hexadecimal
}

// loaded has the models that steps of this process have at present. A model that no step has any more
// is let go.
var loaded = struct {
	mu     sync.Mutex
	models map[modelRef]weak.Pointer[base]
}{models: map[modelRef]weak.Pointer[base]{}}

// newModelRef reads the model file at path, for the program that builds the pipeline. The model stays
// loaded as long as somebody has the base that it returns.
func newModelRef(ctx context.Context, path string) (modelRef, *base, error) {
	sum := sha256.New()
	if err := readModel(ctx, path, func(r io.Reader) error {
		_, err := io.Copy(sum, r)
		return err
	}); err != nil {
		return modelRef{}, nil, err
	}
	ref := modelRef{path, hex.EncodeToString(sum.Sum(nil))}
	b, err := ref.load(ctx)
	return ref, b, err
}

// load returns the model of ref, which is read once for all steps of this process that have it at the
// same time.
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
		return nil, fmt.Errorf("scaleout: the model %s is not the file that the pipeline was built with: its SHA-256 is %s, and was %s: put that file back, or build the pipeline again", ref.Path, is, ref.SHA256)
	}
	maps.DeleteFunc(loaded.models, func(_ modelRef, model weak.Pointer[base]) bool { return model.Value() == nil })
	loaded.models[ref] = weak.Make(b)
	return b, nil
}

// readModel opens a model file of any file system that Beam knows and gives its content to use.
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
