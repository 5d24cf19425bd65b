package scaleout

import (
	"bytes"

	"blskernel/blsupdate"
	"blskernel/mat"
)

// A State is what has been learned of some rows: an updater of package blsupdate by Gram or QR with
// lambda = 0, or nothing, as long as there have been no rows. The zero value has learned nothing.
//
// As an element of a PCollection it is encoded by blsupdate.Encode, in about 4k² + 8ck bytes for k
// nodes and c targets, and as no bytes where there is nothing.
type State struct {
	updater blsupdate.Updater // nil for nothing
	// shared says that the updater is that of another State too, so that it must be copied before
	// it changes.
	shared bool
}

// Samples returns the number of rows that s has learned.
func (s *State) Samples() int {
	if s == nil || s.updater == nil {
		return 0
	}
	return s.updater.Samples()
}

// Updater returns a copy of what s has learned, which belongs to the caller, and nil where that is
// nothing. Its lambda is 0. It takes the time of encoding and decoding it.
func (s *State) Updater() (blsupdate.Updater, error) {
	if s == nil || s.updater == nil {
		return nil, nil
	}
	var b bytes.Buffer
	b.Grow(encodedBytes(s.updater))
	if err := blsupdate.Encode(&b, s.updater); err != nil {
		return nil, err
	}
	return blsupdate.Decode(&b, nil)
}

// learn adds rows A (q×k) with their targets Y (q×c), from which it begins where there are none yet.
func (s *State) learn(method blsupdate.Method, a, y *mat.Dense) (err error) {
	if s.updater == nil {
		s.updater, err = blsupdate.New(method, a, y, blsupdate.Options{})
		return err
	}
	if err := s.own(); err != nil {
		return err
	}
	return s.updater.AddInputs(a, y)
}

// add adds what other has learned. other is not changed: where s has nothing yet it borrows the updater
// of other, and copies it before the first change. After an error s is what it was.
func (s *State) add(other *State) error {
	switch {
	case other == nil || other.updater == nil:
		return nil
	case s.updater == nil:
		s.updater, s.shared = other.updater, true
		return nil
	}
	if err := s.own(); err != nil {
		return err
	}
	return s.updater.Merge(other.updater)
}

// own makes the updater one that is no other State's.
func (s *State) own() error {
	if !s.shared {
		return nil
	}
	u, err := s.Updater()
	if err != nil {
		return err
	}
	s.updater, s.shared = u, false
	return nil
}

// encodedBytes returns about how many bytes the encoding of u has, rather more than fewer.
func encodedBytes(u blsupdate.Updater) int {
	k, c := u.Nodes(), u.Targets()
	return 4*k*(k+1) + 8*(k+1)*(c+1) + 8*c + 1<<10
}
