package stream

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"
)

// chunksAhead is the number of chunks that are parsed while the caller works on another.
const chunksAhead = 2

// utf8Mark is the byte order mark that some programs write before a text.
const utf8Mark = "\xef\xbb\xbf"

// A csvSource delivers the samples of a text. One goroutine reads the text and cuts it into chunks, and
// each chunk is parsed by a goroutine of its own; chunks come back in order. At most chunksAhead+2
// chunks exist at a time, and the numbers of a chunk take at most eight bytes for each of its bytes.
type csvSource struct {
	ctx     context.Context
	cancel  context.CancelFunc
	in      *input
	cut     *cutter
	layout  *csvLayout
	about   info
	pending *csvChunk // the first chunk, until it is parsed
	queue   chan *csvChunk
	free    chan *csvChunk
	work    sync.WaitGroup
	current *csvChunk
	at      int   // records of current that were passed
	good    int   // samples among them
	passed  int64 // bytes of the file up to the end of the last chunk that is done
	reached int64 // bytes of the file whose text was cut into chunks
	err     error
	raw     *recordReader // of the chunk that survey reads
}

// openCSV reads the first chunk of a text and finds its layout. Parsing begins with the first read.
func openCSV(in *input, q *request, opt *Options, first *csvLayout) (source, error) {
	marked := 0
	if head, _ := in.r.Peek(len(utf8Mark)); bytes.HasPrefix(head, []byte(utf8Mark)) {
		marked, _ = in.r.Discard(len(utf8Mark))
	} else if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return nil, Errorf("is in UTF-16; save it as UTF-8")
	}
	live := in.random == nil && !in.packed
	s := &csvSource{in: in, pending: newCSVChunk(),
		cut: &cutter{r: in.r, live: live, line: 1, at: int64(marked), size: firstChunk}}
	s.span(s.pending)
	var chunk, spare []byte // chunk begins with the first line that is not blank
	line := int64(1)
	for s.layout == nil {
		next, at, err := s.cut.next(spare)
		if err != nil && err != io.EOF {
			return nil, readFault(in.ctx, in.path, located(in.path, err))
		}
		if s.cut.at > maxFirst {
			what := fmt.Sprintf("two lines, with the blank ones before them, take more than %d MiB; remove those", maxFirst>>20)
			return nil, &Error{Path: in.path, Line: at, What: what}
		}
		from := s.pending.from
		s.span(s.pending)
		blank := bytes.Count(next, []byte("\n"))+bytes.Count(next, []byte("\r\n")) == len(next)
		switch {
		case chunk != nil:
			chunk, s.pending.from = append(chunk, next...), from
		case !blank:
			chunk, line = next, at
		}
		switch {
		case err == io.EOF && len(bytes.Trim(chunk, "\r\n")) == 0:
			return nil, &Error{What: "is empty", Err: ErrEmpty}
		case err == nil && blank: // blank lines show no layout
			spare = next
			continue
		}
		spare = nil
		head := textHead{chunk: chunk, line: line, whole: err == io.EOF}
		if s.layout, err = readLayout(in.path, head, q, opt, first); err != nil && err != errMore {
			return nil, err
		}
	}
	c, header := s.pending, s.layout.offset
	c.buf, c.text, c.before = chunk, chunk[header:], header
	c.line = line + int64(bytes.Count(chunk[:header], []byte{'\n'}))
	s.about = s.layout.info()
	s.ctx, s.cancel = context.WithCancel(in.ctx)
	return s, nil
}

func (s *csvSource) info() *info { return &s.about }

// span sets which bytes of the file the last piece of the text took, and gives them to c. Packed data
// is read some kilobytes ahead of the text; its bytes are attributed in proportion.
func (s *csvSource) span(c *csvChunk) {
	at, unpacked := s.cut.at, s.cut.at
	file := at
	if s.in.packed {
		file = s.in.position()
		unpacked += int64(len(s.cut.rest) + s.in.r.Buffered())
	}
	c.from = s.reached
	s.reached = max(s.reached, int64(float64(file)*(float64(at)/float64(max(unpacked, 1)))))
	c.to = s.reached
}

func (s *csvSource) taken() int64 {
	c := s.current
	if c == nil || s.at == 0 {
		return s.passed
	}
	share := float64(c.before+int(c.records[s.at-1].end)) / float64(c.before+len(c.text))
	return c.from + int64(math.Round(share*float64(c.to-c.from)))
}

