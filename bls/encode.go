package bls

import (
	"bytes"
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
	"blskernel/internal/isfinite"
	"blskernel/mat"
)

// Encode writes the maps; DecodeFeatures returns the same maps to the last bit. It writes integers and
// float64 numbers as 8 bytes, little-endian, and neither a name nor a checksum, which package
// bls/modelfile adds. Its errors are those of w.
func (f *Features) Encode(w io.Writer) error {
	c := codec.NewWriter(w)
	f.encode(c)
	return c.Flush()
}

// encode writes d, the options, and the numbers in the order of the fields.
func (f *Features) encode(w *codec.Writer) {
	w.Int(f.Inputs())
	encodeOptions(w, f.opt)
	w.Float64s(f.means)
	w.Float64s(f.deviations)
	encodeMatrix(w, f.weights)
	w.Float64s(f.offset)
	w.Float64s(f.gain)
	w.Float64(f.scale)
	if f.enhancement != nil {
		encodeMatrix(w, f.enhancement)
	}
}

// encodedScalings are the scalings in the order of their numbers in an encoding.
var encodedScalings = []Scaling{ScaleSamples, ScaleColumns, ScaleNone, ScaleAuto}

// encodeOptions writes o, which is valid, without its backend.
func encodeOptions(w *codec.Writer, o FeatureOptions) {
	w.Int(slices.Index(encodedScalings, o.Scaling))
	w.Int(o.Groups)
	w.Int(o.GroupNodes)
	w.Uint64(uint64(int64(o.EnhancementNodes)))
	w.Float64(o.Shrink)
	w.Bool(o.Unscaled)
	w.Int(int(o.Enhancement))
	w.Uint64(o.Seed)
}

// encodeMatrix writes the elements of m, row after row.
func encodeMatrix(w *codec.Writer, m *mat.Dense) {
	rows, _ := m.Dims()
	for i := range rows {
		w.Float64s(m.RawRowView(i))
	}
}

// DecodeFeatures reads what Features.Encode wrote, up to the end of r. b computes the products; nil
// stands for blskernel.Default().
//
//	errors: *FormatError if r ends too early, has more than one Features, or numbers that no
//	Features can have; those of r.
//	memory: that of DecodeClassifier.
func DecodeFeatures(r io.Reader, b blskernel.Backend) (*Features, error) {
	c := codec.NewReader(r)
	f := decodeFeatures(c, b)
	c.End()
	if err := c.Err(); err != nil {
		return nil, fmt.Errorf("bls: feature maps: %w", err)
	}
	return f, nil
}

// decodeFeatures reads what encode wrote. r has the error if that is no Features.
func decodeFeatures(r *codec.Reader, b blskernel.Backend) *Features {
	d := r.Int("the number of inputs", maxNodes)
	if d < 1 {
		r.Fail("there are no inputs")
	}
	given := decodeOptions(r, b)
	if r.Err() != nil {
		return nil
	}
	opt, err := given.resolve()
	switch {
	case err != nil:
		r.Fail("%v", err)
	case !sameOptions(opt, given):
		r.Fail("an option has no value")
	}
	if r.Err() != nil {
		return nil
	}
	f := &Features{opt: opt}
	if opt.Scaling == ScaleColumns {
		f.means = decodeVector(r, "the means", d)
		f.deviations = decodeVector(r, "the deviations", d)
		checkAll(r, "a deviation", f.deviations, func(v float64) bool { return v >= smallestNormal })
	}
	n, n3 := opt.Groups*opt.GroupNodes, opt.EnhancementNodes
	f.weights = decodeMatrix(r, "the weights of the feature nodes", d+1, n)
	f.offset = decodeVector(r, "the minima of the feature nodes", n)
	f.gain = decodeVector(r, "the factors of the feature nodes", n)
	checkAll(r, "a factor of a feature node", f.gain, func(v float64) bool { return v > 0 && v <= maxGain })
	f.scale = r.Float64()
	scaled := n3 > 0 && !opt.Unscaled
	if !(f.scale >= 0) || math.IsInf(f.scale, 1) || !scaled && f.scale != 1 {
		r.Fail("the factor of the enhancement nodes is %v", f.scale)
	}
	if n3 > 0 {
		f.enhancement = decodeMatrix(r, "the weights of the enhancement nodes", n+1, n3)
	}
	if r.Err() != nil {
		return nil
	}
	return f
}

// decodeOptions reads what encodeOptions wrote; resolve checks the values.
func decodeOptions(r *codec.Reader, b blskernel.Backend) FeatureOptions {
	return FeatureOptions{
		Scaling:          encodedScalings[r.Int("Scaling", len(encodedScalings)-1)],
		Groups:           r.Int("Groups", maxNodes),
		GroupNodes:       r.Int("GroupNodes", maxNodes),
		EnhancementNodes: decodeNodes(r),
		Shrink:           r.Float64(),
		Unscaled:         r.Bool(),
		Enhancement:      EnhancementWeights(r.Int("Enhancement", maxNodes)),
		Seed:             r.Uint64(),
		Backend:          b,
	}
}

