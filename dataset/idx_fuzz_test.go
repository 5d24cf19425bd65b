package dataset

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"testing"

	"blskernel/internal/testutil/faults"
)

// addSeeds gives f good and bad files of both kinds, plain and gzip.
func addSeeds(f *testing.F) {
	images := idx(counted(24), 4, 3, 2)
	labels := idx([]byte{0, 9, 255}, 3)
	for _, b := range [][]byte{
		images, labels, images[:20], labels[:9], images[:7], nil,
		append(bytes.Clone(images), 1), append(bytes.Clone(labels), 1),
		idx(make([]byte, 84), 1<<31, 28, 28), idx(nil, MaxIDXBytes/1024, 32, 32), idx(nil, MaxIDXImages),
		idx(nil, 0, 1, 1), idx(nil, 0),
	} {
		f.Add(b)
		z := gzipped(b)
		f.Add(z)
		f.Add(z[:len(z)-5])
	}
	f.Add(gzipped(idx(make([]byte, 1<<17), 1<<17)))
}

// mostUnpacked is how far gzip in a fuzzed input is unpacked, a thousand times what an input usually
// has. Those that unpack to more would take the time of the others.
const mostUnpacked = 1 << 24

// content returns how many bytes data has when it is unpacked, if it is packed and as far as it can be
// unpacked.
func content(t *testing.T, data []byte) int {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return len(data)
	}
	n, _ := io.CopyN(io.Discard, z, mostUnpacked) // up to where it is damaged
	if n == mostUnpacked {
		t.Skip("unpacks to too much")
	}
	return max(int(n), len(data))
}

// checkFile calls read with a reader of data and checks what holds for any input: a reader in memory
// has no errors of its own, so every error is the data's; no buffer exceeds what has arrived by more
// than the first chunk; and what is allocated is bounded by the bytes that are there, as they are
// unpacked.
func checkFile(t *testing.T, data []byte, read func(io.Reader) error) {
	t.Helper()
	// Of n bytes, buffers that double up to n take less than 3 n, and 32-bit integers n more.
	// Beside them there are the first chunk, the buffer before it, and what unpacks gzip, of 45 KB.
	faults.Bounded(t, content(t, data), 4, 4*firstChunk, func() {
		r := &askReader{r: bytes.NewReader(data)}
		err := read(r)
		var format *FormatError
		if err != nil && (!errors.Is(err, ErrFormat) || !errors.As(err, &format) || len(err.Error()) > 500) {
			t.Errorf("error %.300v is not a FormatError", err)
		}
		if r.excess > firstChunk {
			t.Errorf("a buffer of %d bytes more than had arrived", r.excess)
		}
	})
}

func FuzzReadIDXImages(f *testing.F) {
	addSeeds(f)
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
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		var labels []byte
		var err error
		checkFile(t, data, func(r io.Reader) error { labels, err = ReadIDXLabels(r); return err })
		if err == nil && !bytes.HasPrefix(data, gzipMagic) && !bytes.Equal(idx(labels, uint32(len(labels))), data) {
			t.Error("the labels do not make the file they were read from")
		}
	})
}
