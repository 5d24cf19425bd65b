package bls

import (
	"fmt"
	"io"

	"blskernel/blsupdate"
	"blskernel/internal/backend"
)

// WithUpdater returns a fitted model with the feature maps of c and the output layer u, which has
// learned rows and targets by Expand: in another goroutine or process, or as the sum of several that
// Merge has made one. What c itself has learned is not in it, unless u has learned those rows too.
//
// The fields of the result say what is true of it: Method and Update are those of u, with the ridge
// that it has now, and the others are the options of the fit of c. From then on u belongs to the result,
// and is to be used no more but through it.
//
//	shapes: u has the k nodes and c targets of c.
//	reads/writes: c is not changed, and shares the feature maps with the result, which do not change. u
//	is read.
//	cost: that of blsupdate.Encode, without the writing: u is looked through for what could not be
//	written.
//	errors: ErrNotFitted; *ShapeError for other numbers of nodes or targets; *OptionError for a u that
//	is nil, that another package made, or that is the output layer of c itself; those of
//	blsupdate.Encode for what is wrong within u. Too few rows to determine the weights are an error of
//	the first prediction, and not one if there are more by then.
func (c *Classifier) WithUpdater(u blsupdate.Updater) (*Classifier, error) {
	m, err := c.model.withUpdater(u)
	if err != nil {
		return nil, err
	}
	return m.classifier(), nil
}

// WithUpdater returns a fitted model with the feature maps of r and the output layer u, as that of
// Classifier does. Its Center is that of r, whatever the rows that u has learned: it is what Expand has
// subtracted.
//
//	shapes: u has the k+1 rows of weights of r, or k with NoIntercept, and its c targets.
//	reads/writes, cost, errors: those of Classifier.WithUpdater.
func (r *Regressor) WithUpdater(u blsupdate.Updater) (*Regressor, error) {
	m, err := r.model.withUpdater(u)
	if err != nil {
		return nil, err
	}
	return m.regressor(), nil
}

// withUpdater returns a model like m with the output layer u. On a nil model it returns ErrNotFitted.
func (m *model) withUpdater(u blsupdate.Updater) (*model, error) {
	if m == nil {
		return nil, ErrNotFitted
	}
	if u == m.updater {
		// Each of the two models would learn what the other one's weights do not know of.
		return nil, &OptionError{Op: "bls", Option: "the output layer", Value: "that of the model itself", Want: "another one, such as blsupdate.Decode makes of what Encode writes"}
	}
	// It tells who made u, which no method of u does, and refuses now what could not be saved later.
	if err := blsupdate.Encode(io.Discard, u); err != nil {
		return nil, err
	}
	if k, c := m.updater.Nodes(), m.updater.Targets(); u.Nodes() != k || u.Targets() != c {
		return nil, &ShapeError{Op: "bls", Matrix: "W of the output layer", Rows: u.Nodes(), Cols: u.Targets(), Want: fmt.Sprintf("%d×%d, as that of the fit", k, c)}
	}
	s := m.settings
	s.method, s.update = u.Method(), currentOptions(u)
	if s.backend != nil {
		s.update.Backend = backend.Or(s.update.Backend) // where nil would stand for the other one
	}
	return &model{settings: s, backend: m.backend, features: m.features, updater: u, center: m.center}, nil
}

// currentOptions returns the options that u was started with, with the ridge that it has now.
func currentOptions(u blsupdate.Updater) blsupdate.Options {
	opt := u.Options()
	opt.Lambda = u.Lambda()
	return opt
}
