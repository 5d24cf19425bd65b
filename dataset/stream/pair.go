package stream

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"blskernel/internal/io/names"
)

// A pair joins a source of inputs and a source of targets. If a sample is bad in either source, read
// moves both past the sample and returns the error.
type pair struct {
	x, y         source
	xPath, yPath string
	about        info
}

// newPair joins x, a source of inputs, and y, a source of targets, or returns the error of opening one
// of them. The paths are for messages. The error wraps ErrEmpty only if neither source has a sample.
func newPair(x, y source, errX, errY error, xPath, yPath string) (source, error) {
	noInputs := errors.Is(errX, ErrEmpty)
	switch {
	case errX != nil && !noInputs:
		return nil, errX
	case noInputs && errY == nil && y.read(new(samples)) != io.EOF: // a header alone is no target
		return nil, &Error{Path: xPath, What: "has no samples, but " + yPath + " has targets"}
	case !noInputs && errors.Is(errY, ErrEmpty) && x.read(new(samples)) != io.EOF:
		return nil, &Error{Path: yPath, What: "has no targets, but " + xPath + " has samples"}
	case errY != nil:
		return nil, errY
	case noInputs:
		return nil, errX
	}
	p := &pair{x: x, y: y, xPath: xPath, yPath: yPath, about: *x.info()}
	of := y.info()
	p.about.targets, p.about.ofTargets, p.about.outputs, p.about.targetsIn = of.targets, of.ofTargets, of.outputs, of.layout
	n, m := x.info().rows, y.info().rows
	if n >= 0 && m >= 0 && n != m {
		return nil, &Error{Path: yPath, What: fmt.Sprintf("has %s, but %s has %s; each sample needs one target", names.Count(m, "target"), xPath, names.Count(n, "sample"))}
	}
	p.about.rows = max(n, m)
	return p, nil
}

func (p *pair) info() *info  { return &p.about }
func (p *pair) taken() int64 { return p.x.taken() }

// read reads the next sample of both sources. If y has ended, it still reads x to verify x's checksum.
func (p *pair) read(s *samples) error {
	errY := p.y.read(s)
	if errY != nil && errY != io.EOF && !isBad(errY) {
		return errY
	}
	errX := p.x.read(s)
	switch {
	case errX != nil && errX != io.EOF && !isBad(errX), errX == errY:
		return errX
	case errY == io.EOF:
		return p.unequal("ends before the last sample of %s, but each sample needs a target", true, "its first line is a target", "put a line with a name above it", HeaderAbsent)
	case errX == io.EOF:
		return p.unequal("continues after the last sample of %s, but each target needs a sample", false, "its first line is a name", "delete that line", HeaderPresent)
	}
	return cmp.Or(errY, errX)
}

// unequal returns the error, with the format what, for files of different lengths. If CSV targets were
// read with a header, or without one, as header says, that may be the reason: first says what their
// first line is in that case. The error then advises setting the option Header to as or, if that would
// also change how the inputs are read, following edit.
func (p *pair) unequal(what string, header bool, first, edit string, as Header) error {
	args := []any{p.xPath}
	if l := p.about.targetsIn; l != nil && l.header == header {
		what += "; if " + first + ", "
		if p.about.layout != nil && p.about.heading.HasHeader == header {
			what += edit
		} else {
			what, args = what+"use %v", append(args, Remedy{OptionHeader, as.String()})
		}
	}
	fault := Errorf(what, args...)
	fault.Path = p.yPath
	return fault
}

// survey reads inputs and targets independently of each other.
func (p *pair) survey(inputs, targets []surveyed) error {
	if err := p.y.survey(nil, targets); err != nil && !isBad(err) && err != io.EOF {
		return err
	}
	return p.x.survey(inputs, nil)
}
