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
	"strings"
	"testing"
	"testing/iotest"

	"blskernel/internal/io/memory"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faults"
)

// idx returns an idx file of unsigned bytes with given dimensions and body, even if they do not match.
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
	for len(fields) < minDimFields {
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

// counted returns n bytes, no two neighbours of which are equal.
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
	// The sizes lie around the points where the buffer of a body has to grow.
	shapes := [][3]int{{1, 1, 1}, {3, 2, 5}, {memory.FirstRead - 1, 1, 1}, {memory.FirstRead, 1, 1}, {memory.FirstRead + 1, 1, 1},
		{2, memory.FirstRead >> 4, 1 << 3}, {4*memory.FirstRead + 1, 1, 1}, {1, MaxIDXSide, 3}}
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
	for _, r := range readers { // whose unused dimension fields have any value
		labels, err := readNORBLabels(r.wrap(matrixFile(matrixInts, 1, []uint32{6, 0, 1 << 31}, int32s(0, 1, 2, 3, 4, 0))))
		if err != nil || !bytes.Equal(labels, []byte{0, 1, 2, 3, 4, 0}) {
			t.Errorf("%s: %v, %v", r.name, labels, err)
		}
	}
}

// TestReadCorruptGzip checks that every cut and every changed byte is found, except in header fields
// without data: the text bit of the flags, time, extra flags, system (RFC 1952, section 2.3).
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

// allReaders are the readers of files.
var allReaders = map[string]func(io.Reader) error{
	"idx images":  func(r io.Reader) error { _, err := ReadIDXImages(r); return err },
	"idx labels":  func(r io.Reader) error { _, err := ReadIDXLabels(r); return err },
	"NORB images": func(r io.Reader) error { _, err := readNORBImages(r); return err },
	"NORB labels": func(r io.Reader) error { _, err := readNORBLabels(r); return err },
}

