package stream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"sort"
	"sync"
)

// chunksAhead is how many pieces of a text are parsed while the caller works on another.
const chunksAhead = 2

// utf8Mark is the byte order mark that some programs write before a text.
const utf8Mark = "\xef\xbb\xbf"

// A csvSource delivers the samples of a text. One goroutine reads it and cuts it into pieces, each of
// which is parsed by a goroutine of its own; the pieces come back in their order. Memory is bounded:
// there are at most chunksAhead+2 pieces at a time, and the numbers of a piece take at most eight bytes
// for each of its bytes.
type csvSource struct {
	ctx     context.Context
	cancel  context.CancelFunc
	in      *input
	cut     *cutter
	layout  *csvLayout
	joint   schema
	pending *csvChunk // the first piece, until the goroutines are started
	inline  bool      // there are no goroutines
	aside   bool      // bad samples do not end the text: there is Options.Bad
	queue   chan *csvChunk
	free    chan *csvChunk
	work    sync.WaitGroup
	current *csvChunk
	at      int   // samples of current that have been delivered
	passed  int64 // bytes of the file up to the end of the last piece that is done with
	last    mark  // how far the text had been read
	mark    mark  // how far it has been read
	err     error
	failed  any // what the reading panicked with, once the queue is closed
}

// A mark says that so many bytes of the text took so many of the file, which differ where it is packed.
type mark struct{ text, file int64 }

// openCSV reads the first piece of a text and finds its layout. The parsing begins with the first call
// of read.
func openCSV(in *input, q *request, opt *Options, first *csvLayout) (source, error) {
	marked := 0
	if head, _ := in.r.Peek(len(utf8Mark)); bytes.HasPrefix(head, []byte(utf8Mark)) {
		marked, _ = in.r.Discard(len(utf8Mark)) // of bytes that are there
	} else if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return nil, &Error{What: "is in UTF-16: save it as UTF-8"}
	}
	s := &csvSource{in: in, cut: &cutter{r: in.r, live: in.random == nil && !in.packed, line: 1, at: int64(marked), size: firstChunk}, inline: q.inline, aside: opt.Bad != nil}
	s.pending = s.newChunk()
	s.pending.to = s.reached()
	var layout *csvLayout
	var piece []byte
	var line int64
	offset := 0
	for layout == nil {
		var err error
		piece, line, err = s.cut.next(piece)
		s.pending.from, s.pending.to = s.pending.to, s.reached()
		if err == io.EOF {
			return nil, &Error{What: "is empty: there is no line in it"}
		}
		if err != nil {
			return nil, readFault(in.ctx, in.path, located(in.path, err))
		}
		if layout, offset, err = readLayout(in.path, piece, line, q, opt, first); err != nil && err != io.EOF {
			return nil, err
		}
	}
	s.pending.buf, s.pending.text, s.pending.before = piece, piece[offset:], offset
	s.pending.line = line + int64(bytes.Count(piece[:offset], []byte{'\n'}))
	s.layout, s.joint = layout, layout.schema()
	s.ctx, s.cancel = context.WithCancel(in.ctx)
	return s, nil
}

func (s *csvSource) schema() *schema { return &s.joint }

func (s *csvSource) rows() int64 { return -1 }

func (s *csvSource) heading() Heading {
	h := Heading{HasHeader: s.layout.header, Columns: s.layout.width, First: s.layout.first}
	if h.HasHeader {
		h.Names = h.First
	}
	return h
}

// reached returns how many bytes of the file the text took that has been cut into pieces. A plain text
// is the file. A packed one is unpacked some kilobytes ahead of that; between two such places bytes of
// the text are taken to be packed equally well.
func (s *csvSource) reached() int64 {
	if !s.in.packed {
		return s.cut.at
	}
	if now := (mark{s.cut.at + int64(len(s.cut.rest)+s.in.r.Buffered()), s.in.position()}); now.text > s.mark.text {
		s.last, s.mark = s.mark, now
	}
	if s.cut.ended && len(s.cut.rest) == 0 || s.mark.text == s.last.text {
		return s.mark.file
	}
	part := float64(max(0, s.cut.at-s.last.text)) / float64(s.mark.text-s.last.text)
	return s.last.file + int64(part*float64(s.mark.file-s.last.file))
}

func (s *csvSource) taken() int64 {
	c := s.current
	if c == nil {
		return s.passed
	}
	end := c.bad.end()
	if s.at > 0 && s.at <= len(c.ends) {
		end = max(end, c.ends[s.at-1])
	}
	if end == 0 {
		return s.passed
	}
	part := float64(c.before+int(end)) / float64(c.before+len(c.text))
	return c.from + int64(math.Round(part*float64(c.to-c.from)))
}

func (s *csvSource) newChunk() *csvChunk {
	return &csvChunk{done: make(chan struct{}, 1), aside: s.aside}
}

// start begins to read and parse.
func (s *csvSource) start() {
	s.queue = make(chan *csvChunk, chunksAhead)
	s.free = make(chan *csvChunk, chunksAhead+2)
	s.work.Add(1)
	go s.produce()
}

