package dataset

import (
	"bytes"
	"errors"
	"testing"
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
}

// checkRead checks what holds for any input: a reader in memory has no errors of its own, so every
// error is the data's; and no buffer exceeds what has arrived by more than the first chunk.
func checkRead(t *testing.T, r *askReader, err error) {
	if err != nil && !errors.Is(err, ErrFormat) {
		t.Errorf("error %v is not a FormatError", err)
	}
	if r.excess > firstChunk {
		t.Errorf("a buffer of %d bytes more than had arrived", r.excess)
	}
}

func FuzzReadIDXImages(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		r := &askReader{r: bytes.NewReader(data)}
		s, err := ReadIDXImages(r)
		checkRead(t, r, err)
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
		r := &askReader{r: bytes.NewReader(data)}
		labels, err := ReadIDXLabels(r)
		checkRead(t, r, err)
		if err == nil && !bytes.HasPrefix(data, gzipMagic) && !bytes.Equal(idx(labels, uint32(len(labels))), data) {
			t.Error("the labels do not make the file they were read from")
		}
	})
}
