package stream

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
)

const panicOpen = "stream: Options.Open returned neither a reader nor an error"

// openInput opens path, in the given format unless that is FormatAuto.
//
// Opening a named pipe waits for its writer, and a read from it for data. Neither lasts beyond ctx: the
// call into the operating system then goes on in the background.
func openInput(ctx context.Context, path string, format Format, opt *Options) (*input, error) {
	in := &input{ctx: ctx, fs: opt.FS, path: display(path), format: format}
	switch {
	case path == stdinPath:
		var r io.Reader = os.Stdin
		if opt.Stdin != nil {
			r = opt.Stdin
		}
		in.pipe(func() (io.ReadCloser, error) { return io.NopCloser(r), nil })
	case opt.Open != nil:
		in.pipe(func() (io.ReadCloser, error) {
			r, err := opt.Open(ctx, path)
			if r == nil && err == nil {
				panic(panicOpen)
			}
			return r, err
		})
	default:
		if err := in.openFile(path); err != nil {
			return nil, openFault(ctx, path, err)
		}
	}
	if err := in.unpack(); err != nil {
		return nil, errors.Join(err, in.close())
	}
	return in, nil
}

// pipe reads what open returns, whose reads may wait forever.
func (in *input) pipe(open func() (io.ReadCloser, error)) {
	r := newPipeReader(in.ctx, func() (io.ReadCloser, error) {
		r, err := open()
		if err != nil {
			err = openFault(in.ctx, in.path, err)
		}
		return r, err
	})
	in.closer = r
	in.raw = rewindable{r: r, keep: true}
}

// openFile opens a file of this machine.
func (in *input) openFile(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return &Error{Path: path, What: "is a folder; name its files"}
	case !info.Mode().IsRegular():
		in.pipe(func() (io.ReadCloser, error) {
			file, err := os.Open(path)
			if err == nil {
				// Close ends a Read that waits.
				context.AfterFunc(in.ctx, func() { _ = file.Close() })
			}
			return file, err
		})
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	in.closer = file
	in.random, in.size = file, info.Size()
	in.raw = rewindable{r: file, file: file}
	return nil
}

// openFault returns the error for a path that cannot be opened.
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
