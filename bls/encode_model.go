package bls

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/backend"
	"blskernel/internal/codec"
)

// A kind is the kind of a model: the first 8 bytes of the head of an encoding.
type kind string

const (
	kindClassifier kind = "blsclas2"
	kindRegressor  kind = "blsregr2"

	// Those of version 1, which had neither the column of the constant target nor choices.
	kindClassifier1 kind = "blsclass"
	kindRegressor1  kind = "blsregrs"
)

// word returns the first word of the head.
func (k kind) word() uint64 { return binary.LittleEndian.Uint64([]byte(k)) }

// String returns the name of the type.
func (k kind) String() string {
	if k == kindClassifier {
		return "Classifier"
	}
	return "Regressor"
}

// old returns the kind of version 1.
func (k kind) old() kind {
	if k == kindClassifier {
		return kindClassifier1
	}
	return kindRegressor1
}

// encodedMethods are the methods in the order of their numbers in an encoding, from 1; 0 is none.
var encodedMethods = []blsupdate.Method{blsupdate.Improved, blsupdate.Original, blsupdate.RidgeInverse,
	blsupdate.InverseCholesky, blsupdate.Gram, blsupdate.QR}

// encode writes the number of bytes of the head, the head, and the updater, to the end. It holds no
// lock while it writes, so a slow w holds up no prediction. A nil model returns ErrNotFitted.
func (m *model) encode(w io.Writer, k kind) error {
	if m == nil {
		return ErrNotFitted
	}
	var size codec.Size
	if err := m.encodeHead(&size, k); err != nil {
		return err
	}
	if _, err := w.Write(binary.LittleEndian.AppendUint64(nil, uint64(size))); err != nil {
		return err
	}
	if err := m.encodeHead(w, k); err != nil {
		return err
	}
	// An updater that solves for the weights at their first use does so now, so that the bytes are
	// the same before and after a prediction. From then on no prediction calls the updater.
	if _, err := m.currentWeights(); err == nil {
		return blsupdate.Encode(w, m.updater)
	}
	// Without weights every prediction tries again, so the updater is copied under the lock.
	copied, err := m.encodedUpdater()
	if err != nil {
		return err
	}
	_, err = copied.WriteTo(w)
	return err
}

// encodedUpdater returns the encoded updater.
func (m *model) encodedUpdater() (*bytes.Buffer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var b bytes.Buffer
	return &b, blsupdate.Encode(&b, m.updater)
}

// encodeHead writes the kind, the options as Fit read them, what the model knows of its classes, and
// the feature maps.
func (m *model) encodeHead(w io.Writer, k kind) error {
	c := codec.NewWriter(w)
	s := m.settings
	c.Uint64(k.word())
	encodeOptions(c, s.features)
	c.Int(slices.Index(encodedMethods, s.method) + 1)
	c.Float64(s.update.Lambda)
	c.Int(s.classes)
	c.Int(int(s.classWeight))
	c.Int(s.rows)
	c.Bool(s.validate)
	c.Bool(s.intercept)
	c.Int(len(m.center))
	c.Float64s(m.center)
	c.Bool(m.constant)
	c.Int(len(m.counts))
	for _, n := range m.counts {
		c.Float64(n.rows)
		c.Float64(n.weight)
	}
	c.Float64(m.slope)
	c.Int(m.choice.Rows)
	c.Int(m.choice.HeldOut)
	c.Float64(m.choice.Score)
	m.features.encode(c)
	return c.Flush()
}

// decodeModel reads what encode wrote, up to the end of r. b is the backend of all parts.
func decodeModel(r io.Reader, k kind, b blskernel.Backend) (*model, error) {
	var word [8]byte
	n, err := io.ReadFull(r, word[:])
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		what := fmt.Sprintf("the end after %d of %d bytes that have to be there", n, len(word))
		return nil, fmt.Errorf("bls: %w", &FormatError{Offset: int64(n), What: what, Err: err})
	}
	size := binary.LittleEndian.Uint64(word[:])
	if size > math.MaxInt64-8 {
		return nil, fmt.Errorf("bls: %w", &FormatError{What: fmt.Sprintf("a head of %d bytes", size)})
	}
	limited := &io.LimitedReader{R: r, N: int64(size)}
	head := codec.NewReaderAt(limited, int64(len(word)))
	m, old := decodeHead(head, k, b)
	head.End()
	if err := head.Err(); err != nil {
		return nil, fmt.Errorf("bls: %v: %w", k, err)
	}
	begin := int64(len(word)) + int64(size)
	if limited.N > 0 {
		what := fmt.Sprintf("the end after %d of the %d bytes of a head", int64(size)-limited.N, size)
		err := &FormatError{Offset: begin - limited.N, What: what, Err: io.ErrUnexpectedEOF}
		return nil, fmt.Errorf("bls: %v: %w", k, err)
	}
	u, err := blsupdate.Decode(r, b)
	if err == nil {
		err = m.join(u, old)
	}
	if err != nil {
		return nil, fmt.Errorf("bls: output layer: %w", codec.Moved(err, begin))
	}
	return m, nil
}

