package stream

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
)

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
		in.pipe(func() (io.ReadCloser, error) { return opt.Open(ctx, path) })
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

// pipe reads what open returns from another goroutine, for which it waits no longer than the context.
// The goroutine closes it once, after the end or the first Read that returns once the context is done
// or the input is closed. An error of Close is one of the last Read.
func (in *input) pipe(open func() (io.ReadCloser, error)) {
	r, w := io.Pipe()
	context.AfterFunc(in.ctx, func() { _ = r.CloseWithError(context.Cause(in.ctx)) })
	go func() { _ = w.CloseWithError(in.copyTo(w, open)) }()
	in.closer = r
	in.raw = rewindable{r: r, keep: true}
}

// copyTo copies to w what open opens.
func (in *input) copyTo(w io.Writer, open func() (io.ReadCloser, error)) error {
	r, err := open()
	if err != nil {
		return openFault(in.ctx, in.path, err)
	}
	if in.ctx.Err() == nil { // else its first Read could wait
		_, err = io.Copy(w, r)
	}
	if closeErr := r.Close(); err == nil {
		err = closeErr
	}
	return err
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
	if info, err = file.Stat(); err != nil { // path may name another file by now
		return errors.Join(err, file.Close())
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
