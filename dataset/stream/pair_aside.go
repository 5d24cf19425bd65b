package stream

import "io"

// targetsAhead are targets that have been read before their samples.
type targetsAhead struct {
	block
	n  int // samples whose targets these are
	at int // those of them that have been delivered or passed
}

func (t *targetsAhead) left() int { return t.n - t.at }

// moveTo appends the targets of the next n samples to b.
func (t *targetsAhead) moveTo(b *block, n int) {
	from, to := t.at, t.at+n
	if outputs := len(t.y) / t.n; outputs > 0 {
		b.y = append(b.y, t.y[from*outputs:to*outputs]...)
	} else {
		b.labels = append(b.labels, t.labels[from:to]...)
	}
	t.at = to
}

// readAside is read where bad samples are left out. Which these are is told by the inputs and by the
// targets, so that one of the two has to be ahead of the other to the next that is bad: the targets,
// which are fewer, and whose place in their file nobody asks for. What is bad on one side is passed on
// the other, unseen.
func (p *pair) readAside(b *block, n int) (int, error) {
	if p.ahead.left() == 0 {
		if err := p.goAhead(n); err != nil {
			return 0, err
		}
	}
	n, err := p.x.read(b, min(n, p.ahead.left()))
	if err == io.EOF {
		return 0, p.long()
	}
	if _, bad := err.(*badSample); bad {
		p.ahead.at++
	}
	if err == nil {
		p.ahead.moveTo(b, n)
	}
	return n, err
}

// goAhead reads the targets of at most n samples.
func (p *pair) goAhead(n int) error {
	t := &p.ahead
	t.block = block{y: t.y[:0], labels: t.labels[:0]}
	t.n, t.at = 0, 0
	n, err := p.y.read(&t.block, n)
	if err == io.EOF {
		return p.endedFirst()
	}
	if _, bad := err.(*badSample); bad {
		passed, fault := p.x.skip(1)
		switch {
		case fault != nil:
			return fault
		case passed == 0:
			return p.long()
		}
	}
	if err == nil {
		t.n = n
	}
	return err
}

// endedFirst is called after the last target and returns io.EOF unless there are samples left. Reading
// on is what verifies the checksum and the length of packed inputs.
func (p *pair) endedFirst() error {
	n, err := p.x.read(new(block), 1)
	if _, bad := err.(*badSample); bad || n > 0 {
		return p.short()
	}
	return err
}
