package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"blskernel/internal/testutil/faults"
)

// matrixFile returns a binary matrix file with the magic number, the number of dimensions, the fields
// for them and the elements given, whether or not they belong together.
func matrixFile(magic, nd uint32, fields []uint32, body []byte) []byte {
	out := binary.LittleEndian.AppendUint32(nil, magic)
	out = binary.LittleEndian.AppendUint32(out, nd)
	for _, d := range fields {
		out = binary.LittleEndian.AppendUint32(out, d)
	}
	return append(out, body...)
}

// matrixOf is matrixFile with fields of 1 for the dimensions that a header has beyond those used.
func matrixOf(magic uint32, body []byte, dims ...uint32) []byte {
	fields := slices.Clone(dims)
	for len(fields) < leastDimFields {
		fields = append(fields, 1)
	}
	return matrixFile(magic, uint32(len(dims)), fields, body)
}

func int32s(values ...int32) (out []byte) {
	for _, v := range values {
		out = binary.LittleEndian.AppendUint32(out, uint32(v))
	}
	return out
}

func TestReadMatrixBytes(t *testing.T) {
	for _, dims := range [][]uint32{{1}, {7}, {3, 4}, {2, 3, 5}, {2, 2, 3, 3}, {1, 2, 1, 2, 1, 2, 1, 3},
		{firstChunk - 1}, {firstChunk, 1}, {firstChunk + 1, 1, 1}, {4*firstChunk + 1}} {
		n, want := 1, []int{}
		for _, d := range dims {
			n *= int(d)
			want = append(want, int(d))
		}
		body := counted(n)
		for _, r := range readers {
			got, data, err := ReadMatrixBytes(r.wrap(matrixOf(magicByte, body, dims...)))
			if err != nil || !slices.Equal(got, want) || !bytes.Equal(data, body) {
				t.Errorf("%v, %s: dimensions %v, %d bytes, error %v", dims, r.name, got, len(data), err)
			}
		}
	}
	// The fields of dimensions that there are not may be anything.
	dims, data, err := ReadMatrixBytes(bytes.NewReader(matrixFile(magicByte, 1, []uint32{2, 0, 1 << 31}, []byte{5, 6})))
	if err != nil || !slices.Equal(dims, []int{2}) || !bytes.Equal(data, []byte{5, 6}) {
		t.Errorf("unused fields: %v, %v, %v", dims, data, err)
	}
}

func TestReadMatrixInts(t *testing.T) {
	values := []int32{0, 1, -1, math.MaxInt32, math.MinInt32, 256}
	for _, r := range readers {
		dims, data, err := ReadMatrixInts(r.wrap(matrixOf(magicInt, int32s(values...), 3, 2)))
		if err != nil || !slices.Equal(dims, []int{3, 2}) || !slices.Equal(data, values) {
			t.Errorf("%s: %v, %v, %v", r.name, dims, data, err)
		}
	}
}

// pairs returns a dat file of n random image pairs and its elements.
func pairs(n int) (file, body []byte) {
	rng := rand.New(rand.NewPCG(uint64(n), 96))
	body = make([]byte, n*2*96*96)
	for i := range body {
		body[i] = byte(rng.Uint32())
	}
	return matrixOf(magicByte, body, uint32(n), 2, 96, 96), body
}

