package stream

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"path/filepath"
	"slices"
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
	fs       vfs.FS        // for copied; nil for vfs.OS
	path     string        // for messages
	format   Format        // by the ending of the path or the first bytes
	raw      rewindable    // the bytes of the file
	buffered *bufio.Reader // of raw
	r        *bufio.Reader // the content from its beginning; buffered unless that is packed
	random   io.ReaderAt   // the content; nil where it is packed or not a regular file
	size     int64         // of the content, with random
	packed   bool          // gzip
	closer   io.Closer     // the file or pipe
	copied   *tempFile     // the content in a temporary file, see spool
	begun    bool          // the reading has begun: rewind is over, and texts are read ahead
}

// unpack sets buffered and r at the beginning, and settles the format.
func (in *input) unpack() error {
	in.buffered = bufio.NewReaderSize(&in.raw, inputBuffer)
	in.r = in.buffered
	// The first read meets an error of Peek again and reports it.
	if head, _ := in.buffered.Peek(len(gzipMagic)); bytes.Equal(head, gzipMagic) {
		z, err := gzip.NewReader(in.buffered)
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

// begin ends rewinding.
func (in *input) begin() {
	in.begun, in.raw.keep = true, false
}

// rewind goes back to the beginning, which is possible until begin.
func (in *input) rewind() error {
	if in.copied != nil {
		return nil // a temporary file is read by position
	}
	if err := in.raw.rewind(); err != nil {
		return readFault(in.ctx, in.path, err)
	}
	return in.unpack()
}

// position returns the bytes of the file that r has taken. It may run only where r may be read.
func (in *input) position() int64 { return in.raw.offset - int64(in.buffered.Buffered()) }

// formatOfPath returns the format of a path's ending, or FormatAuto.
func formatOfPath(path string) Format {
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(path)), ".gz")
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

// formatOfContent returns the format that the first bytes tell, else CSV.
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

// close returns an error only for a copy that stays.
func (in *input) close() error {
	_ = in.closer.Close() // nothing was written
	if in.copied == nil {
		return nil
	}
	return in.copied.close()
}

// A rewindable reader counts the bytes that are read from a file or a pipe and can go back to the
// beginning: it seeks in a file, and keeps all that it has read of a pipe.
type rewindable struct {
	r      io.Reader
	file   io.Seeker // r; nil for a pipe
	keep   bool      // what is read of a pipe; else it cannot go back
	kept   []byte    // from the beginning of a pipe
	at     int       // in kept
	offset int64     // bytes read since the beginning
}

func (t *rewindable) Read(p []byte) (n int, err error) {
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

// rewind goes back to the beginning.
func (t *rewindable) rewind() error {
	t.offset, t.at = 0, 0
	if t.file == nil {
		return nil
	}
	_, err := t.file.Seek(0, io.SeekStart)
	return err
}
