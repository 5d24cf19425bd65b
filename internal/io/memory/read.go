package memory

import "io"

// FirstRead is the number of bytes that ReadTo allocates at first.
const FirstRead = 1 << 16

// ReadTo appends bytes of r to buf until buf has size bytes, and returns buf. Beyond FirstRead bytes,
// the capacity at most doubles as bytes arrive, up to size. Thus a false size alone takes at most
// FirstRead bytes.
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
