package memory

import "io"

// FirstRead is the number of bytes for which ReadTo first makes room.
const FirstRead = 1 << 16

// ReadTo reads from r until buf has size bytes, and returns buf. Memory grows with the bytes that
// arrive, not with size: the capacity at most doubles. ReadTo makes no storage larger than size.
//
//	errors: as io.ReadFull; the result then has the bytes read before the error.
func ReadTo(r io.Reader, buf []byte, size int) ([]byte, error) {
	for len(buf) < size {
		have := len(buf)
		room := min(size-have, max(have, FirstRead))
		if cap(buf)-have < room {
			buf = append(make([]byte, 0, have+room), buf...)
		}
		n, err := io.ReadFull(r, buf[have:have+room])
		if buf = buf[:have+n]; err != nil {
			return buf, err
		}
	}
	return buf, nil
}
