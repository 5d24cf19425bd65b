package stream

import (
	"context"
	"io"
	"os"
	"sync"
)

// openWithin runs open and waits for it at most until ctx is done. It closes a file that open returns
// later, and passes on a panic of open.
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
				_ = o.file.Close() // nothing was read
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

// A lateCloser never closes its reader during a Read, which few readers can bear: Close leaves that to
// the end of the Read in progress, and does not wait for it.
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
			_ = l.r.Close() // its data is not wanted any more
		}
	}()
	return l.r.Read(p)
}

// Close closes the reader, now or after the Read in progress. It may be called once.
func (l *lateCloser) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.reading {
		return nil
	}
	return l.r.Close()
}

// A pipeReader reads ahead from a reader whose Read may wait forever, and gives the wait up when ctx
// is done.
type pipeReader struct {
	ctx    context.Context
	pieces chan pipePiece
	empty  chan []byte // buffers to be filled
	buffer []byte      // the buffer of rest, to be given back
	rest   []byte      // not yet delivered
	err    error
}

type pipePiece struct {
	buffer []byte
	n      int
	err    error
	failed any // a panic of the reader
}

// newPipeReader starts to read r. It stops after r ends, or after the first Read of r that returns
// once ctx is done.
func newPipeReader(ctx context.Context, r io.Reader) *pipeReader {
	p := &pipeReader{ctx: ctx, pieces: make(chan pipePiece), empty: make(chan []byte, 2)}
	for range cap(p.empty) {
		p.empty <- make([]byte, inputBuffer)
	}
	go p.fill(r)
	return p
}

func (p *pipeReader) fill(r io.Reader) {
	for {
		var piece pipePiece
		select {
		case piece.buffer = <-p.empty:
		case <-p.ctx.Done():
			return
		}
		piece.read(r)
		select {
		case p.pieces <- piece:
		case <-p.ctx.Done():
			return
		}
		if piece.err != nil {
			return
		}
	}
}

// read fills the piece. The Read of the pipeReader repeats a panic of r.
func (p *pipePiece) read(r io.Reader) {
	defer func() {
		if p.failed = recover(); p.failed != nil {
			p.n, p.err = 0, errPanicked
		}
	}()
	p.n, p.err = r.Read(p.buffer)
}

func (p *pipeReader) Read(b []byte) (int, error) {
	for len(p.rest) == 0 {
		if p.err != nil {
			return 0, p.err
		}
		if p.buffer != nil {
			p.empty <- p.buffer
			p.buffer = nil
		}
		select {
		case piece := <-p.pieces:
			p.buffer, p.rest, p.err = piece.buffer, piece.buffer[:piece.n], piece.err
			if piece.failed != nil {
				panic(piece.failed)
			}
		case <-p.ctx.Done():
			return 0, context.Cause(p.ctx)
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}
