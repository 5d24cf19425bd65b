package dataset

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Bounds on what an idx header may claim. They are checked before anything is allocated, and they
// are small enough that n*rows*cols < 2^48 cannot overflow an int64 before it is compared with
// MaxIDXBytes, and that a body's length is an int on 32-bit machines too.
const (
	MaxIDXImages = 1 << 24 // images or labels in one file
	MaxIDXSide   = 1 << 12 // rows or columns of an image
	MaxIDXBytes  = 1 << 30 // bytes of a body, unpacked; hence the most a gzip file can make the readers hold
)

const (
	idxUint8   = 0x08
	imageDims  = 3
	labelDims  = 1
	firstChunk = 1 << 16
)

// ReadIDXImages reads one idx file of images (magic 0x00000803: unsigned bytes in three dimensions
// n, rows, cols) from r, up to the end of r. Where r begins with gzip's two identifying bytes it is
// unpacked on the way, with its checksum verified.
//
// The result has Rows, Cols and Pixels; its labels are read by [ReadIDXLabels] and given to it by
// [Images.SetLabels].
//
//	memory: never more than 64 KiB, or three times the unpacked bytes that have been read, beyond
//	fixed buffers, whatever the header claims.
//	errors: *FormatError (errors.Is ErrFormat) for a wrong magic, a dimension that is 0 or beyond
//	MaxIDXImages, MaxIDXSide or MaxIDXBytes, a body shorter or longer than the header says, and
//	corrupted gzip data; any other error is r's own, wrapped.
func ReadIDXImages(r io.Reader) (*Images, error) {
	dims, body, err := readIDX(r, imageDims)
	if err != nil {
		return nil, err
	}
	return &Images{Rows: dims[1], Cols: dims[2], Pixels: body}, nil
}

// ReadIDXLabels reads one idx file of labels (magic 0x00000801: unsigned bytes in one dimension n)
// from r, up to the end of r, unpacking gzip as [ReadIDXImages] does, with the same bounds and
// errors. Every byte value is a valid label here: how many classes there are is for the caller to
// say, or for [Images.SetLabels] to derive.
func ReadIDXLabels(r io.Reader) ([]byte, error) {
	_, body, err := readIDX(r, labelDims)
	return body, err
}

// readIDX reads header and body of an idx file that must have nd <= imageDims dimensions.
func readIDX(r io.Reader, nd int) (dims [imageDims]int, body []byte, err error) {
	r, err = unpack(r)
	if err != nil {
		return dims, nil, err
	}
	var head [4 + 4*imageDims]byte
	n, err := io.ReadFull(r, head[:4+4*nd])
	if n >= 4 || err == nil {
		// The magic is judged first, so that a label file given for an image file is called
		// that, and not truncated.
		if err := checkMagic(head[:4], nd); err != nil {
			return dims, nil, err
		}
	}
	if err != nil {
		return dims, nil, readFault(err, int64(n), fmt.Sprintf("header truncated: %d of %d bytes", n, 4+4*nd))
	}
	size := int64(1)
	for i := range nd {
		v := binary.BigEndian.Uint32(head[4+4*i:])
		if err := checkDim(i, v); err != nil {
			return dims, nil, err
		}
		dims[i] = int(v)
		size *= int64(v)
	}
	if size > MaxIDXBytes {
		return dims, nil, &FormatError{Offset: 4, Msg: fmt.Sprintf("header claims %d bytes, at most %d are read", size, int64(MaxIDXBytes))}
	}
	start := int64(4 + 4*nd)
	body, err = readBody(r, int(size))
	if err != nil {
		return dims, nil, readFault(err, start+int64(len(body)),
			fmt.Sprintf("body truncated: %d of %d bytes", len(body), size))
	}
	// Reading on to the end also makes gzip verify its checksum.
	var extra [1]byte
	switch _, err := io.ReadFull(r, extra[:]); err {
	case io.EOF:
		return dims, body, nil
	case nil:
		return dims, nil, &FormatError{Offset: start + size, Msg: fmt.Sprintf("data goes on after the %d bytes that the header claims", size)}
	default:
		return dims, nil, readFault(err, start+size, "gzip data ends without its checksum")
	}
}

// gzipMagic begins every gzip stream (RFC 1952). An idx file begins with two zeros, so the first
// two bytes tell them apart.
var gzipMagic = []byte{0x1f, 0x8b}

// unpack returns the content of r: r itself or, where it begins as gzip, what it unpacks to.
func unpack(r io.Reader) (io.Reader, error) {
	br := bufio.NewReaderSize(r, firstChunk)
	// An error of Peek is met again, and reported, by the first read.
	if head, _ := br.Peek(len(gzipMagic)); !bytes.Equal(head, gzipMagic) {
		return br, nil
	}
	z, err := gzip.NewReader(br)
	if err != nil {
		return nil, readFault(err, 0, "gzip header truncated")
	}
	return z, nil
}

func checkMagic(m []byte, nd int) error {
	bad := func(offset int64, format string, args ...any) error {
		return &FormatError{Offset: offset, Msg: fmt.Sprintf("magic %#08x: ", m) + fmt.Sprintf(format, args...)}
	}
	switch {
	case m[0] != 0 || m[1] != 0:
		return bad(0, "not an idx file, which begins with two zero bytes")
	case m[2] != idxUint8:
		return bad(2, "element type %#02x, want %#02x (unsigned byte)", m[2], idxUint8)
	case m[3] == labelDims && nd == imageDims:
		return bad(3, "a file of labels (1 dimension), want one of images (3)")
	case m[3] == imageDims && nd == labelDims:
		return bad(3, "a file of images (3 dimensions), want one of labels (1)")
	case int(m[3]) != nd:
		return bad(3, "%d dimensions, want %d", m[3], nd)
	}
	return nil
}

// checkDim checks the value v of dimension i: the number of items, rows, columns.
func checkDim(i int, v uint32) error {
	what := [imageDims]string{"items", "rows", "columns"}[i]
	limit := [imageDims]uint32{MaxIDXImages, MaxIDXSide, MaxIDXSide}[i]
	offset := int64(4 + 4*i)
	if v == 0 {
		return &FormatError{Offset: offset, Msg: "number of " + what + " is 0"}
	}
	if v > limit {
		return &FormatError{Offset: offset, Msg: fmt.Sprintf("number of %s is %d, at most %d are read", what, v, limit)}
	}
	return nil
}

// readBody reads n >= 1 bytes. Its buffer begins with firstChunk bytes and at most doubles each
// time it has been filled, so that what is allocated follows what has arrived and not what n
// promises. On an error it returns what it has got.
func readBody(r io.Reader, n int) ([]byte, error) {
	buf := make([]byte, 0, min(n, firstChunk))
	for {
		m, err := io.ReadFull(r, buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+m]
		if err != nil || len(buf) == n {
			return buf, err
		}
		grown := make([]byte, len(buf), min(n, 2*cap(buf)))
		copy(grown, buf)
		buf = grown
	}
}

// readFault makes the error for a failed read at offset: a FormatError where the data is to blame,
// with the message truncated where it ended early; otherwise the reader's own error.
func readFault(err error, offset int64, truncated string) error {
	var corrupt flate.CorruptInputError
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return &FormatError{Offset: offset, Msg: truncated}
	case errors.As(err, &corrupt) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum):
		return &FormatError{Offset: offset, Msg: "corrupted gzip data", Err: err}
	}
	return fmt.Errorf("dataset: read at byte %d: %w", offset, err)
}
