package dataset

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"testing"

	"blskernel/internal/io/memory"
	"blskernel/internal/testutil/faults"
)

// addSeeds gives f files, plain, gzip and cut gzip.
func addSeeds(f *testing.F, files ...[]byte) {
	for _, b := range files {
		f.Add(b)
		z := gzipped(b)
		f.Add(z)
		f.Add(z[:len(z)-5])
	}
}

// addIDXSeeds gives f good and bad idx files of both kinds.
func addIDXSeeds(f *testing.F) {
	images := idx(counted(24), 4, 3, 2)
	labels := idx([]byte{0, 9, 255}, 3)
	addSeeds(f, images, labels, images[:20], labels[:9], images[:7], nil,
		append(bytes.Clone(images), 1), append(bytes.Clone(labels), 1),
		idx(make([]byte, 84), 1<<31, 28, 28), idx(nil, MaxIDXBytes/1024, 32, 32), idx(nil, MaxIDXImages),
		idx(nil, 0, 1, 1), idx(nil, 0))
	f.Add(gzipped(idx(make([]byte, 1<<17), 1<<17)))
}

// addMatrixSeeds gives f good and bad binary matrices of both kinds.
func addMatrixSeeds(f *testing.F) {
	images, _ := pairs(1)
	cat := matrixOf(matrixInts, int32s(0, 1, 4), 3)
	addSeeds(f, images, cat, images[:30], cat[:19], nil, append(bytes.Clone(cat), 1),
		matrixOf(matrixBytes, counted(12), 2, 2, 3), matrixFile(matrixBytes, 1, []uint32{2, 0, 9}, []byte{1, 2}),
		matrixOf(matrixBytes, counted(84), MaxMatrixBytes), matrixOf(matrixInts, nil, MaxMatrixBytes/4+1),
		matrixOf(matrixBytes, nil, 1<<32-1, 1<<32-1, 1<<32-1, 1<<32-1), matrixFile(matrixBytes, 1<<31, make([]uint32, 8), nil),
		matrixOf(matrixInts, int32s(5), 1), matrixOf(matrixInts, int32s(0, 0, 1, 0), 1, 4))
}

// maxUnpacked is how far gzip in a fuzzed input is unpacked, a thousand times the usual size. An input
// that unpacks to more would take the time of the others.
const maxUnpacked = 1 << 24

// content returns the size of data, unpacked as far as possible if it is gzip.
func content(t *testing.T, data []byte) int {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return len(data)
	}
	n, _ := io.CopyN(io.Discard, z, maxUnpacked) // up to where it is damaged
	if n == maxUnpacked {
		t.Skip("unpacks to too much")
	}
	return max(int(n), len(data))
}

// An askReader records by how much a buffer exceeded the bytes delivered before.
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

// checkFile calls read with a reader of data and checks what holds for any input: a reader in memory
// has no errors of its own, so every error is the data's; no buffer exceeds what has arrived by more
// than the first chunk; and what is allocated is bounded by the bytes that are there, as they are
// unpacked.
func checkFile(t *testing.T, data []byte, read func(io.Reader) error) {
	t.Helper()
	// Of n bytes, buffers that double up to n take less than 3 n. Beside them there are the first
	// chunk, the buffer before it, and what unpacks gzip, of 45 KB.
	faults.Bounded(t, content(t, data), 4, 4*memory.FirstRead, func() {
		r := &askReader{r: bytes.NewReader(data)}
		err := read(r)
		var format *FormatError
		if err != nil && (!errors.As(err, &format) || len(err.Error()) > 500) {
			t.Errorf("error %.300v is not a FormatError", err)
		}
		if r.excess > memory.FirstRead {
			t.Errorf("a buffer of %d bytes more than had arrived", r.excess)
		}
	})
}

func FuzzReadIDXImages(f *testing.F) {
	addIDXSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		var s *Images
		var err error
		checkFile(t, data, func(r io.Reader) error { s, err = ReadIDXImages(r); return err })
		if err != nil {
			return
		}
		if s.Len() < 1 || s.Len()*s.Features() != len(s.Pixels) || cap(s.Pixels) != len(s.Pixels) {
			t.Errorf("%d images of %d×%d in %d bytes, capacity %d", s.Len(), s.Rows, s.Cols, len(s.Pixels), cap(s.Pixels))
		}
		again := idx(s.Pixels, uint32(s.Len()), uint32(s.Rows), uint32(s.Cols))
		if !bytes.HasPrefix(data, gzipMagic) && !bytes.Equal(again, data) {
			t.Error("the images do not make the file they were read from")
		}
	})
}

func FuzzReadIDXLabels(f *testing.F) {
	addIDXSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		var labels []byte
		var err error
		checkFile(t, data, func(r io.Reader) error { labels, err = ReadIDXLabels(r); return err })
		if err == nil && !bytes.HasPrefix(data, gzipMagic) && !bytes.Equal(idx(labels, uint32(len(labels))), data) {
			t.Error("the labels do not make the file they were read from")
		}
	})
}

func FuzzReadMatrixBytes(f *testing.F) { fuzzMatrix(f, matrixBytes, 2, 3) }

func FuzzReadMatrixInts(f *testing.F) { fuzzMatrix(f, matrixInts) }

func fuzzMatrix(f *testing.F, of elementType, shape ...int) {
	addMatrixSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		var n int
		var body []byte
		checkFile(t, data, func(r io.Reader) error {
			count, b, err := openMatrix(r, of, shape...)
			if n = count; err == nil {
				body, err = b.read()
			}
			return err
		})
		if body == nil {
			return
		}
		size, fields := n*of.size, []uint32{uint32(n)}
		for _, d := range shape {
			size *= d
			fields = append(fields, uint32(d))
		}
		if size != len(body) || cap(body) != size {
			t.Errorf("%d×%v: %d bytes, capacity %d", n, shape, len(body), cap(body))
		}
		header := matrixFile(of, uint32(len(fields)), fields, nil)
		if !bytes.HasPrefix(data, gzipMagic) && !(bytes.HasPrefix(data, header) && bytes.Equal(data[8+4*max(len(fields), 3):], body)) {
			t.Error("the matrix does not make the file it was read from")
		}
	})
}

func FuzzReadNORB(f *testing.F) {
	addMatrixSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		var s *Images
		var err error
		checkFile(t, data, func(r io.Reader) error { s, err = readNORBImages(r); return err })
		if err == nil && (s.Len() < 1 || s.Len()*64*32 != len(s.Pixels) || cap(s.Pixels) != len(s.Pixels)) {
			t.Errorf("%d images in %d bytes, capacity %d", s.Len(), len(s.Pixels), cap(s.Pixels))
		}
		var labels []byte
		checkFile(t, data, func(r io.Reader) error { labels, err = readNORBLabels(r); return err })
		for _, v := range labels {
			if v > 4 {
				t.Errorf("category %d", v)
			}
		}
	})
}
