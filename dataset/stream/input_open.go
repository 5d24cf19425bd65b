package stream

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
)

const (
	cannotOpen = "cannot be opened"
	panicOpen  = "stream: Options.Open returned neither a reader nor an error"
)

// openInput opens path, in the given format unless that is FormatAuto.
//
// Opening a named pipe waits for its writer, and a read from it for data. Neither lasts beyond ctx: the
// call into the operating system then goes on in the background.
func openInput(ctx context.Context, path string, format Format, opt *Options) (*input, error) {
	in := &input{ctx: ctx, fs: opt.FS, path: display(path), format: format}
	var err error
	switch {
	case path == stdinPath && opt.Stdin == nil:
		in.pipe(os.Stdin)
	case path == stdinPath:
		in.pipe(opt.Stdin)
	case opt.Open != nil:
		err = in.openElsewhere(path, opt.Open)
	default:
		err = in.openFile(path)
	}
	if err != nil {
		return nil, err
	}
	if err := in.unpack(); err != nil {
		return nil, errors.Join(err, in.close())
	}
	return in, nil
}

// pipe reads from r, whose reads may wait forever.
func (in *input) pipe(r io.Reader) {
	in.raw = rewindable{r: newPipeReader(in.ctx, r), keep: true}
}

// openFile opens a file of this machine.
func (in *input) openFile(path string) error {
	file, err := openWithin(in.ctx, func() (*os.File, error) { return os.Open(path) })
	if err != nil {
		return openFault(in.ctx, path, err)
	}
	in.closer = file.Close
	info, err := file.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = &Error{Path: path, What: "is a folder; name its files"}
	case info.Mode().IsRegular():
		in.random, in.size = file, info.Size()
		in.raw = rewindable{r: file, file: file}
	default:
		in.pipe(file)
	}
	if err != nil {
		return errors.Join(openFault(in.ctx, path, err), in.close())
	}
	return nil
}

// openElsewhere opens a path by Options.Open.
func (in *input) openElsewhere(path string, open func(context.Context, string) (io.ReadCloser, error)) error {
	r, err := openWithin(in.ctx, func() (io.ReadCloser, error) {
		r, err := open(in.ctx, path)
		if r == nil && err == nil {
			panic(panicOpen)
		}
		return r, err
	})
	switch {
	case err != nil && in.ctx.Err() != nil:
		return canceled(in.ctx)
	case err != nil:
		return &Error{Path: path, What: cannotOpen, Err: err}
	}
	late := &lateCloser{r: r}
	in.closer = late.Close
	in.pipe(late)
	return nil
}

// openFault returns the error for a path that cannot be opened.
func openFault(ctx context.Context, path string, err error) error {
	var known *Error
	var system *fs.PathError
	switch {
	case ctx.Err() != nil:
		return canceled(ctx)
	case errors.As(err, &known):
		return err
	case errors.As(err, &system):
		err = system.Err // without the path
	}
	return &Error{Path: path, What: cannotOpen, Err: err}
}
