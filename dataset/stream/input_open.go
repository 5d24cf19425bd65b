package stream

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
)

// openInput opens path, whose format is the one given unless that is FormatAuto. stdin is read for "-".
//
// Neither the opening of a named pipe, which waits for somebody who writes to it, nor a read from it or
// from standard input lasts beyond ctx; what has been asked of the operating system is then still
// waited for in the background.
func openInput(ctx context.Context, path string, format Format, stdin io.Reader) (*input, error) {
	in := &input{ctx: ctx, path: display(path), format: format}
	if path == stdinPath {
		if stdin == nil {
			stdin = os.Stdin
		}
		in.tape = tape{r: newPipeReader(ctx, stdin), keep: true}
	} else {
		file, err := openFile(ctx, path)
		if err != nil {
			return nil, openFault(ctx, path, err)
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
			in.tape = tape{r: newPipeReader(ctx, file), keep: true}
		}
		if err != nil {
			return nil, errors.Join(openFault(ctx, path, err), in.close())
		}
	}
	if err := in.unpack(); err != nil {
		return nil, errors.Join(err, in.close())
	}
	return in, nil
}

// openFile is os.Open that ends with ctx.
func openFile(ctx context.Context, path string) (*os.File, error) {
	type opened struct {
		file *os.File
		err  error
	}
	result := make(chan opened)
	go func() {
		file, err := os.Open(path)
		select {
		case result <- opened{file, err}:
		case <-ctx.Done():
			if err == nil {
				_ = file.Close() // nothing has been read
			}
		}
	}()
	select {
	case o := <-result:
		return o.file, o.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
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
	return &Error{Path: path, What: "cannot be opened", Err: err}
}
