package dataset

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"blskernel/internal/io/memory"
)

// gzipMagic begins every gzip stream (RFC 1952), but no plain file of the formats read here.
var gzipMagic = []byte{0x1f, 0x8b}

func unpack(r io.Reader) (io.Reader, error) {
	br := bufio.NewReaderSize(r, memory.FirstRead)
	// An error from Peek recurs in the first read, which reports it.
	if head, _ := br.Peek(len(gzipMagic)); !bytes.Equal(head, gzipMagic) {
		return br, nil
	}
	z, err := gzip.NewReader(br)
	if err != nil {
		return nil, readFault(err, 0, "gzip header truncated")
	}
	return z, nil
}

// A body holds the elements of a file, after its header.
type body struct {
	r     io.Reader
	start int64 // offset of their first byte
	size  int   // their size in bytes
}

// read returns the bytes of all elements. It returns an error unless the data ends after them.
func (b body) read() ([]byte, error) {
	buf, err := memory.ReadTo(b.r, nil, b.size)
	if err != nil {
		return nil, b.truncated(err, len(buf))
	}
	if err := b.end(); err != nil {
		return nil, err
	}
	return buf, nil
}

// truncated returns the error for a read that failed after got bytes of the elements.
func (b body) truncated(err error, got int) error {
	return readFault(err, b.start+int64(got), "elements truncated: %d of %d bytes", got, b.size)
}

// end returns an error unless the file ends here. Reading to the end makes gzip verify its checksum.
func (b body) end() error {
	var extra [1]byte
	at := b.start + int64(b.size)
	switch _, err := io.ReadFull(b.r, extra[:]); err {
	case io.EOF:
		return nil
	case nil:
		return faultf(at, "data continues after the %d bytes that the header promises", b.size)
	default:
		return readFault(err, at, "gzip data ends without its checksum")
	}
}

// readFault returns the error for a read at offset that failed with err: a *FormatError for a fault
// of the data, otherwise err, wrapped. If the data ended early, truncated and args give the message.
func readFault(err error, offset int64, truncated string, args ...any) error {
	var corrupt flate.CorruptInputError
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return faultf(offset, truncated, args...)
	case errors.As(err, &corrupt) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum):
		return &FormatError{Offset: offset, Msg: "corrupted gzip data", Err: err}
	}
	return fmt.Errorf("dataset: read at byte %d: %w", offset, err)
}

func faultf(offset int64, format string, args ...any) error {
	return &FormatError{Offset: offset, Msg: fmt.Sprintf(format, args...)}
}
