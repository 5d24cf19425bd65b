package bls

import (
	"fmt"
	"io"
	"math"
	"slices"

	"blskernel"
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
