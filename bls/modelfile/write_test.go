package modelfile

import (
	"bytes"
	"errors"
	"testing"

	"blskernel/blsupdate"
)

// A changingWriter lets a model learn when a number of bytes has been written.
type changingWriter struct {
	left  int
	learn func()
}

func (w *changingWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 && w.learn != nil {
		w.learn()
		w.learn = nil
	}
	return len(p), nil
}

// A model whose encoding has become longer while it was written is an error that can be told from
// others.
func TestErrChanged(t *testing.T) {
	f := file(t, blsupdate.Improved, true)
	x, _, y := table(20, 25, 2)
	w := &changingWriter{left: headerSize, learn: func() { must(t, f.Regressor.PartialFit(x, y)) }}
	must(t, Write(w, f)) // between the sections it is no harm
	info, err := Inspect(bytes.NewReader(written(t, f)))
	must(t, err)
	w = &changingWriter{left: int(info.Sections[1].Offset) + sectionHeaderSize, learn: func() { must(t, f.Regressor.PartialFit(x, y)) }}
	if err := Write(w, f); !errors.Is(err, ErrChanged) {
		t.Errorf("%v", err)
	}
}
