package bls

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"blskernel"
	"blskernel/bls/internal/choice"
	"blskernel/blsupdate"
	"blskernel/internal/io/codec"
	"blskernel/internal/linalg/backend"
)

// A kind is the first 8 bytes of the head of an encoding, which tell a Classifier from a Regressor.
type kind string

const (
	kindClassifier kind = "blsclas2"
	kindRegressor  kind = "blsregr2"
)

func (k kind) word() uint64 { return binary.LittleEndian.Uint64([]byte(k)) }

func (k kind) String() string {
	if k == kindClassifier {
		return "Classifier"
	}
	return "Regressor"
}

// encode writes the size of the head, the head and the updater. It holds no lock while it writes, so a
// slow w does not block predictions. It returns ErrNotFitted if m is nil.
func (m *model) encode(w io.Writer, k kind) error {
	if err := m.ready(background); err != nil {
		return err
	}
	var size codec.Size
	if err := writeTo(&size, func(x *codec.Coder) { m.codeHead(x, k, nil) }); err != nil {
		return err
	}
	err := writeTo(w, func(x *codec.Coder) {
		bytes := uint64(size)
		x.Uint64(&bytes)
		m.codeHead(x, k, nil)
	})
	if err != nil {
		return err
	}
	// An updater that solves for the weights at their first use does so now. The bytes are thus the
	// same before and after a prediction. From then on no prediction calls the updater.
	if _, err := m.currentWeights(background); err == nil {
		return blsupdate.Encode(w, m.updater)
	}
	// If there is no solution, every prediction calls the updater again, so copy it under the lock.
	var copied bytes.Buffer
	m.mu.Lock()
	err = blsupdate.Encode(&copied, m.updater)
	m.mu.Unlock()
	if err != nil {
		return err
	}
	_, err = copied.WriteTo(w)
	return err
}

// decodeModel reads a model; b is the backend of all its parts.
func decodeModel(r io.Reader, k kind, b blskernel.Backend) (*model, error) {
	const word = 8
	limited := &io.LimitedReader{R: r, N: word}
	head, size := codec.NewDecoder(limited, 0), 0
	head.Int("the number of bytes of the head", &size, math.MaxInt-word)
	limited.N = int64(size)
	m := &model{}
	m.codeHead(head, k, b)
	if head.End(); head.Failed() {
		return nil, fmt.Errorf("bls: %v: %w", k, head.Err())
	}
	u, err := blsupdate.Decode(r, b)
	if err == nil {
		err = m.join(u)
	}
	if err != nil {
		return nil, fmt.Errorf("bls: output layer: %w", codec.Moved(err, int64(word+size)-limited.N))
	}
	return m, nil
}

