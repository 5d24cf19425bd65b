package scaleout

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"

	"blskernel/mat"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// The encoding of a Batch: the byte batchVersion, a byte that says what follows, the path of the shard,
// First, and the numbers of rows and columns as varints; then the elements of X, and either those of Y
// or the labels. Elements are float64, little-endian, row-major and without gaps. Of the labels there
// is each text once, in the order in which they appear first, and then for each row the number of its
// text.
const (
	batchVersion = 1
	batchTargets = 'Y'
	batchLabels  = 'L'
)

func init() {
	beam.RegisterCoder(reflect.TypeFor[Batch](), encodeBatch, decodeBatch)
}

// encodeBatch returns the encoding of b. Its error is for a batch that is none.
func encodeBatch(b Batch) ([]byte, error) {
	if err := b.check(); err != nil {
		return nil, err
	}
	rows, d := b.X.Dims()
	kind, c := byte(batchLabels), 0
	if b.Y != nil {
		kind = batchTargets
		_, c = b.Y.Dims()
	}
	out := make([]byte, 0, 64+len(b.Shard)+8*rows*(d+c)+2*len(b.Labels))
	out = append(out, batchVersion, kind)
	out = appendText(out, b.Shard)
	out = binary.AppendVarint(out, b.First)
	for _, size := range []int{rows, d, c} {
		out = binary.AppendUvarint(out, uint64(size))
	}
	out = appendElements(out, b.X)
	if b.Y != nil {
		return appendElements(out, b.Y), nil
	}
	return appendLabels(out, b.Labels), nil
}

func appendText(out []byte, text string) []byte {
	return append(binary.AppendUvarint(out, uint64(len(text))), text...)
}

func appendElements(out []byte, m *mat.Dense) []byte {
	rows, _ := m.Dims()
	for i := range rows {
		for _, v := range m.RawRowView(i) {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		}
	}
	return out
}

func appendLabels(out []byte, labels []string) []byte {
	numbers := map[string]uint64{}
	var texts []string
	for _, label := range labels {
		if _, known := numbers[label]; !known {
			numbers[label] = uint64(len(texts))
			texts = append(texts, label)
		}
	}
	out = binary.AppendUvarint(out, uint64(len(texts)))
	for _, text := range texts {
		out = appendText(out, text)
	}
	for _, label := range labels {
		out = binary.AppendUvarint(out, numbers[label])
	}
	return out
}

// decodeBatch reads what encodeBatch has returned. Anything else is an error, for which no more is
// allocated than a few times what there is to read.
func decodeBatch(in []byte) (Batch, error) {
	r := &batchReader{in: in}
	version, kind := r.byte(), r.byte()
	if r.err == nil && (version != batchVersion || kind != batchTargets && kind != batchLabels) {
		r.fail("it begins with the bytes %d and %d", version, kind)
	}
	b := Batch{Shard: r.text(), First: r.varint()}
	rows, d, c := r.size(), r.size(), r.size()
	if r.err == nil && (rows == 0 || d == 0 || (kind == batchTargets) != (c > 0)) {
		r.fail("it has %d rows of %d inputs and %d targets", rows, d, c)
	}
	b.X = r.elements(rows, d)
	if kind == batchTargets {
		b.Y = r.elements(rows, c)
	} else {
		b.Labels = r.labels(rows)
	}
	if r.err == nil && len(r.in) > 0 {
		r.fail("it goes on for %d bytes after its end", len(r.in))
	}
	if r.err != nil {
		return Batch{}, fmt.Errorf("scaleout: decoding a batch: %w", r.err)
	}
	return b, nil
}

// A batchReader reads the parts of an encoding. After the first error everything it returns is zero.
type batchReader struct {
	in  []byte
	err error
}

var errBatchEnds = errors.New("it ends too early")

func (r *batchReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err, r.in = fmt.Errorf(format, args...), nil
	}
}

// take returns the next n bytes.
func (r *batchReader) take(n int) []byte {
	if r.err != nil {
		return nil
	}
	if n > len(r.in) {
		r.err, r.in = errBatchEnds, nil
		return nil
	}
	out := r.in[:n]
	r.in = r.in[n:]
	return out
}

func (r *batchReader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *batchReader) varint() int64 {
	v, n := binary.Varint(r.in)
	return r.number(n, v)
}

// size returns a number that is at most that of the bytes that follow: all that is counted takes at
// least one byte.
func (r *batchReader) size() int {
	v, n := binary.Uvarint(r.in)
	if n > 0 && v > uint64(len(r.in)) {
		r.fail("it counts %d of something, and has %d bytes", v, len(r.in))
		return 0
	}
	return int(r.number(n, int64(v)))
}

// number takes the n bytes of the varint v; n is at most 0 where there is none.
func (r *batchReader) number(n int, v int64) int64 {
	if r.err == nil && n <= 0 {
		r.err, r.in = errBatchEnds, nil
	}
	if r.take(max(n, 0)) == nil {
		return 0
	}
	return v
}

func (r *batchReader) text() string { return string(r.take(r.size())) }

func (r *batchReader) elements(rows, cols int) *mat.Dense {
	if r.err == nil && rows > len(r.in)/8/cols { // no product that may overflow
		r.err = errBatchEnds
	}
	if r.err != nil {
		return nil
	}
	data := make([]float64, rows*cols)
	in := r.take(8 * len(data))
	for i := range data {
		data[i] = math.Float64frombits(binary.LittleEndian.Uint64(in[8*i:]))
	}
	return mat.NewDense(rows, cols, data)
}

func (r *batchReader) labels(rows int) []string {
	count := r.size()
	if r.err == nil && (count == 0 || count > rows) {
		r.fail("it has %d different labels of %d rows", count, rows)
	}
	if r.err != nil {
		return nil
	}
	texts := make([]string, count)
	for i := range texts {
		texts[i] = r.text()
	}
	if r.err == nil && rows > len(r.in) {
		r.err = errBatchEnds
	}
	if r.err != nil {
		return nil
	}
	labels := make([]string, rows)
	for i := range labels {
		number, n := binary.Uvarint(r.in)
		if n > 0 && number >= uint64(count) {
			r.fail("it has the label number %d of %d", number, count)
		}
		if r.number(n, 0); r.err != nil {
			return nil
		}
		labels[i] = texts[number]
	}
	return labels
}
