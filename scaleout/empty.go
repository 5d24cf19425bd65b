package scaleout

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"io"

	"blskernel/internal/npy"
	"blskernel/scaleout/internal/beamfile"
)

// isEmpty tells whether a file, which stream has refused, is one without samples: with no bytes but
// line ends, or an array of NumPy or an idx file whose first dimension is 0; plain or gzip. What is
// packed is read to its end, so that a file that is cut off is not taken for an empty one. A file that
// cannot be read is none.
func isEmpty(ctx context.Context, path string) bool {
	f, err := beamfile.Open(ctx, path)
	if err != nil {
		return false
	}
	defer f.Close()
	r := bufio.NewReader(f)
	if head, _ := r.Peek(2); bytes.Equal(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(r)
		if err != nil {
			return false
		}
		r = bufio.NewReader(z)
	}
	head, _ := r.Peek(8)
	switch {
	case bytes.HasPrefix(head, []byte(npy.Magic)):
		h, err := npy.ReadHeader(r)
		return err == nil && len(h.Shape) > 0 && h.Shape[0] == 0 && ended(r)
	case len(head) == 8 && head[0] == 0 && head[1] == 0 && binary.BigEndian.Uint32(head[4:]) == 0:
		_, err := r.Discard(4 + 4*int(head[3]))
		return err == nil && ended(r)
	}
	return ended(r)
}

// ended tells whether nothing but line ends follows, and no error.
func ended(r *bufio.Reader) bool {
	for {
		b, err := r.ReadByte()
		if err != nil {
			return err == io.EOF
		}
		if b != '\n' && b != '\r' {
			return false
		}
	}
}