// codeHead encodes or decodes the kind k and all of the model but its output layer, with the options as
// Fit read them. b is the backend of a decoded model.
func (m *model) codeHead(x *codec.Coder, k kind, b blskernel.Backend) {
	word, s := k.word(), m.settings
	x.Uint64(&word)
	x.Check(word == k.word(), "this is not a %v", k)
	codeOptions(x, &s.features)
	x.Int("Method", (*int)(&s.method), int(blsupdate.QR)) // 0 lets Fit choose
	x.Float("Lambda", &s.update.Lambda, func(v float64) bool { return codec.IsLength(v) || v == None })
	x.Int("Classes", &s.classes, maxNodes)
	x.Int("ClassWeight", (*int)(&s.classWeight), len(classWeightNames)-1)
	x.Int("ExpectedRows", &s.rows, math.MaxInt)
	keeps, calibrated, reaches := m.kept != nil, len(m.calibration.rows) > 0, m.reach > 0 || m.sizes != nil
	codeFlags(x, &s.validate, &keeps, &calibrated, &reaches)
	if reaches {
		x.Float("the reach of the farthest sample", &m.reach, codec.IsLength)
		n := len(m.sizes)
		if x.Int("the number of column sizes", &n, maxNodes); n > 0 {
			x.Floats("the sizes of the columns", &m.sizes, n)
			checkAll(x, "a column size", m.sizes, codec.IsPositive)
		}
		x.Check(m.reach > 0 || n > 0, "the flag for a reach is set, but the reach is 0 and there are no column sizes")
	}
	logs := s.log != 0 || m.smearing != nil
	codeFlags(x, &s.intercept, &logs)
	if logs {
		m.codeLogarithms(x, &s.log)
	}
	n := len(m.center)
	if x.Int("the number of means", &n, maxNodes); n > 0 {
		x.Floats("the means of the targets", &m.center, n)
	}
	m.codeClasses(x)
	can := (m.center != nil) == s.intercept && m.constant == (k == kindClassifier)
	if k == kindClassifier {
		can = can && !s.intercept && !logs
	} else {
		can = can && s.classes == 0 && s.classWeight == Unweighted && m.counts == nil && m.slope == 0
	}
	x.Check(can, "the intercept, class settings or logarithms are not valid for a %v", k)
	if x.Reading() {
		m.features = &Features{}
	}
	m.features.code(x, b)
	if keeps && !x.Failed() {
		m.codeKept(x, k)
	}
	if calibrated && !x.Failed() {
		m.calibration.code(x, m.first())
	}
	if !x.Reading() {
		return
	}
	x.Check(m.sizes == nil || len(m.sizes) == m.features.Inputs(), "the number of column sizes is %d; want %d", len(m.sizes), m.features.Inputs())
	x.Check(s.features.agree(m.features.opt), "the options do not match the feature maps")
	s.backend = b
	m.backend, m.settings = backend.Or(b), s
}

func (m *model) codeLogarithms(x *codec.Coder, option *int) {
	codeNumber(x, "LogTargets", option, 1)
	n := 0
	if m.smearing != nil {
		n = len(m.smearing.Factors)
	}
	x.Int("the number of smearing factors", &n, maxNodes)
	x.Check(*option != 0 || n > 0, "the flag for LogTargets is set, but the option is zero and there are no smearing factors")
	x.Check(*option <= 0 || n > 0, "the smearing factors of the model of logarithms are missing")
	x.Check(*option != None || n == 0, "LogTargets is None, but there are smearing factors")
	if n > 0 {
		if x.Reading() {
			m.smearing = &choice.Smearing{}
		}
		x.Floats("the smearing factors", &m.smearing.Factors, n)
		x.Floats("the largest targets", &m.smearing.Largest, n)
		checkAll(x, "a smearing factor", m.smearing.Factors, codec.IsPositive)
		checkAll(x, "the largest value of a target", m.smearing.Largest, codec.IsPositive)
	}
}

func (m *model) codeClasses(x *codec.Coder) {
	x.Bool(&m.constant)
	n := len(m.counts)
	x.Int("the number of class counts", &n, maxNodes)
	codeEach(x, &m.counts, n, func(of *count) {
		x.Float("the number of rows of a class", &of.rows, codec.IsLength)
		x.Float("the weight of the rows of a class", &of.weight, codec.IsLength)
	})
	x.Float("the slope of the probabilities", &m.slope, codec.IsLength)
	x.Int("the number of rows used to choose the settings", &m.choice.Rows, maxNodes)
	x.Int("the number of rows held out", &m.choice.HeldOut, m.choice.Rows)
	x.Float("the held-out score", &m.choice.Score, func(v float64) bool { return v-v == 0 })
}

