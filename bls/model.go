package bls

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"blskernel"
	"blskernel/bls/internal/choice"
	"blskernel/blsupdate"
	"blskernel/internal/io/interrupt"
	"blskernel/internal/io/memory"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/floats"
	"blskernel/mat"
)

var background = context.Background()

// ErrNotFitted is returned by methods of a Classifier, Regressor or Features that is not fitted yet.
var ErrNotFitted = errors.New("bls: the model is not fitted; call Fit or PartialFit first")

func orNone[T int | float64](v T) T {
	if v == 0 {
		return None
	}
	return v
}

// settings are the options of a Classifier or a Regressor.
type settings struct {
	backend     blskernel.Backend
	features    FeatureOptions
	method      blsupdate.Method
	update      blsupdate.Options
	classes     int // of a Classifier; 0 infers the number from the labels
	classWeight ClassWeight
	intercept   bool
	validate    bool
	log         int       // LogTargets of a Regressor
	columns     []float64 // weights of the columns of S, by their relevance; nil for ones
	rows        int       // the total number of rows expected; 0 stands for the rows of the fit
}

// A Choice holds the held-out score of the settings that Fit chose, and how many rows the choice used.
type Choice struct {
	Rows    int     // how many rows were used, including held-out ones; 0 if there was no choice
	HeldOut int     // the number of rows that Score is measured on; with QR about a quarter of Rows
	Score   float64 // of the chosen settings on the held-out rows: accuracy from 0 to 1, or R²
}

// A model combines fitted feature maps with the updater of the output layer: scores = A W or, with an
// intercept, [A, 1] W + 1·centerᵀ. Classifier and Regressor embed it.
type model struct {
	settings settings // as Fit read them
	backend  blskernel.Backend
	features *Features
	updater  blsupdate.Updater

	// center holds the means of the first targets, which are subtracted from all targets before the
	// updater learns them. It is nil without an intercept.
	center []float64

	// constant says that column 0 of the updater's targets is 1 for every row, so that its negative
	// is the column of a new class. It is true for Classifiers only.
	constant bool
	// counts has one count for each class; nil if the counts are unknown, as after WithUpdater.
	counts []count
	slope  float64 // of the probabilities; 0 stands for DefaultSlope
	// smearing turns the scores of a model of logarithms into predictions; nil in other models.
	smearing *choice.Smearing
	choice   Choice

	calibration calibration
	kept        *sampleSet // all samples so far while they are few and the maps are not fixed; otherwise nil
	stale       bool       // the model is not yet fitted to all kept samples

	reach float64   // of the farthest row learned, 0 if unknown
	sizes []float64 // root mean squares of the columns of S over the first rows, nil if reach is computed from nodes

	// weights is the updater's W without the column of the constant target, or nil if W has changed
	// since the model last fetched it. mu protects weights, the updater's caches and, while stale
	// is true, all fields that become sets.
	mu      sync.Mutex
	weights *mat.Dense
}

// startModel returns a new model with the settings s, fitted to the samples of in, which it checks.
func startModel(ctx context.Context, s settings, in sampleSet) (*model, error) {
	y, counts, weights, err := in.first(0, 0, s.classWeight)
	if err == nil {
		err = s.check(y, in.weights)
	}
	if err != nil {
		return nil, err
	}
	given, x := s, in.x
	l, d := x.Dims()
	s = prepare(s, max(choice.Positive(l, weights), s.rows), d)
	_, c := y.Dims()
	if err := checkModelMemory(s, l, d, c); err != nil {
		return nil, err
	}
	s, by, err := choose(ctx, s, x, y, in.labels, weights)
	if err != nil {
		return nil, err
	}
	f, a, err := fit(ctx, x, s.features, s.columns, true, s.intercept)
	if err != nil {
		return nil, err
	}
	m := &model{settings: given, backend: s.backend, features: f, constant: in.classes != 0, counts: counts,
		choice: by.Choice, calibration: calibration{rows: by.held}}
	if s.log > 0 {
		m.smearing = &choice.Smearing{Factors: by.factors, Largest: choice.Maxima(y, weights)}
		if by.factors == nil { // no rows could be held out: the model predicts medians
			m.smearing.Factors = slices.Repeat([]float64{1}, c)
		}
	}
	if m.sizes, err = f.sizes(ctx, x); err != nil {
		return nil, err
	}
	if m.reach, err = m.farthest(ctx, x, a, weights); err != nil {
		return nil, err
	}
	if s.intercept {
		learned, err := m.learned(y, weights)
		if err != nil {
			return nil, err
		}
		m.center = columnMeans(learned, weights)
	}
	if y, err = m.centered(y, weights); err != nil {
		return nil, err
	}
	if y, err = weigh(a, y, weights); err != nil {
		return nil, err
	}
	m.updater, err = blsupdate.NewContext(ctx, s.method, a, y, s.update)
	if err != nil {
		return nil, err
	}
	// Fail now if the model cannot predict, unless more rows can change that.
	var rank *blsupdate.RankError
	if _, err := m.currentWeights(ctx); err != nil && !errors.As(err, &rank) {
		return nil, err
	}
	if err := m.calibrateFit(ctx, in, weights); err != nil {
		return nil, err
	}
	return m, nil
}

