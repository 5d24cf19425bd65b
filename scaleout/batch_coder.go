package scaleout

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"reflect"

	"blskernel/mat"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

func init() {
	beam.RegisterCoder(reflect.TypeFor[Batch](), encodeBatch, decodeBatch)
}

// encodeBatch encodes b by gob, to which a matrix gives its own encoding. Runners that fuse Read with
// States never call it.
func encodeBatch(b Batch) ([]byte, error) {
	if err := b.check(); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := gob.NewEncoder(&out).Encode(b); err != nil {
		return nil, fmt.Errorf("scaleout: encoding a batch: %w", err)
	}
	return out.Bytes(), nil
}

// decodeBatch reads what encodeBatch returns. Anything else is an error.
func decodeBatch(in []byte) (Batch, error) {
	var b Batch
	r := bytes.NewReader(in)
	err := gob.NewDecoder(r).Decode(&b)
	switch {
	case err != nil:
	case r.Len() > 0:
		err = fmt.Errorf("it goes on for %d bytes after its end", r.Len())
	case !wholeMatrix(b.X) || !wholeMatrix(b.Y):
		err = errors.New("its matrix has other sizes than elements")
	default:
		err = b.check()
	}
	if err != nil {
		return Batch{}, fmt.Errorf("scaleout: decoding a batch: %w", err)
	}
	return b, nil
}

// wholeMatrix reports whether m, which may be nil, has all its elements: the product of two sizes from
// damaged bytes may wrap.
func wholeMatrix(m *mat.Dense) bool {
	if m == nil || m.IsEmpty() {
		return true
	}
	raw := m.RawMatrix()
	return raw.Rows <= len(raw.Data)/raw.Cols
}