// decodeHead reads what encodeHead wrote, in this version or the first. r has the error if that is no
// head of that kind; old reports whether it is of the first.
func decodeHead(r *codec.Reader, k kind, b blskernel.Backend) (m *model, old bool) {
	word := r.Uint64()
	old = word == k.old().word()
	if word != k.word() && !old {
		r.Fail("this is no %v", k)
	}
	m = &model{backend: backend.Or(b)}
	s := &m.settings
	*s = settings{backend: b, features: decodeOptions(r, nil)}
	if !old {
		if n := r.Int("Method", len(encodedMethods)); n > 0 {
			s.method = encodedMethods[n-1]
		}
		s.update.Lambda = decodeNumber(r, "Lambda", func(v float64) bool { return v >= 0 || v == None })
	}
	s.classes = r.Int("Classes", maxNodes)
	if !old {
		s.classWeight = ClassWeight(r.Int("ClassWeight", len(classWeightNames)-1))
		s.rows = r.Int("ExpectedRows", math.MaxInt)
		s.validate = r.Bool()
	}
	s.intercept = r.Bool()
	if n := r.Int("the number of means", maxNodes); n > 0 {
		m.center = decodeVector(r, "the means of the targets", n)
	}
	if !old {
		m.decodeClasses(r)
	}
	if (m.center != nil) != s.intercept || k == kindClassifier && s.intercept ||
		k == kindRegressor && (s.classes != 0 || s.classWeight != Unweighted || m.constant || m.counts != nil || m.slope != 0) {
		r.Fail("the intercept and the classes are not those of a %v", k)
	}
	if m.features = decodeFeatures(r, b); m.features == nil {
		return nil, old
	}
	if !s.features.agree(m.features.opt) {
		r.Fail("the options are not those that the feature maps were fitted with")
	}
	if old {
		s.features = m.features.opt
		s.features.Backend = nil
		s.features.EnhancementNodes = orNone(s.features.EnhancementNodes)
	}
	return m, old
}

// decodeClasses reads what the model knows of its classes, and what Fit chose.
func (m *model) decodeClasses(r *codec.Reader) {
	m.constant = r.Bool()
	for range r.Int("the number of counts of classes", maxNodes) {
		n := count{decodeNumber(r, "a number of rows", notNegative), decodeNumber(r, "a weight of rows", notNegative)}
		if r.Err() != nil {
			return
		}
		m.counts = append(m.counts, n)
	}
	m.slope = decodeNumber(r, "the slope of the probabilities", notNegative)
	m.choice.Rows = r.Int("the rows of the choice", maxNodes)
	m.choice.HeldOut = r.Int("the rows held out", m.choice.Rows)
	m.choice.Score = decodeNumber(r, "the held-out score", func(float64) bool { return true })
}

func notNegative(v float64) bool { return v >= 0 }

// decodeNumber reads a finite number that is valid.
func decodeNumber(r *codec.Reader, what string, valid func(float64) bool) float64 {
	v := r.Float64()
	if math.IsNaN(v-v) || !valid(v) {
		r.Fail("%s is %v", what, v)
	}
	return v
}

// sameOptions reports whether two options differ in the backend at most.
func sameOptions(a, b FeatureOptions) bool {
	a.Backend, b.Backend = nil, nil
	return a == b
}

// agree reports whether a fit with the options o, in which zeros are chosen, can have had the options
// fitted.
func (o FeatureOptions) agree(fitted FeatureOptions) bool {
	o.Scaling = cmp.Or(o.Scaling, fitted.Scaling)
	o.Groups = cmp.Or(o.Groups, fitted.Groups)
	o.GroupNodes = cmp.Or(o.GroupNodes, fitted.GroupNodes)
	o.EnhancementNodes = max(0, cmp.Or(o.EnhancementNodes, fitted.EnhancementNodes))
	o.Shrink = cmp.Or(o.Shrink, fitted.Shrink)
	return sameOptions(o, fitted)
}

// join completes a decoded model with its updater, or returns a *FormatError unless that fits the rest.
// An old model does not say what Fit chose.
func (m *model) join(u blsupdate.Updater, old bool) error {
	m.updater = u
	nodes := m.features.Nodes()
	if m.settings.intercept {
		nodes++
	}
	differs := func(what string, have, want int) error {
		return &FormatError{What: fmt.Sprintf("there are %d %s, and should be %d", have, what, want)}
	}
	s, c := &m.settings, m.targets()
	switch {
	case u.Nodes() != nodes:
		return differs("nodes", u.Nodes(), nodes)
	case m.constant && c == 0:
		return differs("targets", u.Targets(), 2)
	case s.intercept && c != len(m.center):
		return differs("targets", c, len(m.center))
	case s.classes != 0 && c != s.classes:
		return differs("classes", c, s.classes)
	case m.counts != nil && c != len(m.counts):
		return differs("counts of classes", len(m.counts), c)
	case !old && s.method != 0 && s.method != u.Method():
		return &FormatError{What: fmt.Sprintf("the method is %v, and should be %v", u.Method(), s.method)}
	}
	update := currentOptions(u)
	update.Backend = nil
	if old {
		s.method = u.Method()
	} else {
		update.Lambda = s.update.Lambda
	}
	s.update = update
	return nil
}
