package stream

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
)

const cannotOpen = "cannot be opened"

// openInput opens path, whose format is the one given unless that is FormatAuto. What opt says is read
// for "-", and opens the other paths.
//
// Neither the opening of a named pipe, which waits for somebody who writes to it, nor a read from it or
// from standard input lasts beyond ctx; what has been asked of the operating system is then still
// waited for in the background.
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

// pipe makes r what is read, whose reads may wait for ever.
func (in *input) pipe(r io.Reader) {
	in.tape = tape{r: newPipeReader(in.ctx, r), keep: true}
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
		err = &Error{Path: path, What: "is a folder: name its files"}
	case info.Mode().IsRegular():
		in.random, in.size = file, info.Size()
		in.tape = tape{r: file, file: file}
	default:
		in.pipe(file)
	}
	if err != nil {
		return errors.Join(openFault(in.ctx, path, err), in.close())
	}
	return nil
}

// openFault makes the error for a path that cannot be opened.
func openFault(ctx context.Context, path string, err error) error {
	var known *Error
	var system *fs.PathError
	switch {
	case ctx.Err() != nil:
		return canceled(ctx)
	case errors.As(err, &known):
		return err
	case errors.As(err, &system):
		err = system.Err // the path stands before it already
	}
	return &Error{Path: path, What: cannotOpen, Err: err}
}
