package bls

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"

	"blskernel/blsupdate"
	"blskernel/internal/linalg/backend"
	"blskernel/mat"
)

// Expand returns what PartialFit gives to the output layer: the nodes A of the samples X, and the
// targets Y of the labels. Column 0 of Y is 1, the constant target; c columns follow, with +1 for the
// class of a sample and -1 for the others. An output layer outside the model can learn A and Y with
// blsupdate.New, AddInputs and Merge; WithUpdater then makes a model of it. A column that has been
// constant so far counts as constant in A, whatever X holds there (see ScaleColumns).
//
//	shapes: X q×d, labels q, each from 0 to c-1; A is q×k and Y is q×(c+1).
//	reads/writes: reads X, labels and the sizes of the output layer; A and Y are new storage.
//	cost, memory: Features.Transform, and Y.
//	errors: ErrNotFitted; *ShapeError, *NotFiniteError, *LabelError, *OverflowError and *MemoryError
//	as PartialFit.
func (c *Classifier) Expand(x *mat.Dense, labels []int) (a, y *mat.Dense, err error) {
	return c.ExpandContext(background, x, labels)
}

// ExpandContext is like Expand but stops when ctx is done.
func (c *Classifier) ExpandContext(ctx context.Context, x *mat.Dense, labels []int) (a, y *mat.Dense, err error) {
	return c.expanded(ctx, sampleSet{x: x, labels: labels})
}

// Expand is Classifier.Expand with the targets Y (q×c). Unless NoIntercept is set, A includes the
// column of ones, and Ya is Y less the means y0 of the first batch (see Center). With LogTargets,
// Expand first takes logarithms of Y; r's largest target, which bounds predictions, does not change.
//
//	shapes: A is q×(k+1), or q×k with NoIntercept, and Ya is q×c.
//	errors: as Classifier.Expand, but no *LabelError; blsupdate.ErrOverflow if Y - 1·y0ᵀ overflows;
//	with LogTargets, *TargetError for a target that is not positive.
func (r *Regressor) Expand(x, y *mat.Dense) (a, ya *mat.Dense, err error) {
	return r.ExpandContext(background, x, y)
}

// ExpandContext is like Expand but stops when ctx is done.
func (r *Regressor) ExpandContext(ctx context.Context, x, y *mat.Dense) (a, ya *mat.Dense, err error) {
	return r.expanded(ctx, sampleSet{x: x, y: y})
}

func (m *model) expanded(ctx context.Context, in sampleSet) (a, y *mat.Dense, err error) {
	if y, err = m.checked(&in); err != nil {
		return nil, nil, err
	}
	if err := m.ready(ctx); err != nil {
		return nil, nil, err
	}
	if a, y, _, err = m.rows(ctx, in.x, y, nil); y == in.y {
		y = copyOf(y)
	}
	return a, y, err
}

// WithUpdater returns a model with the feature maps of c and the output layer u. u must have learned
// rows and targets from Expand, for instance in another process or by merging several layers. The
// result has learned only what u has learned, and owns u. Its Method and Update are the method and the
// options of u with the current ridge; its other options are as in c. If a column that is constant in c
// varies later, do not Remove rows that u learned with other values in it: their nodes then differ.
//
//	shapes: u has the k nodes of c, and as many targets as Y of Expand has columns.
//	reads/writes: reads u. c does not change, and shares its feature maps with the result.
//	cost: blsupdate.Encode without the writing, to check u.
//	errors: ErrNotFitted; *ShapeError if the numbers of nodes or targets differ; *OptionError if u
//	is nil, was made by another package, or is the output layer of c; errors of blsupdate.Encode.
//	With too few rows in u, the first prediction returns a *blsupdate.RankError.
func (c *Classifier) WithUpdater(u blsupdate.Updater) (*Classifier, error) {
	m, err := c.withUpdater(u)
	return m.classifier(), err
}

