package stream

import (
	"context"
	"io"
	"os"
	"sync"
)

const panicOpen = "stream: Options.Open returned neither a reader nor an error"

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

// openWithin is open that ends with ctx. What open returns later is closed. A panic of open is one here.
func openWithin[F io.Closer](ctx context.Context, open func() (F, error)) (F, error) {
	type opened struct {
		file   F
		err    error
		failed any
	}
	call := func() (o opened) {
		defer func() { o.failed = recover() }()
		o.file, o.err = open()
		return o
	}
	result := make(chan opened)
	go func() {
		o := call()
		select {
		case result <- o:
		case <-ctx.Done():
			if o.err == nil && o.failed == nil {
				_ = o.file.Close() // nothing has been read
			}
		}
	}()
	select {
	case o := <-result:
		if o.failed != nil {
			panic(o.failed)
		}
		return o.file, o.err
	case <-ctx.Done():
		var none F
		return none, context.Cause(ctx)
	}
}

// A lateCloser is a reader that is never closed during a Read, which few readers can bear: Close leaves
// that to the end of the Read in progress, and does not wait for it.
type lateCloser struct {
	r       io.ReadCloser
	mu      sync.Mutex
	reading bool
	closed  bool
}

func (l *lateCloser) Read(p []byte) (int, error) {
	l.mu.Lock()
	closed := l.closed
	l.reading = !closed
	l.mu.Unlock()
	if closed {
		return 0, os.ErrClosed
	}
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.reading = false
		if l.closed {
			_ = l.r.Close() // what it gave is not wanted any more
		}
	}()
	return l.r.Read(p)
}

// Close closes the reader, now or behind the Read in progress. It is called once.
func (l *lateCloser) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.reading {
		return nil
	}
	return l.r.Close()
}
