package stream

import (
	"context"
	"io"
)

// A pipeReader reads from another goroutine, for which it waits no longer than its context.
type pipeReader struct{ *io.PipeReader }

// panicked is the value of a panic in the goroutine.
type panicked struct{ value any }

func (panicked) Error() string { return "panicked" }

// newPipeReader starts to open and to read what open returns. The goroutine closes it once, after the
// end or the first Read that returns once ctx is done or the pipeReader is closed. An error of Close is
// one of the last Read.
func newPipeReader(ctx context.Context, open func() (io.ReadCloser, error)) pipeReader {
	r, w := io.Pipe()
	context.AfterFunc(ctx, func() { _ = r.CloseWithError(context.Cause(ctx)) })
	go func() { _ = w.CloseWithError(copyFrom(ctx, w, open)) }()
	return pipeReader{r}
}

// copyFrom copies to w what open opens. A panic is its error.
func copyFrom(ctx context.Context, w io.Writer, open func() (io.ReadCloser, error)) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicked{v}
		}
	}()
	r, err := open()
	if err != nil {
		return err
	}
	if ctx.Err() == nil { // else its first Read could wait
		_, err = io.Copy(w, r)
	}
	if closeErr := r.Close(); err == nil {
		err = closeErr
	}
	return err
}

// Read repeats a panic of the goroutine.
func (p pipeReader) Read(b []byte) (int, error) {
	n, err := p.PipeReader.Read(b)
	if failed, ok := err.(panicked); ok {
		_ = p.CloseWithError(errPanicked)
		panic(failed.value)
	}
	return n, err
}