// produce reads chunks, has each parsed, and closes the queue.
func (s *csvSource) produce() {
	defer s.work.Done()
	defer close(s.queue)
	for c, err := s.next(); err == nil; c, err = s.next() {
		// Take a place in the queue before parsing, so that the queue bounds the parsed chunks.
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
			s.layout.parse(c)
			c.done <- struct{}{}
		}()
	}
}

// next returns the next chunk. Its only error is io.EOF; read errors are in the chunk.
func (s *csvSource) next() (*csvChunk, error) {
	if c := s.pending; c != nil {
		s.pending = nil
		return c, nil
	}
	var c *csvChunk
	select {
	case c = <-s.free:
		c.err = nil
	default:
		c = newCSVChunk()
	}
	text, line, err := s.cut.next(c.buf)
	s.span(c)
	if err == io.EOF {
		return nil, io.EOF
	}
	if err != nil {
		c.records = c.records[:0]
		c.err = readFault(s.in.ctx, s.in.path, located(s.in.path, err))
		return c, nil
	}
	c.buf, c.text, c.line, c.before = text, text, line, 0
	return c, nil
}

// fill makes current a chunk with samples left, or returns what ends the text.
func (s *csvSource) fill() error {
	for s.err == nil {
		if c := s.current; c != nil {
			if s.at < len(c.records) {
				return nil
			}
			if s.err = c.err; s.err != nil {
				break
			}
			s.current, s.at, s.good, s.passed = nil, 0, 0, c.to
			if s.queue != nil {
				s.free <- c // has room for every chunk
			}
		}
		if s.in.begun {
			s.current, s.err = s.await()
		} else if s.current, s.err = s.next(); s.err == nil && s.current.err == nil {
			s.layout.parse(s.current) // Peek must not read a pipe ahead
		}
	}
	return s.err
}

// await waits for the next chunk from the goroutines, which the first call starts.
func (s *csvSource) await() (*csvChunk, error) {
	if s.queue == nil {
		s.queue = make(chan *csvChunk, chunksAhead)
		s.free = make(chan *csvChunk, chunksAhead+2)
		s.work.Add(1)
		go s.produce()
	}
	select {
	case c, ok := <-s.queue:
		if !ok {
			return nil, io.EOF
		}
		select {
		case <-c.done:
			return c, nil
		case <-s.ctx.Done():
		}
	case <-s.ctx.Done():
	}
	return nil, canceled(s.ctx)
}

func (s *csvSource) read(b *samples, n int) (int, error) {
	if err := s.fill(); err != nil {
		return 0, err
	}
	c := s.current
	if c.records[s.at].bad {
		return 0, s.passBad()
	}
	records := c.records[s.at:min(len(c.records), s.at+n)]
	if bad := slices.IndexFunc(records, func(r csvRecord) bool { return r.bad }); bad >= 0 {
		records = records[:bad]
	}
	n = len(records)
	b.append(c.samples.slice(s.good, s.good+n, s.layout.sample))
	if s.layout.sample.x > 0 {
		for _, r := range records {
			b.places = append(b.places, Place{Path: s.in.path, Line: c.line + int64(r.line)})
		}
	}
	s.at += n
	s.good += n
	return n, nil
}

// survey looks at the raw cells of one sample, or finds the end of a chunk.
func (s *csvSource) survey(inputs, targets []surveyed, _ int) (int, error) {
	if s.raw == nil {
		c, err := s.next()
		if err != nil {
			return 0, err
		}
		if c.err != nil {
			return 0, c.err
		}
		s.raw = s.layout.records(c.text, c.line)
	}
	cells, err := s.raw.next()
	if err == io.EOF {
		s.raw = nil
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	count := func(columns []surveyed, chosen []int) {
		for i := range columns {
			columns[i].cell(trim(cells[chosen[i]]))
		}
	}
	count(inputs, s.layout.choice.inputs)
	count(targets, s.layout.choice.targets)
	return 1, nil
}

// passBad skips a bad record and computes its fault again.
func (s *csvSource) passBad() *Error {
	c := s.current
	record, begin := c.records[s.at], int32(0)
	if s.at > 0 {
		begin = c.records[s.at-1].end
	}
	s.at++
	text := c.text[begin:record.end]
	// Blank lines before the text.
	for bytes.HasPrefix(text, []byte("\n")) || bytes.HasPrefix(text, []byte("\r\n")) {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	alone := csvChunk{text: text, line: c.line + int64(record.line)}
	s.layout.parse(&alone)
	alone.fault.sample = true
	return alone.fault
}

// close ends the goroutines.
func (s *csvSource) close() {
	s.cancel()
	s.work.Wait()
}
