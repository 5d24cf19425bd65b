package bls

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"testing"

	"blskernel/blsupdate"
)

// A stuckWriter takes nothing until it is let go, and says when it is first asked to.
type stuckWriter struct {
	asked, letGo chan struct{}
	bytes.Buffer
}

func newStuckWriter() *stuckWriter {
	return &stuckWriter{asked: make(chan struct{}), letGo: make(chan struct{})}
}

func (w *stuckWriter) Write(p []byte) (int, error) {
	if w.Len() == 0 {
		return w.Buffer.Write(p) // the length of the head
	}
	select {
	case <-w.asked:
	default:
		if w.Len() > 8 { // the head has been written
			close(w.asked)
			<-w.letGo
		}
	}
	return w.Buffer.Write(p)
}

// A model predicts while it is written to something that does not go on, whether it has weights or
// cannot have them; and what is written is the same in the end.
func TestPredictWhileWriting(t *testing.T) {
	x := samples(76, 40, 5, 5)
	y := targetsFor(x, 2)
	for _, method := range allMethods {
		for _, rows := range []int{40, 3} {
			if rows == 3 && method != blsupdate.Gram && method != blsupdate.QR {
				continue // has weights, or does not start
			}
			r := &Regressor{Features: FeatureOptions{Groups: 1, GroupNodes: 3, EnhancementNodes: 4}, Method: method}
			must(t, r.Fit(rowsOf(x, 0, rows), rowsOf(y, 0, rows)))
			w := newStuckWriter()
			written := make(chan error)
			go func() { written <- r.Encode(w) }()
			<-w.asked
			_, err := r.Predict(x) // comes back
			var rank *blsupdate.RankError
			if (err == nil) != (rows == 40) || err != nil && !errors.As(err, &rank) {
				t.Errorf("%v: %v", method, err)
			}
			close(w.letGo)
			must(t, <-written)
			if !bytes.Equal(w.Bytes(), encoded(t, r)) {
				t.Errorf("%v: other bytes", method)
			}
		}
	}
}

// The byte that an error names counts from the beginning, wherever it is.
func TestDecodeOffsets(t *testing.T) {
	for name, b := range smallModels(t) {
		decode := func(b []byte) error {
			if name[0] == 'c' {
				_, err := DecodeClassifier(bytes.NewReader(b), nil)
				return err
			}
			_, err := DecodeRegressor(bytes.NewReader(b), nil)
			return err
		}
		head := 8 + int(binary.LittleEndian.Uint64(b))
		var e *FormatError
		for n := range len(b) {
			if err := decode(b[:n]); !errors.As(err, &e) || e.Offset != int64(n) || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("%s, %d of %d bytes: %v", name, n, len(b), err)
			}
		}
		// The kind; the magic word, the version and the method of the output layer; the end.
		for _, at := range []int{8, head, head + 8, head + 16, len(b)} {
			altered := append(slices.Clone(b), 0, 0, 0, 0, 0, 0, 0, 0)
			binary.LittleEndian.PutUint64(altered[at:], 99)
			if err := decode(altered[:max(len(b), at+8)]); !errors.As(err, &e) || e.Offset != int64(at) {
				t.Errorf("%s: %v, want byte %d", name, err, at)
			}
		}
	}
}
