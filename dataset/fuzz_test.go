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

// maxUnpacked bounds the unpacked bytes of a fuzzed input, at a thousand times the usual size. An input
// that unpacks to more would take too much time.
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
// has no errors of its own, so every error is a fault of the data; no buffer exceeds the bytes that
// have arrived by more than the first chunk; and the unpacked bytes bound the allocation.
func checkFile(t *testing.T, data []byte, read func(io.Reader) error) {
	t.Helper()
	// Of n bytes, buffers that double up to n take less than 3 n. To these come the first chunk,
	// the buffer before it, and 45 KB for unpacking gzip.
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

// fuzzFiles reads files, plain, gzip and cut gzip, as images and as labels. again makes a file from
// what was read, or returns nil if that is less than the file.
func fuzzFiles(f *testing.F, files [][]byte, images func(io.Reader) (*Images, error), labels func(io.Reader) ([]byte, error),
	again func(s *Images, classes, data []byte) []byte,
) {
	for _, b := range files {
		z := gzipped(b)
		f.Add(b)
		f.Add(z)
		f.Add(z[:len(z)-5])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var s *Images
		var classes []byte
		var err error
		checkFile(t, data, func(r io.Reader) error { s, err = images(r); return err })
		if err == nil && (s.Len() < 1 || s.Len()*s.Features() != len(s.Pixels) || cap(s.Pixels) != len(s.Pixels)) {
			t.Errorf("%d images of %d×%d in %d bytes, capacity %d", s.Len(), s.Rows, s.Cols, len(s.Pixels), cap(s.Pixels))
		}
		checkFile(t, data, func(r io.Reader) error { classes, err = labels(r); return err })
		if bytes.HasPrefix(data, gzipMagic) || s == nil && classes == nil {
			return
		}
		if made := again(s, classes, data); made != nil && !bytes.Equal(made, data) {
			t.Error("what is read does not make the file it was read from")
		}
	})
}

func FuzzReadIDX(f *testing.F) {
	images := idx(counted(24), 4, 3, 2)
	labels := idx([]byte{0, 9, 255}, 3)
	fuzzFiles(f, [][]byte{images, labels, images[:20], labels[:9], images[:7], nil,
		append(bytes.Clone(images), 1), append(bytes.Clone(labels), 1), idx(make([]byte, 1<<17), 1<<17),
		idx(make([]byte, 84), 1<<31, 28, 28), idx(nil, MaxIDXBytes/1024, 32, 32), idx(nil, MaxIDXImages),
		idx(nil, 0, 1, 1), idx(nil, 0),
	}, ReadIDXImages, ReadIDXLabels, func(s *Images, classes, _ []byte) []byte {
		if s == nil {
			return idx(classes, uint32(len(classes)))
		}
		return idx(s.Pixels, uint32(s.Len()), uint32(s.Rows), uint32(s.Cols))
	})
}

func FuzzReadNORB(f *testing.F) {
	images, _ := pairs(1)
	cat := matrixOf(matrixInts, int32s(0, 1, 4), 3)
	fuzzFiles(f, [][]byte{images, cat, images[:30], cat[:19], nil, append(bytes.Clone(cat), 1),
		matrixOf(matrixBytes, counted(12), 2, 2, 3), matrixFile(matrixBytes, 1, []uint32{2, 0, 9}, []byte{1, 2}),
		matrixOf(matrixBytes, counted(84), MaxMatrixBytes), matrixOf(matrixInts, nil, MaxMatrixBytes/4+1),
		matrixOf(matrixBytes, nil, 1<<32-1, 1<<32-1, 1<<32-1, 1<<32-1), matrixFile(matrixBytes, 1<<31, make([]uint32, 8), nil),
		matrixOf(matrixInts, int32s(5), 1), matrixOf(matrixInts, int32s(0, 0, 1, 0), 1, 4),
	}, readNORBImages, readNORBLabels, func(_ *Images, classes, data []byte) []byte {
		if classes == nil {
			return nil // images are reduced
		}
		made := matrixOf(matrixInts, nil, uint32(len(classes)))
		copy(made[12:], data[12:]) // unused dimension fields may have any value
		for _, v := range classes {
			made = append(made, v, 0, 0, 0)
		}
		return made
	})
}
