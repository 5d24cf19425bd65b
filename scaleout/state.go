package scaleout

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"blskernel/blsupdate"
	"blskernel/internal/codec"
	"blskernel/mat"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

func init() {
	beam.RegisterCoder(reflect.TypeFor[*State](), encodeState, decodeState)
}

// A State holds what was learned from some rows: an updater of package blsupdate by Gram or QR with
// lambda = 0, or nothing yet. The zero value has learned nothing.
//
// As an element of a PCollection it is encoded by blsupdate.Encode, in about 4k² + 8ck bytes for k
// nodes and c targets, after the labels of classes that the model of the features does not have;
// nothing has no bytes.
type State struct {
	updater blsupdate.Updater // nil for nothing
	classes []string          // the labels of the last targets: classes that the model does not have
}

// Samples returns the number of rows that s has learned.
func (s *State) Samples() int {
	if s == nil || s.updater == nil {
		return 0
	}
	return s.updater.Samples()
}

// Updater returns a copy of the updater of s, or nil if s has learned nothing. Its lambda is 0. It
// takes the time of encoding and decoding.
func (s *State) Updater() (blsupdate.Updater, error) {
	if s == nil || s.updater == nil {
		return nil, nil
	}
	var b bytes.Buffer
	if err := blsupdate.Encode(&b, s.updater); err != nil {
		return nil, fmt.Errorf("scaleout: encoding a state: %w", err)
	}
	return blsupdate.Decode(&b, nil)
}

// learn adds rows A (q×k) with their targets Y (q×c). others has the labels of rows whose class Y does
// not have.
func (s *State) learn(method blsupdate.Method, a, y *mat.Dense, others map[int]string) (err error) {
	found := s.missing(slices.Collect(maps.Values(others)))
	if s.updater == nil {
		s.classes = found
		s.updater, err = blsupdate.New(method, a, s.targets(y, others), blsupdate.Options{})
		return err
	}
	if err := s.gain(found); err != nil {
		return err
	}
	return s.updater.AddInputs(a, s.targets(y, others))
}

// add adds what other has learned, and does not change other. After an error s is what it was.
func (s *State) add(other *State) (err error) {
	switch {
	case other == nil || other.updater == nil:
		return nil
	case s.updater == nil:
		sum, err := other.copy()
		*s = *sum
		return err
	case !slices.Equal(s.classes, other.classes):
		return s.addOther(other)
	}
	return s.updater.Merge(other.updater)
}

// encodeState returns the encoding of s.
func encodeState(s *State) ([]byte, error) {
	if s == nil || s.updater == nil {
		return nil, nil
	}
	var b bytes.Buffer
	k, c := s.updater.Nodes(), s.updater.Targets()
	b.Grow(4*k*(k+1) + 8*(k+1)*(c+1) + 8*c + 1<<10) // about the length, rather more
	b.Write(appendClasses(nil, s.classes))
	if err := blsupdate.Encode(&b, s.updater); err != nil {
		return nil, fmt.Errorf("scaleout: encoding a state: %w", err)
	}
	return b.Bytes(), nil
}

// decodeState reads what encodeState returned. The default backend computes the products of the state.
func decodeState(in []byte) (*State, error) {
	if len(in) == 0 {
		return &State{}, nil
	}
	classes, in, err := cutClasses(in)
	if err != nil {
		return nil, fmt.Errorf("scaleout: decoding a state: %w", err)
	}
	u, err := blsupdate.Decode(bytes.NewReader(in), nil)
	if err != nil {
		return nil, fmt.Errorf("scaleout: decoding a state: %w", err)
	}
	if m := u.Method(); m != blsupdate.Gram && m != blsupdate.QR {
		return nil, fmt.Errorf("scaleout: decoding a state: its method is %v; want gram or qr", m)
	}
	if lambda := u.Lambda(); lambda != 0 {
		return nil, fmt.Errorf("scaleout: decoding a state: its lambda is %v; want 0", lambda)
	}
	if len(classes) > 0 && u.Targets() < 2+len(classes) {
		return nil, fmt.Errorf("scaleout: decoding a state: it has %d targets, too few for %d classes of its own", u.Targets(), len(classes))
	}
	return &State{u, classes}, nil
}

// encodedSize returns the number of bytes of the encoding of s.
func encodedSize(s *State) (int64, error) {
	if s == nil || s.updater == nil {
		return 0, nil
	}
	var size codec.Size
	err := blsupdate.Encode(&size, s.updater)
	return int64(size) + int64(len(appendClasses(nil, s.classes))), err
}
