package dataset

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"blskernel/internal/testutil/faults"
)

// idx returns an idx file of unsigned bytes with the dimensions and the body given, whether or not
// they belong together.
func idx(body []byte, dims ...uint32) []byte {
	out := []byte{0, 0, idxUint8, byte(len(dims))}
	for _, d := range dims {
		out = binary.BigEndian.AppendUint32(out, d)
	}
	return append(out, body...)
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

func TestReadIDXImages(t *testing.T) {
	// The sizes lie about the points where the buffer of readBody has to grow.
	shapes := [][3]int{{1, 1, 1}, {3, 2, 5}, {firstChunk - 1, 1, 1}, {firstChunk, 1, 1}, {firstChunk + 1, 1, 1},
		{2, firstChunk >> 4, 1 << 3}, {4*firstChunk + 1, 1, 1}, {1, MaxIDXSide, 3}}
	for _, s := range shapes {
		body := counted(s[0] * s[1] * s[2])
		file := idx(body, uint32(s[0]), uint32(s[1]), uint32(s[2]))
		for _, r := range readers {
			got, err := ReadIDXImages(r.wrap(file))
			if err != nil {
				t.Fatalf("%v, %s: %v", s, r.name, err)
			}
			if got.Len() != s[0] || got.Rows != s[1] || got.Cols != s[2] || !bytes.Equal(got.Pixels, body) {
				t.Errorf("%v, %s: got %d images of %d×%d, or other pixels", s, r.name, got.Len(), got.Rows, got.Cols)
			}
			if got.Labels != nil || got.Classes != 0 || got.Synthetic {
				t.Errorf("%v, %s: labels out of nothing", s, r.name)
			}
		}
	}
}

func TestReadIDXLabels(t *testing.T) {
	for _, n := range []int{1, 10, 256, 3*firstChunk + 5} {
		body := counted(n)
		for _, r := range readers {
			got, err := ReadIDXLabels(r.wrap(idx(body, uint32(n))))
			if err != nil || !bytes.Equal(got, body) {
				t.Errorf("%d labels, %s: other labels, or error %v", n, r.name, err)
			}
		}
	}
}

func TestReadIDXMalformed(t *testing.T) {
	images := func(r io.Reader) error { _, err := ReadIDXImages(r); return err }
	labels := func(r io.Reader) error { _, err := ReadIDXLabels(r); return err }
	good := idx(counted(12), 3, 2, 2)
	edit := func(at int, v byte) []byte {
		b := slices.Clone(good)
		b[at] = v
		return b
	}
	for _, test := range []struct {
		name   string
		read   func(io.Reader) error
		data   []byte
		offset int64
		says   string
	}{
		{"empty", images, nil, 0, "0 of 16"},
		{"magic cut", images, good[:3], 3, "3 of 16"},
		{"magic only", images, good[:4], 4, "4 of 16"},
		{"header cut", images, good[:15], 15, "15 of 16"},
		{"labels' header cut", labels, idx(nil, 1)[:7], 7, "7 of 8"},
		{"first byte", images, edit(0, 1), 0, "not an idx file"},
		{"second byte", images, edit(1, 0x80), 0, "not an idx file"},
		{"text", images, []byte("<!DOCTYPE html><html></html>"), 0, "not an idx file"},
		{"float32 elements", images, edit(2, 0x0d), 2, "0x0d"},
		{"two dimensions", images, edit(3, 2), 3, "2 dimensions, want 3"},
		{"255 dimensions", labels, edit(3, 255), 3, "255 dimensions, want 1"},
		{"labels for images", images, idx([]byte{1}, 1), 3, "file of labels"},
		{"images for labels", labels, good, 3, "file of images"},
		{"no images", images, idx(nil, 0, 2, 2), 4, "items is 0"},
		{"no rows", images, idx(nil, 3, 0, 2), 8, "rows is 0"},
		{"no columns", images, idx(nil, 3, 2, 0), 12, "columns is 0"},
		{"no labels", labels, idx(nil, 0), 4, "items is 0"},
		{"2^31 images", images, idx(make([]byte, 84), 1<<31, 28, 28), 4, "2147483648"},
		{"too many images", images, idx(nil, MaxIDXImages+1, 1, 1), 4, "items"},
		{"too many labels", labels, idx(nil, MaxIDXImages+1), 4, "items"},
		{"too many rows", images, idx(nil, 1, MaxIDXSide+1, 1), 8, "rows"},
		{"too many columns", images, idx(nil, 1, 1, MaxIDXSide+1), 12, "columns"},
		{"all dimensions 2^32-1", images, idx(nil, 1<<32-1, 1<<32-1, 1<<32-1), 4, "4294967295"},
		{"the largest product", images, idx(nil, MaxIDXImages, MaxIDXSide, MaxIDXSide), 4, "281474976710656 bytes"},
		{"just too many bytes", images, idx(nil, MaxIDXBytes/1024+1, 32, 32), 4, "1073742848 bytes"},
		{"as many as allowed, not there", images, idx(make([]byte, 84), MaxIDXBytes/1024, 32, 32), 100, "84 of 1073741824"},
		{"no body", images, good[:16], 16, "0 of 12"},
		{"last byte missing", images, good[:27], 27, "11 of 12"},
		{"labels missing", labels, idx(make([]byte, 9), 10), 17, "9 of 10"},
		{"one byte more", images, append(slices.Clone(good), 0), 28, "goes on"},
		{"one label more", labels, idx(make([]byte, 11), 10), 18, "goes on"},
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

func TestReadIDXCorruptGzip(t *testing.T) {
	good := gzipped(idx(counted(5000), 50, 10, 10))
	// Every cut and every changed byte must be found out, except in the header's fields that
	// carry no data: flags' text bit, time, extra flags, system (RFC 1952, section 2.3).
	for cut := range good {
		_, err := ReadIDXImages(bytes.NewReader(good[:cut]))
		if !errors.Is(err, ErrFormat) {
			t.Errorf("cut to %d of %d bytes: error %v", cut, len(good), err)
		}
	}
	for at := range good {
		if at >= 3 && at < 10 {
			continue
		}
		bad := slices.Clone(good)
		bad[at] ^= 0x55
		_, err := ReadIDXImages(bytes.NewReader(bad))
		if !errors.Is(err, ErrFormat) {
			t.Errorf("byte %d of %d changed: error %v", at, len(good), err)
		}
	}
	_, err := ReadIDXImages(bytes.NewReader(append(slices.Clone(good), "garbage"...)))
	if !errors.Is(err, ErrFormat) {
		t.Errorf("garbage after gzip: error %v", err)
	}
	bad := slices.Clone(good)
	bad[len(bad)-8] ^= 1
	if _, err = ReadIDXImages(bytes.NewReader(bad)); !errors.Is(err, gzip.ErrChecksum) {
		t.Errorf("wrong checksum: error %v does not give its cause", err)
	}
}

// TestReadIDXReaderError checks that a reader's own error is not taken for a fault of the data.
func TestReadIDXReaderError(t *testing.T) {
	broken := errors.New("disk on fire")
	file := idx(counted(12), 3, 2, 2)
	for n := range len(file) + 1 {
		r := io.MultiReader(bytes.NewReader(file[:n]), iotest.ErrReader(broken))
		_, err := ReadIDXImages(r)
		if !errors.Is(err, broken) || errors.Is(err, ErrFormat) {
			t.Errorf("after %d bytes: error %v", n, err)
		}
	}
}

// TestReadIDXAllocation checks that memory follows the bytes that arrive. The reader's fixed buffers
// are 64 KiB each, and a decompressor's state is 40 KiB; 1 MiB is far above their sum and far below
// what the headers claim.
func TestReadIDXAllocation(t *testing.T) {
	liar := idx(make([]byte, 84), MaxIDXBytes/1024, 32, 32)
	bomb := gzipped(idx(make([]byte, 32<<20), 10, 2, 2))
	for _, test := range []struct {
		name string
		data []byte
	}{
		{"100 bytes that claim 1 GiB", liar},
		{"the same in gzip", gzipped(liar)},
		{"gzip of 32 MiB that claims 40 bytes", bomb},
	} {
		got := faults.Allocated(func() {
			if _, err := ReadIDXImages(bytes.NewReader(test.data)); !errors.Is(err, ErrFormat) {
				t.Errorf("%s: error %v", test.name, err)
			}
		})
		if got > 1<<20 {
			t.Errorf("%s: %d bytes allocated", test.name, got)
		}
	}
}

// An askReader is a reader that records the largest buffer it was given in excess of the bytes it
// had delivered before.
type askReader struct {
	r                 io.Reader
	delivered, excess int
}

func (a *askReader) Read(p []byte) (int, error) {
	a.excess = max(a.excess, len(p)-a.delivered)
	n, err := a.r.Read(p)
	a.delivered += n
	return n, err
}

func TestReadBodyGrowth(t *testing.T) {
	for _, have := range []int{0, 1, firstChunk - 1, firstChunk, firstChunk + 1, 5*firstChunk + 3} {
		r := &askReader{r: bytes.NewReader(make([]byte, have))}
		got, err := readBody(r, MaxIDXBytes)
		if len(got) != have || err == nil {
			t.Errorf("%d bytes of 1 GiB: got %d and error %v", have, len(got), err)
		}
		if r.excess > firstChunk {
			t.Errorf("%d bytes of 1 GiB: a buffer of %d bytes more than had arrived", have, r.excess)
		}
		if cap(got) > max(firstChunk, 2*have) {
			t.Errorf("%d bytes of 1 GiB: capacity %d", have, cap(got))
		}
	}
}
