package scaleout

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"fmt"
	"reflect"
	"slices"

	"blskernel/bls/model"
	"blskernel/blsupdate"
	"blskernel/mat"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

func init() {
	beam.RegisterCoder(reflect.TypeFor[*State](), encodeState, decodeState)
}

// A State is the sum over the rows learned so far: an updater of package blsupdate with the method Gram
// or QR and lambda = 0. The zero value has learned nothing.
//
// In a PCollection, a State is encoded as a gob of the labels of its classes, followed by the
// output of blsupdate.Encode for the updater. That takes about 4k² + 8ck bytes for k nodes and c
// targets. The encoding of the zero value is empty.
type State struct {
	updater blsupdate.Updater // nil if no row was learned
	// classes has the labels of the targets after the constant, beginning with the labels of the
	// model. It is nil in a regression.
	classes []string
}

// learn adds rows A (q×k) with their targets Y (q×c). In a classification, classes lists the labels of
// all targets but the constant, beginning with the current classes of s.
func (s *State) learn(method blsupdate.Method, a, y *mat.Dense, classes []string) (err error) {
	if s.updater == nil {
		s.classes = classes
		s.updater, err = blsupdate.New(method, a, y, blsupdate.Options{})
		return err
	}
	if err := s.become(classes); err != nil {
		return err
	}
	return s.updater.AddInputs(a, y)
}

// add adds the rows of other to s, and leaves other unchanged. An error leaves s unchanged too.
func (s *State) add(other *State) (err error) {
	switch {
	case other == nil || other.updater == nil:
		return nil
	case s.updater != nil && slices.Equal(s.classes, other.classes):
		return s.updater.Merge(other.updater)
	}
	o := &State{classes: other.classes}
	if o.updater, err = other.updater.Clone(); err != nil {
		return err
	}
	if s.updater != nil {
		sum := &State{classes: s.classes}
		if sum.updater, err = s.updater.Clone(); err != nil {
			return err
		}
		all, _ := model.NewClasses(s.classes).With(o.classes)
		if err := cmp.Or(o.become(all), sum.become(all)); err != nil {
			return err
		}
		if err := sum.updater.Merge(o.updater); err != nil {
			return err
		}
		o = sum
	}
	*s = *o
	return nil
}

func encodeState(s *State) ([]byte, error) {
	if s == nil || s.updater == nil {
		return nil, nil
	}
	var b bytes.Buffer
	k, c := s.updater.Nodes(), s.updater.Targets()
	b.Grow(4*k*(k+1) + 8*(k+1)*(c+1) + 8*c + 1<<10) // slightly more than needed
	err := gob.NewEncoder(&b).Encode(s.classes)
	if err == nil {
		err = blsupdate.Encode(&b, s.updater)
	}
	if err != nil {
		return nil, fmt.Errorf("scaleout: encoding a state: %w", err)
	}
	return b.Bytes(), nil
}

// decodeState decodes a result of encodeState. The default backend computes the products of the state.
func decodeState(in []byte) (*State, error) {
	if len(in) == 0 {
		return &State{}, nil
	}
	r := bytes.NewReader(in) // gob reads only the labels from it
	var classes []string
	if err := gob.NewDecoder(r).Decode(&classes); err != nil {
		return nil, fmt.Errorf("scaleout: decoding the labels of a state: %w", err)
	}
	u, err := blsupdate.Decode(r, nil)
	if err == nil && r.Len() > 0 {
		err = fmt.Errorf("data follows the state (bytes: %d)", r.Len())
	}
	if err != nil {
		return nil, fmt.Errorf("scaleout: decoding a state: %w", err)
	}
	if m := u.Method(); m != blsupdate.Gram && m != blsupdate.QR {
		return nil, fmt.Errorf("scaleout: decoding a state: its method is %v; want gram or qr", m)
	}
	if lambda := u.Lambda(); lambda != 0 {
		return nil, fmt.Errorf("scaleout: decoding a state: its lambda is %v; want 0", lambda)
	}
	if len(classes) > 0 && u.Targets() != 1+len(classes) {
		return nil, fmt.Errorf("scaleout: decoding a state: its number of targets is %d; want 1 + %d for its classes", u.Targets(), len(classes))
	}
	return &State{u, classes}, nil
}
