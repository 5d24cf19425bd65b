package stream

import (
	"errors"
	"fmt"
	"io"
)

// A block is what has been read of a batch so far: samples one after the other.
type block struct {
	x, y    []float64
	labels  []string
	samples int       // whose inputs are in x
	places  []stretch // of the samples
}

// A schema says what a source delivers.
type schema struct {
	inputs  []string // names of the columns of X, nil where they have none
	dim     int      // columns of X
	targets []string // names of the targets, nil where they have none
	outputs int      // columns of Y; 1 for labels
}

// A source delivers the samples of one file in their order.
type source interface {
	schema() *schema
	heading() Heading // without the format
	rows() int64      // samples of the file, -1 where that is unknown
	taken() int64     // bytes of the file up to the end of the last sample that was read or passed
	// read appends at least one and at most n >= 1 samples to b, with their places unless it is a source
	// of targets only, and returns their number. After the last it returns 0 and io.EOF. Where there is
	// Options.Bad, and the next sample cannot be used, it passes that and returns 0 and a *badSample, with b
	// as it was. On another error b may have parts of samples.
	read(b *block, n int) (int, error)
	// skip passes n samples, be they bad or not, and returns how many there were to pass. Before it reads
	// have given all that they were asked for, so that nothing is left of what they have decoded.
	skip(n int64) (int64, error)
	// close ends what goes on in the background. The file is the caller's.
	close() error
}

// newSource makes the source that q asks for of the content of in, from its beginning. first is the
// layout of the first text among several sources, nil for that one itself.
func newSource(in *input, q *request, opt *Options, first *csvLayout) (source, error) {
	var s source
	var err error
	switch in.format {
	case NPY:
		s, err = openNPY(in, q, opt)
	case NPZ:
		s, err = openNPZ(in, q, opt)
	case IDX:
		s, err = openIDX(in, q, opt)
	default:
		s, err = openCSV(in, q, opt, first)
	}
	if err != nil {
		return nil, located(in.path, err)
	}
	return s, nil
}

// located gives an error the path that it lacks.
func located(path string, err error) error {
	var known *Error
	if errors.As(err, &known) && known.Path == "" {
		known.Path = path
	}
	return err
}

// checkLabels refuses classes that are not one column.
func checkLabels(opt *Options, outputs int) error {
	if opt.Classes && outputs > 1 {
		return &Error{What: fmt.Sprintf("%d target columns for one label: name the column that has the class", outputs)}
	}
	return nil
}

// agree checks that a later source delivers what the first one does.
func agree(path, firstPath string, have, want *schema) error {
	fault := func(format string, args ...any) error {
		return &Error{Path: path, What: fmt.Sprintf(format, args...)}
	}
	if have.dim != want.dim {
		return fault("has %d inputs, but %s has %d", have.dim, firstPath, want.dim)
	}
	if have.outputs != want.outputs {
		return fault("has %d targets, but %s has %d", have.outputs, firstPath, want.outputs)
	}
	for _, names := range [][2][]string{{have.inputs, want.inputs}, {have.targets, want.targets}} {
		if names[0] == nil || names[1] == nil {
			continue
		}
		for i, name := range names[0] {
			if name != names[1][i] {
				return fault("has the column %s where %s has %s: bring the columns into the same order, or name them",
					shorten(name), firstPath, shorten(names[1][i]))
			}
		}
	}
	return nil
}

// A pair is a source of inputs and a source of their targets.
type pair struct {
	x, y         source
	xPath, yPath string
	joint        schema
	aside        bool         // there is Options.Bad
	ahead        targetsAhead // if that is so
}

// newPair joins two sources, of which it takes care from then on, also where it fails.
func newPair(x, y source, xPath, yPath string, opt *Options) (source, error) {
	p := &pair{x: x, y: y, xPath: xPath, yPath: yPath, aside: opt.Bad != nil}
	p.joint = schema{inputs: x.schema().inputs, dim: x.schema().dim,
		targets: y.schema().targets, outputs: y.schema().outputs}
	if n, m := x.rows(), y.rows(); n >= 0 && m >= 0 && n != m {
		return nil, errors.Join(&Error{Path: yPath, What: fmt.Sprintf("has %d targets, but %s has %d samples", m, xPath, n)}, p.close())
	}
	return p, nil
}

func (p *pair) schema() *schema  { return &p.joint }
func (p *pair) heading() Heading { return p.x.heading() }
func (p *pair) rows() int64      { return max(p.x.rows(), p.y.rows()) }
func (p *pair) taken() int64     { return p.x.taken() }

func (p *pair) read(b *block, n int) (int, error) {
	if p.aside {
		return p.readAside(b, n)
	}
	n, err := p.x.read(b, n)
	if err == io.EOF {
		return 0, p.ended()
	}
	if err != nil {
		return 0, err
	}
	for have := 0; have < n; {
		m, err := p.y.read(b, n-have)
		if err == io.EOF {
			return 0, p.short()
		}
		if err != nil {
			return 0, err
		}
		have += m
	}
	return n, nil
}

// short is the error for targets that end before the samples do.
func (p *pair) short() error {
	return &Error{Path: p.yPath, What: "ends before the samples of " + p.xPath + " do: each needs its target"}
}

// ended is called after the last sample and returns io.EOF unless there are targets left. Reading on,
// and not passing on, is what verifies the checksum and the length of packed targets.
func (p *pair) ended() error {
	n, err := p.y.read(new(block), 1)
	if n > 0 {
		return p.long()
	}
	return err
}

// long is the error for targets that go on after the samples.
func (p *pair) long() error {
	return &Error{Path: p.yPath, What: "goes on after the last sample of " + p.xPath}
}

func (p *pair) skip(n int64) (int64, error) {
	n, err := p.x.skip(n)
	if err != nil {
		return 0, err
	}
	m, err := p.y.skip(n)
	if err == nil && m < n {
		err = p.short()
	}
	return n, err
}

func (p *pair) close() error { return errors.Join(p.x.close(), p.y.close()) }
