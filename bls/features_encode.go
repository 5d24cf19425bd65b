package bls

import (
	"fmt"
	"io"

	"blskernel"
	"blskernel/internal/codec"
	"blskernel/mat"
)

// Encode writes the maps so that DecodeFeatures returns the same, to the last bit of every number. It
// writes whole numbers and float64 numbers of 8 bytes, little end first, and neither a name nor a
// checksum: package bls/modelfile has those.
//
//	errors: those of w.
func (f *Features) Encode(w io.Writer) error {
	f.check()
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

// encodeOptions writes o, which was valid, without its backend.
func encodeOptions(w *codec.Writer, o FeatureOptions) {
	w.Int(int(o.Scaling))
	w.Int(o.Groups)
	w.Int(o.GroupNodes)
	w.Int(o.EnhancementNodes)
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

// DecodeFeatures reads what Features.Encode wrote, up to the end of r. b computes the products, nil
// stands for blskernel.Default().
//
//	errors: *FormatError where r ends too early, has more than one Features, or what no Features can be; those of r.
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