// WithUpdater is Classifier.WithUpdater. It keeps the Center of r, which Expand has subtracted,
// whatever rows u has learned.
//
//	shapes: u has k+1 nodes like r, or k with NoIntercept, and c targets.
func (r *Regressor) WithUpdater(u blsupdate.Updater) (*Regressor, error) {
	m, err := r.withUpdater(u)
	return m.regressor(), err
}

// withUpdater returns a model like m with the output layer u. It returns ErrNotFitted if m is nil.
func (m *model) withUpdater(u blsupdate.Updater) (*model, error) {
	if err := m.ready(background); err != nil {
		return nil, err
	}
	if u == m.updater {
		// Each of the two models would miss what the other learns.
		return nil, &OptionError{Op: "bls", Option: "the output layer", Value: "the model's own",
			Want: "an independent one, such as its Clone"}
	}
	// This checks that blsupdate made u, and rejects now what a later Encode would reject.
	if err := blsupdate.Encode(io.Discard, u); err != nil {
		return nil, err
	}
	if k, c := m.updater.Nodes(), m.updater.Targets(); u.Nodes() != k || u.Targets() != c {
		want := fmt.Sprintf("%d×%d, as in the fit", k, c)
		return nil, &ShapeError{Op: "bls", Matrix: "W of the output layer", Rows: u.Nodes(), Cols: u.Targets(), Want: want}
	}
	out := m.with(u)
	s := &out.settings
	s.method, s.update = u.Method(), currentOptions(u)
	if s.backend != nil {
		s.update.Backend = backend.Or(s.update.Backend) // here nil would stand for s.backend
	}
	return out, nil
}

func currentOptions(u blsupdate.Updater) blsupdate.Options {
	opt := u.Options()
	opt.Lambda = orNone(u.Lambda())
	return opt
}

// Clone returns an independent copy of c with the same bits, so that one can learn while the other
// predicts. An assignment copies only the fields and shares the model. If c is not fitted, Clone copies
// only the fields. Predictions may run concurrently.
//
//	cost: Encode and DecodeClassifier without the feature maps, which never change and are shared.
//	memory: blsupdate.StateBytes.
//	errors: as blsupdate.Updater.Clone.
func (c *Classifier) Clone() (*Classifier, error) {
	m, err := c.clone()
	if err != nil {
		return nil, err
	}
	out := c.Unfitted()
	out.model = m
	return out, nil
}

// Clone returns an independent copy of r, like Classifier.Clone.
func (r *Regressor) Clone() (*Regressor, error) {
	m, err := r.clone()
	if err != nil {
		return nil, err
	}
	out := r.Unfitted()
	out.model = m
	return out, nil
}

// Unfitted returns a Classifier with the fields of c and without a model.
func (c *Classifier) Unfitted() *Classifier {
	out := *c
	out.model = nil
	return &out
}

// Unfitted returns a Regressor with the fields of r and without a model.
func (r *Regressor) Unfitted() *Regressor {
	out := *r
	out.model = nil
	return &out
}

// clone returns a copy, or nil if m is nil. If the weights cannot be computed, it holds the lock, since
// every prediction then calls the updater.
func (m *model) clone() (*model, error) {
	if m == nil {
		return nil, nil
	}
	if _, err := m.currentWeights(background); err != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
	}
	u, err := m.updater.Clone()
	if err != nil {
		return nil, err
	}
	out := m.with(u)
	out.counts, out.kept, out.stale, out.calibration = slices.Clone(m.counts), m.kept, m.stale, m.calibration
	out.reach = m.reach
	return out, nil
}

func (m *model) with(u blsupdate.Updater) *model {
	return &model{settings: m.settings, backend: m.backend, features: m.features, center: m.center, updater: u,
		constant: m.constant, slope: m.slope, smearing: m.smearing, choice: m.choice, sizes: m.sizes}
}

// equal reports whether f and g have equal encodings, and thus map all samples to the same nodes.
func (f *Features) equal(g *Features) bool {
	sum := func(of *Features) []byte {
		h := sha256.New()
		if of.Encode(h) != nil {
			return nil
		}
		return h.Sum(nil)
	}
	return f == g || bytes.Equal(sum(f), sum(g))
}
