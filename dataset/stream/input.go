package stream

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
)

const (
	stdinPath   = "-"
	stdinName   = "standard input"
	inputBuffer = 1 << 16
)

var gzipMagic = []byte{0x1f, 0x8b}

// An input is one opened file or standard input, unpacked where it is gzip.
type input struct {
	ctx    context.Context
	path   string        // for messages
	format Format        // by the ending of the path or the first bytes
	r      *bufio.Reader // the content from its beginning
	random io.ReaderAt   // the content; nil where it is packed or no regular file
	size   int64         // of the content if random is not nil
	packed bool          // gzip
	closer func() error  // closes the file; nil for standard input
}

// openInput opens path. Bytes that are read, packed ones as they are, are added to count.
//
// A read from a pipe or standard input ends with ctx, but what has been asked of the operating system
// is still waited for in the background until the pipe is closed or gives data.
func openInput(ctx context.Context, path string, opt *Options, count *atomic.Int64) (*input, error) {
	in := &input{ctx: ctx, path: path, format: opt.Format}
	var raw io.Reader
	if path == stdinPath {
		in.path = stdinName
		raw = opt.Stdin
		if raw == nil {
			raw = os.Stdin
		}
		raw = newPipeReader(ctx, raw)
	} else {
		file, err := os.Open(path)
		if err != nil {
			return nil, openFault(path, err)
		}
		in.closer = file.Close
		info, err := file.Stat()
		switch {
		case err != nil:
		case info.IsDir():
			err = &Error{Path: path, What: "is a folder: name its files"}
		case info.Mode().IsRegular():
			in.random, in.size = &countingAt{file, count}, info.Size()
			raw = file
		default:
			raw = newPipeReader(ctx, file)
		}
		if err != nil {
			in.close()
			return nil, openFault(path, err)
		}
	}
	if err := in.unpack(&countingReader{raw, count}); err != nil {
		in.close()
		return nil, err
	}
	return in, nil
}

// openFault makes the error for a path that cannot be opened.
func openFault(path string, err error) error {
	var known *Error
	var system *fs.PathError
	if errors.As(err, &known) {
		return err
	}
	if errors.As(err, &system) {
		err = system.Err // the path stands before it already
	}
	return &Error{Path: path, What: "cannot be opened", Err: err}
}

// unpack sets r and settles the format.
func (in *input) unpack(raw io.Reader) error {
	in.r = bufio.NewReaderSize(raw, inputBuffer)
	// An error of Peek is met again, and reported, by the first read.
	if head, _ := in.r.Peek(len(gzipMagic)); bytes.Equal(head, gzipMagic) {
		z, err := gzip.NewReader(in.r)
		if err != nil {
			return readFault(in.ctx, in.path, err)
		}
		in.r = bufio.NewReaderSize(z, inputBuffer)
		in.random, in.packed = nil, true
	}
	if in.format == Auto {
		in.format = formatOfPath(in.path)
	}
	if in.format == Auto {
		head, err := in.r.Peek(8)
		if err != nil && err != io.EOF {
			return readFault(in.ctx, in.path, err)
		}
		in.format = formatOfContent(head)
	}
	return nil
}

// formatOfPath returns the format that the ending of a path tells, or Auto.
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
	return Auto
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
	if in.closer == nil {
		return nil
	}
	return in.closer()
}

// A countingReader adds the bytes that it reads to a counter.
type countingReader struct {
	r     io.Reader
	count *atomic.Int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.count.Add(int64(n))
	return n, err
}

// A countingAt is a countingReader for reads at any place.
type countingAt struct {
	r     io.ReaderAt
	count *atomic.Int64
}

func (c *countingAt) ReadAt(p []byte, offset int64) (int, error) {
	n, err := c.r.ReadAt(p, offset)
	c.count.Add(int64(n))
	return n, err
}
