package scaleout

import (
	"bytes"
	"fmt"
	"reflect"

	"blskernel/blsupdate"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

func init() {
	beam.RegisterCoder(reflect.TypeFor[*State](), encodeState, decodeState)
}

// encodeState returns the encoding of s, no bytes for nothing.
func encodeState(s *State) ([]byte, error) {
	if s == nil || s.updater == nil {
		return nil, nil
	}
	var b bytes.Buffer
	b.Grow(encodedBytes(s.updater))
	if err := blsupdate.Encode(&b, s.updater); err != nil {
		return nil, fmt.Errorf("scaleout: encoding a state: %w", err)
	}
	return b.Bytes(), nil
}

// decodeState reads what encodeState has returned. The products of the state are computed by the
// default backend.
func decodeState(in []byte) (*State, error) {
	if len(in) == 0 {
		return &State{}, nil
	}
	u, err := blsupdate.Decode(bytes.NewReader(in), nil)
	if err != nil {
		return nil, fmt.Errorf("scaleout: decoding a state: %w", err)
	}
	if m := u.Method(); m != blsupdate.Gram && m != blsupdate.QR {
		return nil, fmt.Errorf("scaleout: decoding a state: its method is %v, which no state of a pipeline has", m)
	}
	if lambda := u.Lambda(); lambda != 0 {
		return nil, fmt.Errorf("scaleout: decoding a state: its lambda is %v, and that of a pipeline is added at the end", lambda)
	}
	return &State{updater: u}, nil
}

// encodedSize returns the number of bytes of the encoding of s.
func encodedSize(s *State) (int64, error) {
	if s == nil || s.updater == nil {
		return 0, nil
	}
	var size counting
	err := blsupdate.Encode(&size, s.updater)
	return int64(size), err
}

// counting is a writer that counts bytes.
type counting int64

func (n *counting) Write(p []byte) (int, error) {
	*n += counting(len(p))
	return len(p), nil
}