// checkModelMemory returns a *MemoryError unless there is memory for a fit to l samples of d inputs and
// c targets: the maps, the nodes and the state of the output layer. It leaves invalid options to fit.
func checkModelMemory(s settings, l, d, c int) error {
	opt, err := s.features.resolve()
	if err != nil {
		return nil
	}
	n, n3 := opt.Groups*opt.GroupNodes, opt.EnhancementNodes
	k := opt.nodes(d)
	if s.intercept {
		k++
	}
	s.method = cmp.Or(s.method, blsupdate.Gram)
	state := blsupdate.StateBytes(s.method, l, max(k, 0), c)
	const do = "use fewer nodes, fit fewer samples at once and add the others with PartialFit, " +
		"or use gram in place of improved or original"
	return memory.Check(memory.Sum(mapsBytes(d, n, n3), memory.Floats(l, k), state), "bls", do,
		"a fit of %d nodes to %d samples with the method %v", k, l, s.method)
}

// add learns from x (q×d) and y (q×c), which have passed checkRows; y is finite. On an error the model
// is unchanged: AddInputsContext, the last step that can fail, then leaves the updater unchanged. If y
// has new classes, a copy of the updater learns the rows.
func (m *model) add(ctx context.Context, x, y *mat.Dense, weights []float64) (err error) {
	maps := m.features
	m.features = maps.withVarying(x)
	defer func() {
		if err != nil {
			m.features = maps
		}
	}()
	a, learned, far, err := m.rows(ctx, x, y, weights)
	if err != nil {
		return err
	}
	u := m.updater
	if _, c := y.Dims(); c > u.Targets() {
		if u, err = m.withTargets(c); err != nil {
			return err
		}
	}
	if err := m.checkOutlier(ctx, u, a, learned, weights, far); err != nil {
		return err
	}
	if err := u.AddInputsContext(ctx, a, learned, nil); err != nil {
		return err
	}
	if u != m.updater {
		classes := u.Targets() - 1
		m.calibration = m.calibration.relabeled(factor.Indices(classes), classes)
	}
	m.updater, m.weights = u, nil
	m.boundBy(choice.Maxima(y, weights))
	if m.reach > 0 {
		m.reach = max(m.reach, far)
	}
	return nil
}

// rows returns what the updater learns from x (q×d) and y (q×c), checked as in add: A or [A, 1], in new
// storage, and centered(y). It multiplies the rows of both by the square roots of weights, unless
// weights is nil. far is the result of farthest. rows reads only the number of nodes from the updater.
func (m *model) rows(ctx context.Context, x, y *mat.Dense, weights []float64) (a, targets *mat.Dense, far float64, err error) {
	if targets, err = m.centered(y, weights); err != nil {
		return nil, nil, 0, err
	}
	q, _ := x.Dims()
	if err := checkMemory(0, q, m.updater.Nodes()); err != nil {
		return nil, nil, 0, err
	}
	a = newRows(q, m.features.Nodes(), m.center != nil)
	if err := m.expand(ctx, a, x); err != nil {
		return nil, nil, 0, err
	}
	if far, err = m.farthest(ctx, x, a, weights); err != nil {
		return nil, nil, 0, err
	}
	targets, err = weigh(a, targets, weights)
	return a, targets, far, err
}

// inputs returns d. It locks mu, since another goroutine may be fitting the model to its kept samples.
func (m *model) inputs() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.features.Inputs()
}

// targets returns c. It locks mu for the same reason as inputs.
func (m *model) targets() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept != nil && m.kept.classes > 0 {
		return m.kept.classes
	}
	c := m.updater.Targets()
	if m.constant {
		c--
	}
	return c
}

// expand writes the nodes A of the checked samples x to a, which newRows has allocated.
func (m *model) expand(ctx context.Context, a, x *mat.Dense) error {
	rows, _ := x.Dims()
	return m.features.transform(ctx, a.Slice(0, rows, 0, m.features.Nodes()).(*mat.Dense), x)
}

// centered returns y, or its logarithms, less the means of the first targets if there is an intercept.
func (m *model) centered(y *mat.Dense, weights []float64) (*mat.Dense, error) {
	y, err := m.learned(y, weights)
	if err != nil || m.center == nil {
		return y, err
	}
	out := deviations(y, m.center)
	if floats.FirstNonFinite(out.RawMatrix().Data) >= 0 {
		return nil, blsupdate.ErrOverflow
	}
	return out, nil
}

