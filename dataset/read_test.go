package dataset

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/iotest"
)

// idx returns an idx file of unsigned bytes with the given dimensions and body, whether or not they
// belong together.
func idx(body []byte, dims ...uint32) []byte {
	out := []byte{0, 0, 8, byte(len(dims))}
	for _, d := range dims {
		out = binary.BigEndian.AppendUint32(out, d)
	}
	return append(out, body...)
}

// matrixFile returns a binary matrix with the given number of dimensions, fields for them, and
// elements, whether or not they belong together.
func matrixFile(of elementType, nd uint32, fields []uint32, body []byte) []byte {
	out := binary.LittleEndian.AppendUint32(nil, of.magic)
	out = binary.LittleEndian.AppendUint32(out, nd)
	for _, d := range fields {
		out = binary.LittleEndian.AppendUint32(out, d)
	}
	return append(out, body...)
}

// matrixOf is matrixFile with fields of 1 for the dimensions that a header has beyond those used.
func matrixOf(of elementType, body []byte, dims ...uint32) []byte {
	fields := slices.Clone(dims)
	for len(fields) < leastDimFields {
		fields = append(fields, 1)
	}
	return matrixFile(of, uint32(len(dims)), fields, body)
}

func int32s(values ...int32) (out []byte) {
	for _, v := range values {
		out = binary.LittleEndian.AppendUint32(out, uint32(v))
	}
	return out
}

// pairs returns a dat file of n random image pairs and its elements.
func pairs(n int) (file, body []byte) {
	rng := rand.New(rand.NewPCG(uint64(n), 96))
	body = make([]byte, n*2*96*96)
	for i := range body {
		body[i] = byte(rng.Uint32())
	}
	return matrixOf(matrixBytes, body, uint32(n), 2, 96, 96), body
}

func gzipped(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(data) // a bytes.Buffer does not fail
	z.Close()
	return b.Bytes()
}

// counted returns n bytes of which no two neighbours are equal.
func counted(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i % 251)
	}
	return b
}

// readers are the ways in which the same bytes can arrive.
var readers = []struct {
	name string
	wrap func(data []byte) io.Reader
}{
	{"plain", func(d []byte) io.Reader { return bytes.NewReader(d) }},
	{"gzip", func(d []byte) io.Reader { return bytes.NewReader(gzipped(d)) }},
	{"one byte at a time", func(d []byte) io.Reader { return iotest.OneByteReader(bytes.NewReader(d)) }},
	{"error with data", func(d []byte) io.Reader { return iotest.DataErrReader(bytes.NewReader(d)) }},
}

func TestReadIDX(t *testing.T) {
	// The sizes lie about the points where the buffer of a body has to grow.
	shapes := [][3]int{{1, 1, 1}, {3, 2, 5}, {firstChunk - 1, 1, 1}, {firstChunk, 1, 1}, {firstChunk + 1, 1, 1},
		{2, firstChunk >> 4, 1 << 3}, {4*firstChunk + 1, 1, 1}, {1, MaxIDXSide, 3}}
	for _, s := range shapes {
		body := counted(s[0] * s[1] * s[2])
		for _, r := range readers {
			got, err := ReadIDXImages(r.wrap(idx(body, uint32(s[0]), uint32(s[1]), uint32(s[2]))))
			if err != nil {
				t.Fatalf("%v, %s: %v", s, r.name, err)
			}
			if got.Len() != s[0] || got.Rows != s[1] || got.Cols != s[2] || !bytes.Equal(got.Pixels, body) {
				t.Errorf("%v, %s: got %d images of %d×%d, or other pixels", s, r.name, got.Len(), got.Rows, got.Cols)
			}
			if got.Labels != nil || got.Classes != 0 || got.Synthetic {
				t.Errorf("%v, %s: labels out of nothing", s, r.name)
			}
			labels, err := ReadIDXLabels(r.wrap(idx(body, uint32(len(body)))))
			if err != nil || !bytes.Equal(labels, body) {
				t.Errorf("%d labels, %s: other labels, or error %v", len(body), r.name, err)
			}
		}
	}
}

