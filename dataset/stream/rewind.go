package stream

import (
	"io"
	"slices"
)

// A rewindable reader counts the bytes that are read from a file or a pipe and can go back to the
// beginning until release: it seeks in a file, and keeps all that it has read of a pipe.
type rewindable struct {
	r      io.Reader
	file   io.Seeker // r; nil for a pipe
	keep   bool
	kept   []byte // from the beginning of a pipe
	at     int    // in kept
	offset int64  // bytes read since the beginning
}

func (t *rewindable) Read(p []byte) (n int, err error) {
	if t.at < len(t.kept) {
		n = copy(p, t.kept[t.at:])
		t.at += n
	} else {
		n, err = t.r.Read(p)
		if t.keep {
			t.kept = append(slices.Grow(t.kept, n), p[:n]...)
			t.at = len(t.kept)
		} else {
			t.kept, t.at = nil, 0
		}
	}
	t.offset += int64(n)
	return n, err
}

// rewind goes back to the beginning.
func (t *rewindable) rewind() error {
	t.offset, t.at = 0, 0
	if t.file == nil {
		return nil
	}
	_, err := t.file.Seek(0, io.SeekStart)
	return err
}

// release ends rewinding, so that nothing more is kept.
func (t *rewindable) release() { t.keep = false }
