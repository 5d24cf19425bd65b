package stream

import (
	"context"
	"io"
)

// A pipeReader reads ahead from a reader whose Read may wait for ever, so that the wait can be given
// up.
type pipeReader struct {
	ctx    context.Context
	pieces chan pipePiece
	empty  chan []byte // buffers to be filled
	buffer []byte      // the buffer of rest, to be given back
	rest   []byte      // read and not yet asked for
	err    error
}

type pipePiece struct {
	buffer []byte
	n      int
	err    error
	failed any // what the reader panicked with
}

// newPipeReader starts to read r. It goes on until r ends, or until the first Read of r that returns
// after ctx is done.
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

// read fills the piece. A reader that panics does so where Read of the pipeReader is called.
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
