package stream

import (
	"fmt"
	"io"
)

// A pair is a source of inputs and a source of their targets. It reads the targets first, since they
// are smaller and need no places. A sample that is bad in one source is skipped in the other.
type pair struct {
	x, y         source
	xPath, yPath string
	about        info
	ahead        samples // targets that were read before their inputs
	n            int     // samples whose targets are in ahead
	used         int     // those that were delivered or passed
}

// newPair joins two sources. It closes both where it fails.
func newPair(x, y source, xPath, yPath string) (source, error) {
	p := &pair{x: x, y: y, xPath: xPath, yPath: yPath, about: *x.info()}
	p.about.targets, p.about.outputs, p.about.textTargets = y.info().targets, y.info().outputs, y.info().layout != nil
	n, m := x.info().rows, y.info().rows
	if n >= 0 && m >= 0 && n != m {
		p.close()
		return nil, &Error{Path: yPath, What: fmt.Sprintf("has %d targets, but %s has %d samples", m, xPath, n)}
	}
	p.about.rows = max(n, m)
	return p, nil
}

func (p *pair) info() *info  { return &p.about }
func (p *pair) taken() int64 { return p.x.taken() }

func (p *pair) close() {
	p.x.close()
	p.y.close()
}

func (p *pair) read(s *samples, n int) (int, error) {
	if p.used == p.n {
		if err := p.readTargets(n); err != nil {
			return 0, err
		}
	}
	n, err := p.x.read(s, min(n, p.n-p.used))
	if err == io.EOF {
		return 0, p.long()
	}
	if isBad(err) {
		p.used++
	}
	if err != nil {
		return 0, err
	}
	s.append(p.ahead.slice(p.used, p.used+n, p.ahead.shape(p.n)))
	p.used += n
	return n, nil
}

// survey reads inputs and targets independently of each other.
func (p *pair) survey(inputs, targets []surveyed, n int) (int, error) {
	n, err := p.x.survey(inputs, nil, n)
	for range n {
		if _, fault := p.y.survey(nil, targets, 1); fault != nil && !isBad(fault) && fault != io.EOF {
			return n, fault
		}
	}
	return n, err
}

// readTargets reads the targets of at most n samples.
func (p *pair) readTargets(n int) error {
	p.ahead = samples{y: p.ahead.y[:0], labels: p.ahead.labels[:0]}
	p.n, p.used = 0, 0
	n, err := p.y.read(&p.ahead, n)
	if err == io.EOF {
		return p.end()
	}
	if isBad(err) {
		switch _, fault := p.x.read(new(samples), 1); {
		case fault == io.EOF:
			return p.long()
		case fault != nil && !isBad(fault):
			return fault
		}
	}
	p.n = n
	return err
}

// end returns io.EOF unless samples are left. The read verifies checksum and length of packed inputs.
func (p *pair) end() error {
	n, err := p.x.read(new(samples), 1)
	if n > 0 || isBad(err) {
		return p.short()
	}
	return err
}

// short is the error for targets that end before the samples.
func (p *pair) short() error {
	return &Error{Path: p.yPath, What: "ends before the samples of " + p.xPath + "; each needs its target"}
}

// long is the error for targets that go on after the samples.
func (p *pair) long() error {
	return &Error{Path: p.yPath, What: "goes on after the last sample of " + p.xPath}
}