func TestReadNORBImages(t *testing.T) {
	// Of 33 pairs, 66 KiB reduced, the buffer of the result has to grow.
	for _, n := range []int{1, 2, 33} {
		file, body := pairs(n)
		for _, r := range readers {
			if n == 33 && r.name != "plain" {
				continue
			}
			s, err := ReadNORBImages(r.wrap(file))
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
}

// TestReduceImage has blocks whose sums are all that there can be.
func TestReduceImage(t *testing.T) {
	src, dst := make([]byte, 96*96), make([]byte, 32*32)
	for sum := range 9*255 + 1 {
		clear(src)
		left := sum
		for j := range 9 {
			v := min(left, 255)
			src[96*(93+j/3)+93+j%3] = byte(v)
			left -= v
		}
		reduceImage(dst, src)
		if want := byte(math.Round(float64(sum) / 9)); dst[len(dst)-1] != want {
			t.Fatalf("sum %d gives %d, want %d", sum, dst[len(dst)-1], want)
		}
		if slices.Max(dst[:len(dst)-1]) != 0 {
			t.Fatalf("sum %d reaches another pixel", sum)
		}
	}
}

func TestReadNORBLabelsAndInfo(t *testing.T) {
	for _, r := range readers {
		labels, err := ReadNORBLabels(r.wrap(matrixOf(magicInt, int32s(0, 1, 2, 3, 4, 0), 6)))
		if err != nil || !bytes.Equal(labels, []byte{0, 1, 2, 3, 4, 0}) {
			t.Errorf("%s: %v, %v", r.name, labels, err)
		}
		views, err := ReadNORBInfo(r.wrap(matrixOf(magicInt, int32s(0, 0, 0, 0, 9, 8, 34, 5), 2, 4)))
		if err != nil || !slices.Equal(views, []NORBView{{}, {9, 8, 34, 5}}) {
			t.Errorf("%s: %v, %v", r.name, views, err)
		}
	}
	if v := (NORBView{9, 8, 34, 5}); v.ElevationDegrees() != 70 || v.AzimuthDegrees() != 340 {
		t.Errorf("%d and %d degrees", v.ElevationDegrees(), v.AzimuthDegrees())
	}
	if v := (NORBView{}); v.ElevationDegrees() != 30 || v.AzimuthDegrees() != 0 {
		t.Errorf("%d and %d degrees", v.ElevationDegrees(), v.AzimuthDegrees())
	}
}

func TestReadNORBMalformed(t *testing.T) {
	images := func(r io.Reader) error { _, err := ReadNORBImages(r); return err }
	labels := func(r io.Reader) error { _, err := ReadNORBLabels(r); return err }
	info := func(r io.Reader) error { _, err := ReadNORBInfo(r); return err }
	raw := func(r io.Reader) error { _, _, err := ReadMatrixBytes(r); return err }
	good, _ := pairs(2)
	cat := matrixOf(magicInt, int32s(0, 1, 2), 3)
	const side = 96 * 96
	for _, test := range []struct {
		name   string
		read   func(io.Reader) error
		data   []byte
		offset int64
		says   string
	}{
		{"empty", images, nil, 0, "0 of at least 20"},
		{"magic cut", images, good[:3], 3, "3 of at least 20"},
		{"magic only", images, good[:4], 4, "4 of at least 20"},
		{"number of dimensions cut", images, good[:7], 7, "7 of at least 20"},
		{"dimensions cut", images, good[:23], 23, "23 of 24"},
		{"unused fields missing", labels, cat[:12], 12, "12 of 20"},
		{"text", raw, []byte("<!DOCTYPE html><html></html>"), 0, "not a binary matrix"},
		{"MAT-file", raw, []byte("MATLAB 5.0 MAT-file, Platform: GLNXA64"), 0, "MAT-file"},
		{"idx file", raw, idx(counted(12), 3, 2, 2), 0, "not a binary matrix"},
		{"integers for images", images, cat, 0, "matrix of 32-bit integers, want one of bytes"},
		{"images for labels", labels, good, 0, "matrix of bytes, want one of 32-bit integers"},
		{"doubles", raw, matrixOf(magicDouble, make([]byte, 8), 1), 0, "double precision"},
		{"big-endian", raw, []byte{0x1e, 0x3d, 0x4c, 0x55, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 7}, 0, "big-endian"},
		{"no dimensions", raw, matrixFile(magicByte, 0, []uint32{1, 1, 1}, []byte{1}), 4, "0 dimensions"},
		{"9 dimensions", raw, matrixFile(magicByte, 9, make([]uint32, 9), nil), 4, "9 dimensions"},
		{"2^32-1 dimensions", raw, matrixFile(magicByte, 1<<32-1, []uint32{1, 1, 1}, nil), 4, "4294967295 dimensions"},
		{"a dimension of 0", raw, matrixOf(magicByte, nil, 3, 0, 2), 12, "dimension 1 is 0"},
		{"too many bytes", raw, matrixOf(magicByte, nil, MaxMatrixBytes+1), 8, "1073741825"},
		{"too many in two", raw, matrixOf(magicByte, nil, MaxMatrixBytes/2, 3), 12, "dimension 1 is 3"},
		{"the largest of all", raw, matrixOf(magicByte, nil, 1<<32-1, 1<<32-1, 1<<32-1, 1<<32-1), 8, "4294967295"},
		{"too many integers", labels, matrixOf(magicInt, nil, MaxMatrixBytes/4+1), 8, "268435457"},
		{"as many as allowed, not there", raw, matrixOf(magicByte, counted(9), MaxMatrixBytes), 29, "9 of 1073741824"},
		{"as many integers, not there", labels, matrixOf(magicInt, int32s(1, 2), MaxMatrixBytes/4), 28, "8 of 1073741824"},
		{"as many images, not there", images, matrixOf(magicByte, counted(5), 58254, 2, 96, 96), 29, "5 of 1073737728"},
		{"no elements", images, good[:24], 24, "0 of 36864"},
		{"half an image", images, good[:24+side/2], 24 + side/2, "4608 of 36864"},
		{"one image of four", images, good[:24+side], 24 + side, "9216 of 36864"},
		{"last byte missing", images, good[:len(good)-1], int64(len(good) - 1), "36863 of 36864"},
		{"one byte more", images, append(slices.Clone(good), 0), int64(len(good)), "goes on"},
		{"half a number", labels, cat[:len(cat)-2], int64(len(cat) - 2), "10 of 12"},
		{"one label more", labels, append(slices.Clone(cat), 0, 0, 0, 0), int64(len(cat)), "goes on"},
		{"one view", images, matrixOf(magicByte, make([]byte, side), 1, 1, 96, 96), 4, "1×1×96×96"},
		{"108×108", images, matrixOf(magicByte, make([]byte, 2*108*108), 1, 2, 108, 108), 4, "want n×2×96×96"},
		{"three dimensions", images, matrixOf(magicByte, make([]byte, 2*96), 1, 2, 96), 4, "1×2×96,"},
		{"labels of two dimensions", labels, matrixOf(magicInt, int32s(1, 1), 2, 1), 4, "2×1, want n"},
		{"category 5", labels, matrixOf(magicInt, int32s(0, 5, 1), 3), 24, "category 5 of sample 1"},
		{"category -1", labels, matrixOf(magicInt, int32s(0, 1, -1), 3), 28, "category -1 of sample 2"},
		{"category 256", labels, matrixOf(magicInt, int32s(256), 1), 20, "category 256"},
		{"three facts", info, matrixOf(magicInt, int32s(1, 2, 4), 1, 3), 4, "1×3, want n×4"},
		{"facts of one dimension", info, matrixOf(magicInt, int32s(1, 2, 4, 1), 4), 4, "a matrix of 4"},
		{"instance 10", info, matrixOf(magicInt, int32s(10, 0, 0, 0), 1, 4), 20, "instance 10 of sample 0"},
		{"elevation 9", info, matrixOf(magicInt, int32s(0, 9, 0, 0), 1, 4), 24, "elevation 9"},
		{"azimuth 35", info, matrixOf(magicInt, int32s(0, 0, 35, 0), 1, 4), 28, "azimuth 35 of sample 0 is not even"},
		{"azimuth 3", info, matrixOf(magicInt, int32s(0, 0, 3, 0), 1, 4), 28, "azimuth 3"},
		{"lighting 6", info, matrixOf(magicInt, int32s(0, 0, 0, 0, 0, 0, 0, 6), 2, 4), 48, "lighting 6 of sample 1"},
		{"lighting -1", info, matrixOf(magicInt, int32s(0, 0, 0, -1), 1, 4), 32, "lighting -1"},
	} {
		for _, r := range readers {
			err := test.read(r.wrap(test.data))
			var f *FormatError
			if !errors.As(err, &f) || !errors.Is(err, ErrFormat) {
				t.Errorf("%s, %s: error %v, want a FormatError", test.name, r.name, err)
				continue
			}
			if f.Offset != test.offset || !strings.Contains(f.Msg, test.says) {
				t.Errorf("%s, %s: error %q, want offset %d and %q", test.name, r.name, err, test.offset, test.says)
			}
		}
	}
}

// TestReadNORBReaderError checks that a reader's own error is not taken for a fault of the data.
func TestReadNORBReaderError(t *testing.T) {
	broken := errors.New("disk on fire")
	file, _ := pairs(1)
	for _, n := range []int{0, 3, 4, 7, 8, 23, 24, 25, 24 + 96*96 - 1, 24 + 96*96, len(file) - 1, len(file)} {
		_, err := ReadNORBImages(io.MultiReader(bytes.NewReader(file[:n]), iotest.ErrReader(broken)))
		if !errors.Is(err, broken) || errors.Is(err, ErrFormat) {
			t.Errorf("after %d bytes: error %v", n, err)
		}
	}
}

// TestReadNORBCorruptGzip cuts and changes a packed file; see TestReadIDXCorruptGzip.
func TestReadNORBCorruptGzip(t *testing.T) {
	good := gzipped(matrixOf(magicInt, int32s(0, 1, 2, 3, 4, 0, 1, 2, 3, 4), 10))
	for cut := range good {
		if _, err := ReadNORBLabels(bytes.NewReader(good[:cut])); !errors.Is(err, ErrFormat) {
			t.Errorf("cut to %d of %d bytes: error %v", cut, len(good), err)
		}
	}
	for at := range good {
		bad := slices.Clone(good)
		bad[at] ^= 0x55
		if _, err := ReadNORBLabels(bytes.NewReader(bad)); (at < 3 || at >= 10) && !errors.Is(err, ErrFormat) {
			t.Errorf("byte %d of %d changed: error %v", at, len(good), err)
		}
	}
}

// TestReadNORBAllocation checks that memory follows the bytes that arrive; see TestReadIDXAllocation.
func TestReadNORBAllocation(t *testing.T) {
	images := func(r io.Reader) error { _, err := ReadNORBImages(r); return err }
	labels := func(r io.Reader) error { _, err := ReadNORBLabels(r); return err }
	liar := matrixOf(magicByte, counted(84), 58254, 2, 96, 96)
	_, some := pairs(40) // more than the first buffer for the result holds
	for _, test := range []struct {
		name string
		read func(io.Reader) error
		data []byte
	}{
		{"images that are not there", images, liar},
		{"the same in gzip", images, gzipped(liar)},
		{"40 pairs that claim 58254", images, matrixOf(magicByte, some, 58254, 2, 96, 96)},
		{"labels that are not there", labels, matrixOf(magicInt, counted(84), MaxMatrixBytes/4)},
		{"gzip of 32 MiB that claims 12 bytes", labels, gzipped(matrixOf(magicInt, make([]byte, 32<<20), 3))},
	} {
		got := faults.Allocated(func() {
			if err := test.read(bytes.NewReader(test.data)); !errors.Is(err, ErrFormat) {
				t.Errorf("%s: error %v", test.name, err)
			}
		})
		if got > 1<<20 {
			t.Errorf("%s: %d bytes allocated", test.name, got)
		}
	}
	// Of 200 pairs, 3.7 MB, no more than thrice the result of 0.4 MB is ever allocated.
	file, _ := pairs(200)
	if got := faults.Allocated(func() {
		if _, err := ReadNORBImages(bytes.NewReader(file)); err != nil {
			t.Error(err)
		}
	}); got > 3*200*64*32+1<<18 {
		t.Errorf("200 pairs: %d bytes allocated", got)
	}
}