// decodeNodes reads a number of enhancement nodes, or None.
func decodeNodes(r *codec.Reader) int {
	n := r.Uint64()
	switch {
	case int64(n) == None:
		return None
	case n > maxNodes:
		r.Fail("EnhancementNodes is %d, and can be at most %d", n, maxNodes)
		return 0
	}
	return int(n)
}

// decodeVector reads n finite numbers.
func decodeVector(r *codec.Reader, what string, n int) []float64 {
	x := r.Float64s(n)
	if i := isfinite.First(x); i >= 0 {
		r.Fail("element %d of %s is %v", i, what, x[i])
	}
	return x
}

// decodeMatrix reads a rows×cols matrix of finite numbers, or returns nil.
func decodeMatrix(r *codec.Reader, what string, rows, cols int) *mat.Dense {
	if r.Err() != nil {
		return nil
	}
	// With 32 bits, one more than the largest number of inputs is negative.
	if rows < 1 || rows > math.MaxInt/8/cols {
		r.Fail("%s are a %d×%d matrix, which no memory holds", what, rows, cols)
		return nil
	}
	data := decodeVector(r, what, rows*cols)
	if r.Err() != nil {
		return nil
	}
	return mat.NewDense(rows, cols, data)
}

// checkAll makes an error of the first number that is not valid.
func checkAll(r *codec.Reader, what string, x []float64, valid func(float64) bool) {
	for _, v := range x {
		if !valid(v) {
			r.Fail("%s is %v", what, v)
			return
		}
	}
}

// A kind is the kind of a model: the first 8 bytes of the head of an encoding.
type kind string

const (
	kindClassifier kind = "blsclass"
	kindRegressor  kind = "blsregrs"
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

// encodeHead writes the kind, the options of the fit except those of the updater, the means of the
// first targets, and the feature maps.
func (m *model) encodeHead(w io.Writer, k kind) error {
	c := codec.NewWriter(w)
	s := m.settings
	c.Uint64(k.word())
	encodeOptions(c, s.features)
	c.Int(s.classes)
	c.Bool(s.intercept)
	c.Int(len(m.center))
	c.Float64s(m.center)
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
	m := decodeHead(head, k, b)
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
	if m.updater, err = blsupdate.Decode(r, b); err == nil {
		err = m.fits()
	}
	if err != nil {
		return nil, fmt.Errorf("bls: output layer: %w", codec.Moved(err, begin))
	}
	m.settings.method, m.settings.update = m.updater.Method(), currentOptions(m.updater)
	m.settings.update.Backend = nil
	return m, nil
}

// decodeHead reads what encodeHead wrote. r has the error if that is no head of that kind.
func decodeHead(r *codec.Reader, k kind, b blskernel.Backend) *model {
	if r.Uint64() != k.word() {
		r.Fail("this is no %v", k)
	}
	s := settings{backend: b, features: decodeOptions(r, nil)}
	s.classes = r.Int("Classes", maxNodes)
	s.intercept = r.Bool()
	m := &model{backend: backend.Or(b), settings: s}
	if n := r.Int("the number of means", maxNodes); n > 0 {
		m.center = r.Float64s(n)
	}
	if i := isfinite.First(m.center); i >= 0 {
		r.Fail("mean %d of the targets is %v", i, m.center[i])
	}
	if (m.center != nil) != s.intercept || k == kindClassifier && s.intercept || k == kindRegressor && s.classes != 0 {
		r.Fail("the intercept and the classes are not those of a %v", k)
	}
	if m.features = decodeFeatures(r, b); m.features == nil {
		return nil
	}
	// The maps have the options with the defaults in place of zeros.
	s.features.Backend = b
	if opt, err := s.features.resolve(); err != nil || !sameOptions(opt, m.features.opt) {
		r.Fail("the options are not those that the feature maps were fitted with")
	}
	return m
}

// sameOptions reports whether two options differ in the backend at most.
func sameOptions(a, b FeatureOptions) bool {
	a.Backend, b.Backend = nil, nil
	return a == b
}

// fits returns a *FormatError unless the updater fits the rest of the model.
func (m *model) fits() error {
	nodes := m.features.Nodes()
	if m.settings.intercept {
		nodes++
	}
	targets := m.updater.Targets()
	differs := func(what string, have, want int) error {
		return &FormatError{What: fmt.Sprintf("there are %d %s, and should be %d", have, what, want)}
	}
	switch {
	case m.updater.Nodes() != nodes:
		return differs("nodes", m.updater.Nodes(), nodes)
	case m.settings.intercept && targets != len(m.center):
		return differs("targets", targets, len(m.center))
	case m.settings.classes != 0 && targets != m.settings.classes:
		return differs("classes", targets, m.settings.classes)
	}
	return nil
}