func (m *model) codeKept(x *codec.Coder, k kind) {
	if x.Reading() {
		m.kept = &sampleSet{}
	}
	s := m.kept
	n, weights, targets := s.rows(), len(s.weights), 0
	if s.y != nil {
		targets = s.y.RawMatrix().Cols
	}
	x.Int("the number of kept samples", &n, maxNodes)
	x.Int("the number of weights of the kept samples", &weights, n)
	x.Int("the number of targets of the kept samples", &targets, maxNodes)
	d := m.features.Inputs()
	x.Check(codec.Fits(n, d) && codec.Fits(n, targets) && (weights == 0 || weights == n) && (targets > 0) == (k == kindRegressor && n > 0),
		"the kept samples are not valid in a %v (samples %d, weights %d, targets %d)", k, n, weights, targets)
	if n == 0 || x.Failed() {
		return
	}
	x.Dense("the kept samples", &s.x, n, d)
	if weights > 0 {
		x.Lengths("the weights of the kept samples", &s.weights, n)
	}
	if targets > 0 {
		x.Dense("the targets of the kept samples", &s.y, n, targets)
		return
	}
	codeEach(x, &s.labels, n, func(label *int) { x.Int("the label of a kept sample", label, maxNodes-1) })
}

// sameOptions reports whether a and b are equal apart from the backend.
func sameOptions(a, b FeatureOptions) bool {
	a.Backend, b.Backend = nil, nil
	return a == b
}

// agree reports whether Fit can turn the options o into fitted by replacing zeros and None.
func (o FeatureOptions) agree(fitted FeatureOptions) bool {
	o.Scaling = cmp.Or(o.Scaling, fitted.Scaling)
	o.Groups = cmp.Or(o.Groups, fitted.Groups)
	o.GroupNodes = cmp.Or(o.GroupNodes, fitted.GroupNodes)
	o.EnhancementNodes = max(0, cmp.Or(o.EnhancementNodes, fitted.EnhancementNodes))
	o.Direct = max(0, cmp.Or(o.Direct, fitted.Direct))
	o.Relevance = max(0, cmp.Or(o.Relevance, fitted.Relevance))
	o.Steps = max(0, cmp.Or(o.Steps, fitted.Steps))
	o.Shrink = cmp.Or(o.Shrink, fitted.Shrink)
	return sameOptions(o, fitted)
}

// join completes a decoded model with its updater. It returns a *FormatError if the two do not match.
func (m *model) join(u blsupdate.Updater) error {
	m.updater = u
	nodes := m.features.Nodes()
	if m.settings.intercept {
		nodes++
	}
	differs := func(what string, have, want int) error {
		return &FormatError{What: fmt.Sprintf("the number of %s is %d; want %d", what, have, want)}
	}
	s, c := &m.settings, m.targets()
	switch {
	case u.Nodes() != nodes:
		return differs("nodes", u.Nodes(), nodes)
	case m.constant && c == 0:
		return &FormatError{What: fmt.Sprintf("the number of targets is %d; want at least 2", u.Targets())}
	case s.intercept && c != len(m.center):
		return differs("targets", c, len(m.center))
	case m.smearing != nil && c != len(m.smearing.Factors):
		return differs("smearing factors", len(m.smearing.Factors), c)
	case s.classes != 0 && c != s.classes:
		return differs("classes", c, s.classes)
	case m.counts != nil && c != len(m.counts):
		return differs("class counts", len(m.counts), c)
	case len(m.calibration.rows) > 0 && c != len(m.calibration.rows[0])-m.first():
		return differs("errors or scores in a row of the calibration", len(m.calibration.rows[0])-m.first(), c)
	case s.method != 0 && s.method != u.Method():
		return &FormatError{What: fmt.Sprintf("the method is %v; want %v", u.Method(), s.method)}
	}
	if kept := m.kept; kept != nil {
		if m.constant {
			kept.classes = c
		}
		if kept.rows() != u.Samples() || !kept.few() || kept.y != nil && kept.y.RawMatrix().Cols != c || checkLabels(kept.labels, max(c, 1)) != nil {
			return &FormatError{What: fmt.Sprintf("the kept samples (%d) are too many, or do not match the output layer (samples %d, targets %d)", kept.rows(), u.Samples(), c)}
		}
	}
	update := currentOptions(u)
	update.Backend = nil
	update.Lambda = s.update.Lambda
	s.update = update
	return nil
}