// TestHostileFiles gives malformed and hostile files to the readers, each in every way. The error is a
// FormatError with the place, and the bytes that arrive bound the allocation.
func TestHostileFiles(t *testing.T) {
	testutil.NotUnderRace(t, "one goroutine reads the files")
	good := idx(counted(12), 3, 2, 2)
	edit := func(at int, v byte) []byte {
		b := slices.Clone(good)
		b[at] = v
		return b
	}
	two, _ := pairs(2)
	cat := matrixOf(matrixInts, int32s(0, 1, 2), 3)
	_, some := pairs(40) // more than the first buffer for the result holds
	const side = 96 * 96
	html := []byte("<!DOCTYPE html><html></html>")
	packed := gzipped(idx([]byte{1}, 1))
	bomb := gzipped(idx(make([]byte, 1<<22), 1<<12, 32, 32))
	for _, test := range []struct {
		name   string
		reader string
		data   []byte
		offset int64
		says   string
	}{
		{"empty", "idx images", nil, 0, "0 of 16"},
		{"magic cut", "idx images", good[:3], 3, "3 of 16"},
		{"labels' header cut", "idx labels", idx(nil, 1)[:7], 7, "7 of 8"},
		{"first byte", "idx images", edit(0, 1), 0, "magic 0x01000803, want 0x00000803"},
		{"text", "idx images", html, 0, "magic"},
		{"transferred as text", "idx labels", bytes.ReplaceAll(idx([]byte("\n\n"), 2), []byte("\n"), []byte("\r\n")), 10, "continues"},
		{"float32 elements", "idx images", edit(2, 0x0d), 0, "magic 0x00000d03"},
		{"labels for images", "idx images", idx([]byte{1}, 1), 0, "0x00000801 for labels"},
		{"images for labels", "idx labels", good, 0, "want 0x00000801"},
		{"no images", "idx images", idx(nil, 0, 2, 2), 4, "items is 0"},
		{"no rows", "idx images", idx(nil, 3, 0, 2), 8, "rows is 0"},
		{"no columns", "idx images", idx(nil, 3, 2, 0), 12, "columns is 0"},
		{"no labels", "idx labels", idx(nil, 0), 4, "items is 0"},
		{"2^31 images", "idx images", idx(make([]byte, 84), 1<<31, 28, 28), 4, "2147483648"},
		{"too many images", "idx images", idx(nil, MaxIDXImages+1, 1, 1), 4, "items"},
		{"too many labels", "idx labels", idx(nil, MaxIDXImages+1), 4, "items"},
		{"too many rows", "idx images", idx(nil, 1, MaxIDXSide+1, 1), 8, "rows"},
		{"too many columns", "idx images", idx(nil, 1, 1, MaxIDXSide+1), 12, "columns"},
		{"the largest product", "idx images", idx(nil, MaxIDXImages, MaxIDXSide, MaxIDXSide), 4, "281474976710656 bytes"},
		{"just too many bytes", "idx images", idx(nil, MaxIDXBytes/1024+1, 32, 32), 4, "1073742848 bytes"},
		{"a gigabyte in 100 bytes", "idx images", idx(make([]byte, 84), MaxIDXBytes/1024, 32, 32), 100, "84 of 1073741824"},
		{"last byte missing", "idx images", good[:27], 27, "11 of 12"},
		{"labels missing", "idx labels", idx(make([]byte, 9), 10), 17, "9 of 10"},
		{"one byte more", "idx images", append(slices.Clone(good), 0), 28, "continues"},
		{"gzip in gzip", "idx labels", gzipped(packed), 0, "magic 0x1f8b"},
		{"gzip cut off", "idx labels", packed[:20], -2, ""},
		{"gzip of a longer body", "idx images", append(bytes.Clone(bomb), bomb...), 16 + 1<<22, "continues"},
		{"gzip of many zeros", "idx labels", gzipped(append(idx([]byte{1}, 1), make([]byte, 1<<24-99)...)), 9, "continues"},

		{"dimensions cut", "NORB images", two[:23], 23, "23 of 24"},
		{"unused fields missing", "NORB labels", cat[:12], 12, "12 of 20"},
		{"idx file", "NORB images", good, 0, "magic"},
		{"integers for images", "NORB images", cat, 0, "magic 0x1e3d4c54; a binary matrix of bytes"},
		{"images for labels", "NORB labels", two, 0, "a binary matrix of 32-bit integers"},
		{"big-endian", "NORB images", []byte{0x1e, 0x3d, 0x4c, 0x55, 0, 0, 0, 1}, 0, "magic 0x554c3d1e"},
		{"no dimensions", "NORB labels", matrixFile(matrixInts, 0, []uint32{1, 1, 1}, []byte{1}), 4, "0 dimensions"},
		{"2^31 dimensions", "NORB images", matrixFile(matrixBytes, 1<<31, make([]uint32, 8), nil), 4, "2147483648 dimensions"},
		{"no pairs", "NORB images", matrixOf(matrixBytes, nil, 0, 2, 96, 96), 8, "dimension 0 is 0"},
		{"too many pairs", "NORB images", matrixOf(matrixBytes, nil, 58255, 2, 96, 96), 8, "58255; want 1 to 58254"},
		{"product overflows", "NORB images", matrixOf(matrixBytes, nil, 1<<32-1, 1<<32-1, 1<<32-1, 1<<32-1), 12, "4294967295"},
		{"too many integers", "NORB labels", matrixOf(matrixInts, nil, MaxMatrixBytes/4+1), 8, "268435457"},
		{"integers not there", "NORB labels", matrixOf(matrixInts, int32s(1, 2), MaxMatrixBytes/4), 28, "8 of 1073741824"},
		{"images not there", "NORB images", matrixOf(matrixBytes, counted(5), 58254, 2, 96, 96), 29, "5 of 1073737728"},
		{"40 pairs of 58254", "NORB images", matrixOf(matrixBytes, some, 58254, 2, 96, 96), 24 + 80*side, "of 1073737728"},
		{"one image of four", "NORB images", two[:24+side], 24 + side, "9216 of 36864"},
		{"last byte missing", "NORB images", two[:len(two)-1], int64(len(two) - 1), "36863 of 36864"},
		{"one byte more", "NORB images", append(slices.Clone(two), 0), int64(len(two)), "continues"},
		{"half a number", "NORB labels", cat[:len(cat)-2], int64(len(cat) - 2), "10 of 12"},
		{"gzip of many labels", "NORB labels", gzipped(matrixOf(matrixInts, make([]byte, 1<<23), 3)), 32, "continues"},
		{"one view", "NORB images", matrixOf(matrixBytes, make([]byte, side), 1, 1, 96, 96), 12, "dimension 1 is 1; want 2"},
		{"108×108", "NORB images", matrixOf(matrixBytes, make([]byte, 2*108*108), 1, 2, 108, 108), 16, "is 108; want 96"},
		{"three dimensions", "NORB images", matrixOf(matrixBytes, make([]byte, 2*96), 1, 2, 96), 4, "3 dimensions; want 4"},
		{"labels of two dimensions", "NORB labels", matrixOf(matrixInts, int32s(1, 1), 2, 1), 4, "2 dimensions; want 1"},
		{"category 5", "NORB labels", matrixOf(matrixInts, int32s(0, 5, 1), 3), 24, "category 5 of sample 1"},
		{"category -1", "NORB labels", matrixOf(matrixInts, int32s(0, 1, -1), 3), 28, "category -1 of sample 2"},
		{"category 256", "NORB labels", matrixOf(matrixInts, int32s(256), 1), 20, "category 256"},
	} {
		for _, way := range readers {
			if way.name == "gzip" && bytes.HasPrefix(test.data, gzipMagic) {
				continue // which would be packed twice
			}
			err := allReaders[test.reader](way.wrap(test.data))
			var f *FormatError
			if !errors.As(err, &f) || f.Offset != test.offset && test.offset != -2 || !strings.Contains(f.Msg, test.says) {
				t.Errorf("%s, %s, %s: error %v, want offset %d and %q", test.reader, test.name, way.name, err, test.offset, test.says)
			}
		}
		for _, read := range allReaders {
			checkFile(t, test.data, read)
		}
	}
}

// TestHeldBytes bounds what readers hold by what the header promises, whatever follows, and the result.
func TestHeldBytes(t *testing.T) {
	// An extra image is found when it arrives, and what follows is not unpacked.
	const side, n = 32, 1 << 12
	more := gzipped(idx(make([]byte, n*side*side), 1, side, side))
	faults.Bounded(t, side*side, 4, 4*memory.FirstRead, func() {
		var format *FormatError
		if _, err := ReadIDXImages(bytes.NewReader(more)); !errors.As(err, &format) || format.Offset != 16+side*side {
			t.Errorf("%v", err)
		}
	})
	// Of 200 pairs, 3.7 MB, at most three times the result of 0.4 MB is allocated.
	file, _ := pairs(200)
	faults.Bounded(t, 200*64*32, 3, 1<<18, func() {
		if _, err := readNORBImages(bytes.NewReader(file)); err != nil {
			t.Error(err)
		}
	})
}
