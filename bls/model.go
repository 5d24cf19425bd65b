package bls

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/backend"
	"blskernel/internal/isfinite"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// ErrNotFitted is returned where a Classifier or Regressor is asked about samples before it has seen any.
var ErrNotFitted = errors.New("bls: the model is not fitted; call Fit or PartialFit first")

// settings are the options that Classifier and Regressor share.
type settings struct {
	backend   blskernel.Backend
	features  FeatureOptions
	method    blsupdate.Method
	update    blsupdate.Options
	classes   int // of a Classifier, 0 for as many as the labels call for
	intercept bool
}

// A model is fitted feature maps with the updater of the output layer: scores = A W, or, with an
// intercept, [A, 1] W + 1·centerᵀ.
type model struct {
	settings settings // as Fit read them
	backend  blskernel.Backend
	features *Features
	updater  blsupdate.Updater

	// center holds the means of the first targets, which are subtracted from all targets before the
	// updater sees them. It is nil without an intercept.
	center []float64

	// weights is the updater's W, or nil if it has changed since it was last asked for.
	mu      sync.Mutex
	weights *mat.Dense
}

// startModel fits a model to x (l×d) and y (l×c), which have passed checkRows; y is finite.
func startModel(ctx context.Context, s settings, x, y *mat.Dense) (*model, error) {
	given := s
	s.backend = backend.Or(s.backend)
	if s.features.Backend == nil {
		s.features.Backend = s.backend
	}
	if s.update.Backend == nil {
		s.update.Backend = s.backend
	}
	if err := checkModelMemory(s, x, y); err != nil {
		return nil, err
	}
	f, a, err := FitTransformFeaturesContext(ctx, x, s.features)
	if err != nil {
		return nil, err
	}
	m := &model{settings: given, backend: s.backend, features: f}
	if s.intercept {
		m.center = columnMeans(y)
		l, k := a.Dims()
		wide := m.newRows(l)
		wide.Slice(0, l, 0, k).(*mat.Dense).Copy(a)
		a = wide
	}
	if y, err = m.centered(y); err != nil {
		return nil, err
	}
	m.updater, err = blsupdate.NewContext(ctx, s.method, a, y, s.update)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// add learns from x (q×d) and y (q×c), which have passed checkRows; y is finite. On an error the model
// is what it was, because AddInputsContext, the last step, leaves the updater so.
func (m *model) add(ctx context.Context, x, y *mat.Dense) error {
	a, y, err := m.rows(ctx, x, y)
	if err != nil {
		return err
	}
	if err := m.updater.AddInputsContext(ctx, a, y); err != nil {
		return err
	}
	m.weights = nil
	return nil
}

// rows returns what the updater learns from x (q×d) and y (q×c), which are as in add: A, or [A, 1], in
// new storage, and centered(y). Of the updater it reads the sizes alone.
func (m *model) rows(ctx context.Context, x, y *mat.Dense) (a, targets *mat.Dense, err error) {
	if targets, err = m.centered(y); err != nil {
		return nil, nil, err
	}
	q, _ := x.Dims()
	if err := checkMemory(0, q, m.updater.Nodes()); err != nil {
		return nil, nil, err
	}
	a = m.newRows(q)
	if err := m.expand(ctx, a, x); err != nil {
		return nil, nil, err
	}
	return a, targets, nil
}

// inputs returns d.
func (m *model) inputs() int { return m.features.Inputs() }

// targets returns c.
func (m *model) targets() int { return m.updater.Targets() }

// newRows returns new storage for rows of the matrix that the updater works with, A or [A, 1]; the ones
// are there, the rest is zero.
func (m *model) newRows(rows int) *mat.Dense {
	k := m.features.Nodes()
	if m.center == nil {
		return mat.NewDense(rows, k, nil)
	}
	a := mat.NewDense(rows, k+1, nil)
	for i := range rows {
		a.Set(i, k, 1)
	}
	return a
}

// expand writes A of the samples x, which have been checked, to a from newRows.
func (m *model) expand(ctx context.Context, a, x *mat.Dense) error {
	rows, _ := x.Dims()
	return m.features.transform(ctx, a.Slice(0, rows, 0, m.features.Nodes()).(*mat.Dense), x)
}

// centered returns y without the means of the first targets; that is y itself without an intercept.
func (m *model) centered(y *mat.Dense) (*mat.Dense, error) {
	if m.center == nil {
		return y, nil
	}
	out := deviations(y, m.center)
	if isfinite.First(out.RawMatrix().Data) >= 0 {
		return nil, blsupdate.ErrOverflow
	}
	return out, nil
}

// currentWeights returns W. It is asked of the updater when it is first wanted and not after every
// update, since an updater may have to solve for it.
func (m *model) currentWeights() (*mat.Dense, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.weights == nil {
		w, err := m.updater.Weights()
		if err != nil {
			return nil, err
		}
		m.weights = w
	}
	return m.weights, nil
}

// copyWeights returns a copy of W, ErrNotFitted on a nil model.
func (m *model) copyWeights() (*mat.Dense, error) {
	if m == nil {
		return nil, ErrNotFitted
	}
	w, err := m.currentWeights()
	if err != nil {
		return nil, err
	}
	return gonum.DenseCopyOf(w), nil
}

// output returns the updater, nil on a nil model.
func (m *model) output() blsupdate.Updater {
	if m == nil {
		return nil
	}
	return m.updater
}

// maps returns the feature maps, nil on a nil model.
func (m *model) maps() *Features {
	if m == nil {
		return nil
	}
	return m.features
}

// checkRows returns an error unless x is fit to be expanded, with the given number of columns (any, at
// least one, where that is 0), and has as many rows as the named rows×cols targets.
func checkRows(x *mat.Dense, inputs int, name string, rows, cols int) error {
	if err := checkSamples(x, inputs); err != nil {
		return err
	}
	if l, _ := x.Dims(); rows != l {
		return &ShapeError{Op: "bls", Matrix: name, Rows: rows, Cols: cols, Want: fmt.Sprintf("%d rows, one for each row of X", l)}
	}
	return nil
}

// columnMeans returns the mean of each column of y, as its first element plus the mean of the
// differences from it: equal elements have themselves for a mean, without rounding.
func columnMeans(y *mat.Dense) []float64 {
	l, c := y.Dims()
	first := y.RawRowView(0)
	means := make([]float64, c)
	for i := 1; i < l; i++ {
		for j, v := range y.RawRowView(i) {
			means[j] += (v - first[j]) / float64(l)
		}
	}
	for j, v := range first {
		means[j] += v
	}
	return means
}

// deviations returns y - 1·meansᵀ in new storage without gaps.
func deviations(y *mat.Dense, means []float64) *mat.Dense {
	l, c := y.Dims()
	out := mat.NewDense(l, c, nil)
	for i := range l {
		row := out.RawRowView(i)
		for j, v := range y.RawRowView(i) {
			row[j] = v - means[j]
		}
	}
	return out
}
