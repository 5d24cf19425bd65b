package stream

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"blskernel/internal/io/vfs"
)

const (
	stdinPath   = "-"
	stdinName   = "standard input"
	inputBuffer = 1 << 16
	// maxKept bounds the bytes of a pipe that are buffered, so that it can be rewound before Next:
	// 4096 rows of 256 KiB.
	maxKept = 1 << 30
)

var gzipMagic = []byte{0x1f, 0x8b}

// An input is an open file or pipe, or a reader of Options.Open, unpacked if it is gzipped.
type input struct {
	ctx      context.Context
	path     string        // for messages
	format   Format        // as given, else by the suffix of the path or the first bytes
	raw      rewindable    // the bytes of the file
	buffered *bufio.Reader // of raw
	r        *bufio.Reader // the content from its beginning; the same as buffered unless packed
	random   io.ReaderAt   // the content; nil if it is packed or not a regular file
	size     int64         // of the content, if random is set
	packed   bool          // gzip
	closer   io.Closer     // the file or pipe
}

// openInput opens path and, if format is FormatAuto, detects the format.
//
// Opening a named pipe waits for its writer, and reading it waits for data. Neither wait lasts beyond
// ctx: the system call then continues in the background.
func openInput(ctx context.Context, path string, format Format, opt *Options) (*input, error) {
	in := &input{ctx: ctx, path: display(path), format: format}
	switch {
	case path == stdinPath:
		var r io.Reader = os.Stdin
		if opt.Stdin != nil {
			r = opt.Stdin
		}
		in.pipe(func() (io.ReadCloser, error) { return io.NopCloser(r), nil })
	case opt.Open != nil:
		in.pipe(func() (io.ReadCloser, error) { return opt.Open(ctx, path) })
	default:
		if err := in.openFile(opt.FS, path); err != nil {
			return nil, openFault(ctx, path, err)
		}
	}
	if err := in.unpack(); err != nil {
		_ = in.closer.Close()
		return nil, err
	}
	return in, nil
}

// pipe starts a goroutine that calls open and copies its result to the input. Once the context is done,
// the input does not wait for the goroutine. The goroutine closes the result once: after its last
// byte or an error, or when a Read returns after the context is done or the input is closed. If only
// Close fails, the last Read of the input returns its error.
func (in *input) pipe(open func() (io.ReadCloser, error)) {
	r, w := io.Pipe()
	in.closer, in.raw = r, rewindable{r: r, room: maxKept}
	context.AfterFunc(in.ctx, func() { _ = r.CloseWithError(context.Cause(in.ctx)) })
	go func() {
		from, err := open()
		if err != nil {
			_ = w.CloseWithError(openFault(in.ctx, in.path, err))
			return
		}
		if in.ctx.Err() == nil { // else its first Read could wait
			_, err = io.Copy(w, from)
		}
		_ = w.CloseWithError(cmp.Or(err, from.Close()))
	}()
}

func (in *input) openFile(fsys vfs.FS, path string) error {
	info, err := vfs.Stat(fsys, path)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return &Error{Path: path, What: "is a folder; name its files"}
	case !info.Mode().IsRegular():
		in.pipe(func() (io.ReadCloser, error) {
			file, err := vfs.Open(fsys, path)
			if err == nil {
				// Close interrupts a blocked Read.
				context.AfterFunc(in.ctx, func() { _ = file.Close() })
			}
			return file, err
		})
		return nil
	}
	file, err := vfs.Open(fsys, path)
	if err != nil {
		return err
	}
	if info, err = file.Stat(); err != nil { // path may name another file by now
		return errors.Join(err, file.Close())
	}
	in.closer = file
	in.random, in.size = file, info.Size()
	in.raw = rewindable{r: file, file: file}
	return nil
}

func openFault(ctx context.Context, path string, err error) error {
	if ctx.Err() != nil {
		return canceled(ctx)
	}
	switch known := err.(type) {
	case *Error:
		return known
	case *fs.PathError:
		err = known.Err // without the path
	}
	return &Error{Path: path, What: "cannot be opened", Err: err}
}

// unpack sets buffered to read the file from its start, and r to read its content, decompressed if the
// file is gzipped. It then determines the format.
func (in *input) unpack() error {
	in.buffered = bufio.NewReaderSize(&in.raw, inputBuffer)
	in.r = in.buffered
	// An error from Peek recurs in the first read, which reports it.
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
	if in.format == CSV {
		if head, _ := in.r.Peek(8); foreignContent(head) != nil {
			return located(in.path, foreignContent(head))
		}
	}
	return nil
}

// rewind goes back to the beginning, which is possible until files.forbidRewind.
func (in *input) rewind() error {
	if err := in.raw.rewind(); err != nil {
		return readFault(in.ctx, in.path, err)
	}
	return in.unpack()
}

// position converts an offset in the content to an offset in the file. In a packed file the result is
// an estimate, from which the bytes that r has unpacked ahead are subtracted in proportion.
func (in *input) position(at int64) int64 {
	if !in.packed {
		return at
	}
	file := in.raw.offset - int64(in.buffered.Buffered())
	return int64(float64(file) * (float64(at) / float64(max(1, at+int64(in.r.Buffered())))))
}

// formatOfPath returns the format that the suffix of path implies, or FormatAuto if it implies none.
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

// formatOfContent returns the format that head, the first bytes, implies, or CSV if it implies none.
func formatOfContent(head []byte) Format {
	switch {
	case bytes.HasPrefix(head, []byte("\x93NUMPY")):
		return NPY
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return NPZ
	case len(head) >= 4 && (head[0] == 0 && head[1] == 0 && head[2] >= 0x08 && head[2] <= 0x0e && head[3] > 0 || string(head[1:4]) == matrixMagic):
		return IDX
	}
	return CSV
}

// A rewindable reads a file or a pipe, counts the bytes, and can go back to the beginning. It seeks in
// a file, and keeps all that it has read from a pipe.
type rewindable struct {
	r      io.Reader
	file   io.Seeker // r; nil for a pipe
	room   int       // further bytes of a pipe that may be kept; 0 once rewind is forbidden
	kept   []byte    // the beginning of a pipe
	offset int64     // bytes read since the beginning
}

func (t *rewindable) Read(p []byte) (n int, err error) {
	if at := t.offset; at < int64(len(t.kept)) {
		n = copy(p, t.kept[at:])
	} else if n, err = t.r.Read(p); t.file == nil && t.room > 0 {
		if t.room -= n; t.room <= 0 {
			t.room = 1
			err = Errorf("the first rows take %d MiB or more, too much to keep; save the data to a local file", maxKept>>20)
		}
		t.kept = append(t.kept, p[:n]...)
	} else {
		t.kept = nil
	}
	t.offset += int64(n)
	return n, err
}

func (t *rewindable) rewind() error {
	t.offset = 0
	if t.file == nil {
		return nil
	}
	_, err := t.file.Seek(0, io.SeekStart)
	return err
}