// eachScores computes A W plus any intercept, or the predictions of a model of logarithms, in panels of
// rows of some 10 MB. If use is nil, it returns them for all samples x. Otherwise it calls use with the
// nodes and scores of each panel, in order, and holds only one panel. Several calls may run at once,
// but none during add. It returns ErrNotFitted if m is nil.
func (m *model) eachScores(ctx context.Context, x *mat.Dense, use func(nodes, scores *mat.Dense) error) (*mat.Dense, error) {
	if m == nil {
		return nil, ErrNotFitted
	}
	if err := checkSamples(x, m.inputs()); err != nil {
		return nil, err
	}
	if err := interrupt.Check(ctx); err != nil {
		return nil, err
	}
	w, err := m.currentWeights(ctx)
	if err != nil {
		return nil, err
	}
	l, d := x.Dims()
	k, c := w.Dims()
	rows := min(l, panelRows(max(d+1, k, c)))
	kept := l
	if use != nil {
		kept = rows
	}
	const do = "use fewer rows at once"
	if err := memory.Check(memory.Floats(kept, c), "bls", do, "a %d×%d matrix of scores", kept, c); err != nil {
		return nil, err
	}
	out, work := mat.NewDense(kept, c, nil), newRows(rows, m.features.Nodes(), m.center != nil)
	err = interrupt.EachPanel(ctx, l, rows, func(from, to int) error {
		a := work.Slice(0, to-from, 0, k).(*mat.Dense)
		if err := m.expand(ctx, a, x.Slice(from, to, 0, d).(*mat.Dense)); err != nil {
			return moved(err, func(row int) int { return from + row })
		}
		at := from
		if use != nil {
			at = 0
		}
		scores := out.Slice(at, at+to-from, 0, c).(*mat.Dense)
		mat.Mul(m.backend, scores, a, w)
		for i := range to - from {
			row := scores.RawRowView(i)
			for j, v := range m.center {
				row[j] += v
			}
		}
		if i := firstNotFinite(scores); i >= 0 {
			return &OverflowError{What: "the prediction", Row: from + i, Col: -1}
		}
		if m.smearing != nil {
			m.smearing.Predict(scores)
		}
		if use != nil {
			return use(a, scores)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// currentWeights makes the model ready and returns W. It calls the updater at the first use, not after
// every update, since an updater may have to solve for W.
func (m *model) currentWeights(ctx context.Context) (*mat.Dense, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.readyLocked(ctx); err != nil {
		return nil, err
	}
	if m.weights == nil {
		w, err := m.updater.WeightsContext(ctx)
		if err != nil {
			return nil, err
		}
		if k, c := w.Dims(); m.constant {
			w = w.Slice(0, k, 1, c).(*mat.Dense)
		}
		m.weights = w
	}
	return m.weights, nil
}

// Weights returns a copy of the weights W of the output layer, k×c. For a Regressor W is (k+1)×c: its
// last row belongs to the column of ones, which NoIntercept leaves out. With LogTargets the weights
// predict logarithms.
//
//	errors: ErrNotFitted; as blsupdate.Updater.Weights.
func (m *model) Weights() (*mat.Dense, error) { return m.WeightsContext(background) }

// WeightsContext is like Weights but checks ctx before it solves for W.
func (m *model) WeightsContext(ctx context.Context) (*mat.Dense, error) {
	if m == nil {
		return nil, ErrNotFitted
	}
	w, err := m.currentWeights(ctx)
	return copyOf(w), err
}

// Choice returns the held-out score of the settings that Fit chose, and how many rows the choice used.
// It is the zero value before the first Fit and if no rows were held out.
func (m *model) Choice() Choice { return m.orEmpty().choice }

// Updater returns the output layer, for its Samples, Nodes, Condition and Report. It learns the targets
// that Expand returns. The result is nil before the first Fit, and if the model cannot be fitted to the
// samples that it keeps: Weights then returns the error. The output layer belongs to the model: use it
// only while no method of the model runs, and do not change it.
func (m *model) Updater() blsupdate.Updater { return m.orEmpty().updater }

// FittedFeatures returns the feature maps of the model, or nil where Updater returns nil.
func (m *model) FittedFeatures() *Features { return m.orEmpty().features }

// Calibrated reports whether the model has a calibration. If so, intervals, sets and probabilities rest
// on errors of predictions for rows that were not learned, or were predicted as if left out.
func (m *model) Calibrated() bool { return len(m.orEmpty().calibration.rows) > 0 }

// orEmpty makes m ready and returns it, or an empty model if m is nil or cannot be fitted.
func (m *model) orEmpty() *model {
	if m.ready(background) != nil {
		return &model{}
	}
	return m
}