// produce reads pieces, has each parsed, and ends the queue after the last. What panics here, or where a piece is parsed,
// does so again where the samples are asked for.
func (s *csvSource) produce() {
	defer s.work.Done()
	defer close(s.queue)
	defer func() { s.failed = recover() }()
	next := s.pending
	for {
		c := next
		// The place in the queue comes before the parsing, so that no more is parsed than it holds.
		select {
		case s.queue <- c:
		case <-s.ctx.Done():
			return
		}
		if c.err != nil {
			c.done <- struct{}{}
			return
		}
		s.work.Add(1)
		go func() {
			defer s.work.Done()
			defer func() {
				c.failed = recover()
				c.done <- struct{}{}
			}()
			s.layout.parse(c)
		}()
		var err error
		if next, err = s.next(); err == io.EOF {
			return
		}
	}
}

// next reads a piece. A chunk with err stands for a fault of reading; io.EOF is the only error
// returned.
func (s *csvSource) next() (*csvChunk, error) {
	var c *csvChunk
	select {
	case c = <-s.free:
		c.err = nil
	default:
		c = s.newChunk()
	}
	from := s.reached()
	piece, line, err := s.cut.next(c.buf)
	c.from, c.to = from, s.reached()
	if err == io.EOF {
		return nil, io.EOF
	}
	if err != nil {
		c.rows = 0
		c.bad.clear(0)
		c.err = readFault(s.ctx, s.in.path, located(s.in.path, err))
		return c, nil
	}
	c.buf, c.text, c.line, c.before = piece, piece, line, 0
	return c, nil
}

// piece makes current a piece that has samples left, or returns what ends the text.
func (s *csvSource) piece() error {
	if s.queue == nil && !s.inline {
		s.start()
	}
	for s.err == nil {
		if c := s.current; c != nil {
			if s.at < c.rows || c.bad.left() {
				return nil
			}
			if s.err = c.err; s.err != nil {
				break
			}
			s.current, s.at, s.passed = nil, 0, c.to
			if !s.inline {
				s.free <- c // has room for all pieces there can be
			}
		}
		if s.inline {
			s.current, s.err = s.parsed()
			continue
		}
		select {
		case c, ok := <-s.queue:
			if !ok {
				s.err = io.EOF
				s.again(s.failed)
				break
			}
			select {
			case <-c.done:
				s.again(c.failed)
				s.current = c
			case <-s.ctx.Done():
			}
		case <-s.ctx.Done():
		}
		if s.ctx.Err() != nil {
			s.err = canceled(s.ctx)
		}
	}
	return s.err
}

// errPanicked is returned by what is called after a panic.
var errPanicked = errors.New("stream: the reading has panicked before: open the source again")

// again panics as a goroutine has, unless it has not. There are no samples any more then.
func (s *csvSource) again(failed any) {
	if failed != nil {
		s.err = errPanicked
		panic(failed)
	}
}

// parsed reads and parses the next piece.
func (s *csvSource) parsed() (*csvChunk, error) {
	c := s.pending
	s.pending = nil
	if c == nil {
		var err error
		if c, err = s.next(); err != nil {
			return nil, err
		}
	}
	if c.err == nil {
		s.layout.parse(c)
	}
	return c, nil
}

func (s *csvSource) read(b *block, n int) (int, error) {
	if err := s.piece(); err != nil {
		return 0, err
	}
	c := s.current
	run := c.samplesFrom(s.at)
	if run == 0 {
		return 0, (*badSample)(s.layout.unusable(c))
	}
	n = min(n, run)
	from, to := s.at, s.at+n
	nx, ny := s.joint.dim, s.joint.outputs
	b.x = append(b.x, c.block.x[from*nx:to*nx]...)
	if s.layout.classes {
		b.labels = append(b.labels, c.block.labels[from*ny:to*ny]...)
	} else {
		b.y = append(b.y, c.block.y[from*ny:to*ny]...)
	}
	if nx > 0 {
		s.place(b, from, to)
	}
	s.at = to
	return n, nil
}

// place notes the lines of the samples of current from one to another.
func (s *csvSource) place(b *block, from, to int) {
	starts := s.current.starts
	k := sort.Search(len(starts), func(k int) bool { return starts[k].row > from }) - 1
	for ; from < to; k++ {
		until := to
		if k+1 < len(starts) {
			until = min(to, starts[k+1].row)
		}
		b.placed(Place{Path: s.in.path, Line: starts[k].line + int64(from-starts[k].row)}, until-from)
		from = until
	}
}

func (s *csvSource) skip(n int64) (int64, error) {
	done := int64(0)
	for done < n {
		err := s.piece()
		if err == io.EOF {
			break
		}
		if err != nil {
			return done, err
		}
		m := min(n-done, int64(s.current.samplesFrom(s.at)))
		s.at += int(m)
		if m == 0 {
			s.current.bad.passed++
			m = 1
		}
		done += m
	}
	return done, nil
}

// close ends the goroutines.
func (s *csvSource) close() error {
	s.cancel()
	s.work.Wait()
	return nil
}