func TestReadNORB(t *testing.T) {
	// Of 33 pairs, 66 KiB reduced, the buffer of the result has to grow.
	for _, n := range []int{1, 2, 33} {
		_, body := pairs(n)
		for sum := range min(9*255+1, n*2*32*32) { // a block with each sum, over the first random bytes
			for j := range 9 {
				body[(3*(sum/32)+j/3)*96+3*(sum%32)+j%3] = byte(max(0, min(sum-255*j, 255)))
			}
		}
		file := matrixOf(matrixBytes, body, uint32(n), 2, 96, 96)
		for _, r := range readers {
			if n == 33 && r.name != "plain" {
				continue
			}
			s, err := readNORBImages(r.wrap(file))
			if err != nil {
				t.Fatalf("%d pairs, %s: %v", n, r.name, err)
			}
			if s.Len() != n || s.Rows != 64 || s.Cols != 32 || s.Labels != nil || cap(s.Pixels) != len(s.Pixels) {
				t.Fatalf("%d pairs, %s: %d images of %d×%d", n, r.name, s.Len(), s.Rows, s.Cols)
			}
			for at, got := range s.Pixels {
				i, v, row, col := at/(64*32), at/(32*32)%2, at/32%32, at%32
				mean := 0.0
				for a := range 3 {
					for b := range 3 {
						mean += float64(body[((i*2+v)*96+3*row+a)*96+3*col+b]) / 9
					}
				}
				if want := byte(math.Round(mean)); got != want {
					t.Fatalf("%d pairs, %s: pixel (%d,%d) of view %d of pair %d is %d, mean %v", n, r.name, row, col, v, i, got, mean)
				}
			}
		}
	}
	for _, r := range readers { // of whose fields for dimensions those that are not used have any value
		labels, err := readNORBLabels(r.wrap(matrixFile(matrixInts, 1, []uint32{6, 0, 1 << 31}, int32s(0, 1, 2, 3, 4, 0))))
		if err != nil || !bytes.Equal(labels, []byte{0, 1, 2, 3, 4, 0}) {
			t.Errorf("%s: %v, %v", r.name, labels, err)
		}
	}
}

// TestReadCorruptGzip checks that every cut and every changed byte is found, except in the fields of
// the header that carry no data: the text bit of the flags, time, extra flags, system (RFC 1952,
// section 2.3).
func TestReadCorruptGzip(t *testing.T) {
	for name, test := range map[string]struct {
		good []byte
		read func(io.Reader) error
	}{
		"idx":  {gzipped(idx(counted(5000), 50, 10, 10)), allReaders["idx images"]},
		"NORB": {gzipped(matrixOf(matrixInts, int32s(0, 1, 2, 3, 4, 0, 1, 2, 3, 4), 10)), allReaders["NORB labels"]},
	} {
		for cut := range test.good {
			if err := test.read(bytes.NewReader(test.good[:cut])); !errors.As(err, new(*FormatError)) {
				t.Errorf("%s cut to %d of %d bytes: error %v", name, cut, len(test.good), err)
			}
		}
		for at := range test.good {
			if at >= 3 && at < 10 {
				continue
			}
			bad := slices.Clone(test.good)
			bad[at] ^= 0x55
			err := test.read(bytes.NewReader(bad))
			if !errors.As(err, new(*FormatError)) || at == len(bad)-8 && !errors.Is(err, gzip.ErrChecksum) {
				t.Errorf("%s, byte %d of %d changed: error %v", name, at, len(bad), err)
			}
		}
		if err := test.read(bytes.NewReader(append(slices.Clone(test.good), "garbage"...))); !errors.As(err, new(*FormatError)) {
			t.Errorf("%s, garbage after gzip: error %v", name, err)
		}
	}
}

// TestReaderError checks that a reader's own error is not taken for a fault of the data.
func TestReaderError(t *testing.T) {
	broken := errors.New("disk on fire")
	check := func(name string, file []byte, n int) {
		err := allReaders[name](io.MultiReader(bytes.NewReader(file[:n]), iotest.ErrReader(broken)))
		if !errors.Is(err, broken) || errors.As(err, new(*FormatError)) {
			t.Errorf("%s, after %d bytes: error %v", name, n, err)
		}
	}
	images := idx(counted(12), 3, 2, 2)
	for n := range len(images) + 1 {
		check("idx images", images, n)
	}
	file, _ := pairs(1)
	for _, n := range []int{0, 3, 4, 7, 8, 23, 24, 25, 24 + 96*96 - 1, 24 + 96*96, len(file) - 1, len(file)} {
		check("NORB images", file, n)
	}
}
