package stream

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"blskernel/internal/vfs"
)

const (
	stdinPath   = "-"
	stdinName   = "standard input"
	inputBuffer = 1 << 16
)

var gzipMagic = []byte{0x1f, 0x8b}

// An input is one opened file or standard input, unpacked where it is gzip.
type input struct {
	ctx      context.Context
	fs       vfs.FS // for copied; nil for vfs.OS
	path     string // for messages
	format   Format // by the ending of the path or the first bytes
	tape     tape   // what is read, as it is
	raw      *bufio.Reader
	r        *bufio.Reader   // the content from its beginning; raw unless that is packed
	random   io.ReaderAt     // the content; nil where it is packed or no regular file
	size     int64           // of the content if random is not nil
	packed   bool            // gzip
	closer   func() error    // closes the file; nil for standard input
	copied   *scratch        // the content in a file of its own, see spool
	verified map[string]bool // members of an archive whose checksums are right
}

// unpack sets raw and r at the beginning, and settles the format.
func (in *input) unpack() error {
	in.raw = bufio.NewReaderSize(&in.tape, inputBuffer)
	in.r = in.raw
	// An error of Peek is met again, and reported, by the first read.
	if head, _ := in.raw.Peek(len(gzipMagic)); bytes.Equal(head, gzipMagic) {
		z, err := gzip.NewReader(in.raw)
		if err != nil {
			return readFault(in.ctx, in.path, err)
		}
		in.r = bufio.NewReaderSize(z, inputBuffer)
		in.random, in.packed = nil, true
	}
	if in.format == FormatAuto {
		in.format = formatOfPath(in.path)
	}
	if in.format == FormatAuto {
		head, err := in.r.Peek(8)
		if err != nil && err != io.EOF {
			return readFault(in.ctx, in.path, err)
		}
		in.format = formatOfContent(head)
	}
	return nil
}

// rewind goes back to the beginning, which is possible until release.
func (in *input) rewind() error {
	if in.copied != nil {
		return nil // which is read in no order
	}
	if err := in.tape.rewind(); err != nil {
		return readFault(in.ctx, in.path, err)
	}
	return in.unpack()
}

// release says that there will be no going back, so that nothing need be kept for it.
func (in *input) release() { in.tape.release() }

// position returns how many bytes of the file, packed ones as they are, r has taken. It may be called
// where r may be read.
func (in *input) position() int64 { return in.tape.offset - int64(in.raw.Buffered()) }

// formatOfPath returns the format that the ending of a path tells, or FormatAuto.
func formatOfPath(path string) Format {
	name := strings.ToLower(filepath.Base(path))
	name = strings.TrimSuffix(name, ".gz")
	switch filepath.Ext(name) {
	case ".csv", ".tsv", ".tab":
		return CSV
	case ".npy":
		return NPY
	case ".npz":
		return NPZ
	case ".idx":
		return IDX
	}
	if strings.HasSuffix(name, "-ubyte") {
		return IDX
	}
	return FormatAuto
}

// formatOfContent returns the format that the first bytes tell, CSV if none.
func formatOfContent(head []byte) Format {
	switch {
	case bytes.HasPrefix(head, []byte("\x93NUMPY")):
		return NPY
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return NPZ
	case len(head) >= 4 && head[0] == 0 && head[1] == 0 && head[2] >= 0x08 && head[2] <= 0x0e && head[3] > 0:
		return IDX
	}
	return CSV
}

func (in *input) close() error {
	var errs []error
	if in.copied != nil {
		errs = append(errs, in.copied.close())
	}
	if in.closer != nil {
		errs = append(errs, in.closer())
	}
	return errors.Join(errs...)
}
