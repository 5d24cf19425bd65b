package stream

import (
	"io"
	"slices"
)

// A tape counts the bytes that are read from a file or a pipe and can go back to the beginning: a file
// is asked to, and of a pipe everything is kept until release.
type tape struct {
	r      io.Reader
	file   io.Seeker // r; nil for a pipe
	keep   bool
	kept   []byte // from the beginning of a pipe
	at     int    // in kept
	offset int64  // bytes that have been read since the beginning
}

func (t *tape) Read(p []byte) (n int, err error) {
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

// rewind goes back to the beginning, which is possible until release.
func (t *tape) rewind() error {
	t.offset, t.at = 0, 0
	if t.file == nil {
		return nil
	}
	_, err := t.file.Seek(0, io.SeekStart)
	return err
}

// release says that there will be no going back.
func (t *tape) release() { t.keep = false }
