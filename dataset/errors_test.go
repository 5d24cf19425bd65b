package dataset

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faults"
)

// allReaders are the readers of files.
var allReaders = map[string]func(io.Reader) error{
	"idx images":  func(r io.Reader) error { _, err := ReadIDXImages(r); return err },
	"idx labels":  func(r io.Reader) error { _, err := ReadIDXLabels(r); return err },
	"NORB images": func(r io.Reader) error { _, err := readNORBImages(r); return err },
	"NORB labels": func(r io.Reader) error { _, err := readNORBLabels(r); return err },
}

// TestHostileFiles gives readers malformed and hostile files, each in every way. The error is a
// FormatError with the place; what is allocated is bounded by the bytes that arrive.
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
		{"transferred as text", "idx labels", bytes.ReplaceAll(idx([]byte("\n\n"), 2), []byte("\n"), []byte("\r\n")), 10, "goes on"},
		{"float32 elements", "idx images", edit(2, 0x0d), 0, "magic 0x00000d03"},
		{"labels for images", "idx images", idx([]byte{1}, 1), 0, "of labels 0x00000801"},
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
		{"one byte more", "idx images", append(slices.Clone(good), 0), 28, "goes on"},
		{"gzip in gzip", "idx labels", gzipped(packed), 0, "magic 0x1f8b"},
		{"gzip cut off", "idx labels", packed[:20], -2, ""},
		{"gzip of a longer body", "idx images", append(bytes.Clone(bomb), bomb...), 16 + 1<<22, "goes on"},
		{"gzip of many zeros", "idx labels", gzipped(append(idx([]byte{1}, 1), make([]byte, 1<<24-99)...)), 9, "goes on"},

		{"dimensions cut", "NORB images", two[:23], 23, "23 of 24"},
		{"unused fields missing", "NORB labels", cat[:12], 12, "12 of 20"},
		{"idx file", "NORB images", good, 0, "magic"},
		{"integers for images", "NORB images", cat, 0, "magic 0x1e3d4c54; a binary matrix of bytes"},
		{"images for labels", "NORB labels", two, 0, "a binary matrix of 32-bit integers"},
		{"big-endian", "NORB images", []byte{0x1e, 0x3d, 0x4c, 0x55, 0, 0, 0, 1}, 0, "magic 0x554c3d1e"},
		{"no dimensions", "NORB labels", matrixFile(matrixInts, 0, []uint32{1, 1, 1}, []byte{1}), 4, "0 dimensions"},
		{"2^31 dimensions", "NORB images", matrixFile(matrixBytes, 1<<31, make([]uint32, 8), nil), 4, "2147483648 dimensions"},
		{"no pairs", "NORB images", matrixOf(matrixBytes, nil, 0, 2, 96, 96), 8, "dimension 0 is 0"},
		{"too many pairs", "NORB images", matrixOf(matrixBytes, nil, 58255, 2, 96, 96), 8, "58255, want 1 to 58254"},
		{"product overflows", "NORB images", matrixOf(matrixBytes, nil, 1<<32-1, 1<<32-1, 1<<32-1, 1<<32-1), 12, "4294967295"},
		{"too many integers", "NORB labels", matrixOf(matrixInts, nil, MaxMatrixBytes/4+1), 8, "268435457"},
		{"integers not there", "NORB labels", matrixOf(matrixInts, int32s(1, 2), MaxMatrixBytes/4), 28, "8 of 1073741824"},
		{"images not there", "NORB images", matrixOf(matrixBytes, counted(5), 58254, 2, 96, 96), 29, "5 of 1073737728"},
		{"40 pairs of 58254", "NORB images", matrixOf(matrixBytes, some, 58254, 2, 96, 96), 24 + 80*side, "of 1073737728"},
		{"one image of four", "NORB images", two[:24+side], 24 + side, "9216 of 36864"},
		{"last byte missing", "NORB images", two[:len(two)-1], int64(len(two) - 1), "36863 of 36864"},
		{"one byte more", "NORB images", append(slices.Clone(two), 0), int64(len(two)), "goes on"},
		{"half a number", "NORB labels", cat[:len(cat)-2], int64(len(cat) - 2), "10 of 12"},
		{"gzip of many labels", "NORB labels", gzipped(matrixOf(matrixInts, make([]byte, 1<<23), 3)), 32, "goes on"},
		{"one view", "NORB images", matrixOf(matrixBytes, make([]byte, side), 1, 1, 96, 96), 12, "dimension 1 is 1, want 2"},
		{"108×108", "NORB images", matrixOf(matrixBytes, make([]byte, 2*108*108), 1, 2, 108, 108), 16, "is 108, want 96"},
		{"three dimensions", "NORB images", matrixOf(matrixBytes, make([]byte, 2*96), 1, 2, 96), 4, "3 dimensions, want 4"},
		{"labels of two dimensions", "NORB labels", matrixOf(matrixInts, int32s(1, 1), 2, 1), 4, "2 dimensions, want 1"},
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

// TestHeldBytes bounds what readers hold by what the header promises, whatever follows, and by the
// result.
func TestHeldBytes(t *testing.T) {
	// One image more than the header says is found when it comes, and what follows is not unpacked.
	const side, n = 32, 1 << 12
	more := gzipped(idx(make([]byte, n*side*side), 1, side, side))
	faults.Bounded(t, side*side, 4, 4*firstChunk, func() {
		var format *FormatError
		if _, err := ReadIDXImages(bytes.NewReader(more)); !errors.As(err, &format) || format.Offset != 16+side*side {
			t.Errorf("%v", err)
		}
	})
	// Of 200 pairs, 3.7 MB, at most thrice the result of 0.4 MB is allocated.
	file, _ := pairs(200)
	faults.Bounded(t, 200*64*32, 3, 1<<18, func() {
		if _, err := readNORBImages(bytes.NewReader(file)); err != nil {
			t.Error(err)
		}
	})
}
