package scaleout

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"

	"blskernel"
	"blskernel/bls/modelfile"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// A Model is a model file of package bls/modelfile. As an element of a PCollection it is encoded as the
// bytes of the file.
type Model struct{ file []byte }

// File reads the model. b computes its products, nil stands for blskernel.Default().
//
//	errors: those of modelfile.Read.
func (m Model) File(b blskernel.Backend) (*modelfile.File, error) {
	return modelfile.Read(bytes.NewReader(m.file), b)
}

// WriteTo writes the file to w.
func (m Model) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(m.file)
	return int64(n), err
}

func init() {
	beam.RegisterCoder(reflect.TypeFor[Model](), encodeModel, decodeModel)
}

// newModel returns the model of a file.
func newModel(f *modelfile.File) (Model, error) {
	var b bytes.Buffer
	if err := modelfile.Write(&b, f); err != nil {
		return Model{}, err
	}
	return Model{b.Bytes()}, nil
}

// encodeModel returns the bytes of the file.
func encodeModel(m Model) ([]byte, error) {
	if len(m.file) == 0 {
		return nil, errors.New("scaleout: encoding a model: it is empty")
	}
	return m.file, nil
}

// decodeModel returns the model of a file after checking its checksums.
func decodeModel(in []byte) (Model, error) {
	if _, err := modelfile.Inspect(bytes.NewReader(in)); err != nil {
		return Model{}, fmt.Errorf("scaleout: decoding a model: %w", err)
	}
	return Model{bytes.Clone(in)}, nil
}
