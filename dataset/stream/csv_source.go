package stream

import (
	"io"
	"math"
	"slices"
	"strings"

	"blskernel/internal/io/names"
)

// maxLabel is the largest number of bytes in a label. A batch holds its labels in memory.
const maxLabel = 1 << 16

type csvSource struct {
	recordReader
	layout *csvLayout
	about  info
	passed int64 // bytes of the file up to the end of the last sample
}

// openCSV opens a CSV file as a source. For first see readLayout.
func openCSV(in *input, opt *Options, first *csvLayout) (source, error) {
	head := newRecordReader(in)
	layout, err := readLayout(&head, opt, first)
	if err == io.EOF {
		return nil, &Error{What: "is empty", Err: ErrEmpty}
	} else if err != nil {
		return nil, err
	}
	if err := in.rewind(); err != nil {
		return nil, err
	}
	s := &csvSource{recordReader: newRecordReader(in), layout: layout, about: layout.info()}
	s.comma, s.width = head.comma, head.width
	if layout.header {
		err = s.recordReader.read()
		s.blanks = 0
	}
	return s, err
}

func (s *csvSource) info() *info { return &s.about }

func (s *csvSource) taken() int64 { return s.in.position(s.passed) }

func (s *csvSource) read(b *samples) error {
	cells, err := s.next()
	s.passed = s.end
	if err != nil {
		return err
	}
	if fault := s.layout.sample(b, cells); fault != nil {
		fault.Path, fault.Line, fault.sample = s.in.path, s.lineOf(fault.Column-1), true
		return fault
	}
	if s.about.dim > 0 {
		b.places = append(b.places, Place{Path: s.in.path, Line: s.line})
	}
	return nil
}

// survey adds the cells of the next record, as they are written, to the statistics.
func (s *csvSource) survey(inputs, targets []surveyed) error {
	cells, err := s.next()
	if err != nil {
		return err
	}
	for i := range inputs {
		inputs[i].cell(trim(cells[s.layout.choice.inputs[i]]))
	}
	for i := range targets {
		targets[i].cell(trim(cells[s.layout.choice.targets[i]]))
	}
	return nil
}

// sample appends the sample in the cells of a record to s, or returns the fault of the first bad cell,
// without a line. s may then hold part of the sample. s gets copies of the cells, not the record.
func (l *csvLayout) sample(s *samples, cells []string) (fault *Error) {
	x, y, kept := s.extend(len(l.choice.inputs), l.outputs, len(l.choice.kept))
	for col := range l.columns {
		c, cell := &l.columns[col], trim(cells[col])
		if c.keep > 0 {
			kept[c.keep-1] = strings.Clone(cell)
		}
		switch c.kind {
		case inputColumn:
			x[c.index], fault = c.in.number(cell, l.fills, !l.fixed)
		case wordColumn:
			x[c.index], fault = l.level(c, cell)
		case targetColumn:
			y[c.index], fault = c.in.number(cell, l.drop, false)
		case weightColumn:
			var v float64
			if v, fault = c.in.number(cell, l.drop, false); v < 0 {
				fault = &Error{What: negativeWeight(v)}
			}
			s.w = append(s.w, v)
		case labelColumn:
			cell, fault = l.label(cell)
			s.labels = append(s.labels, strings.Clone(cell))
		}
		if fault != nil {
			return fault.in(col, nameOf(l.names, col))
		}
	}
	return nil
}

// label returns the label in a trimmed cell. A missing label is "" if l.drop is true, and otherwise a
// fault with only What. None is a label unless Options.NA has it, since it is a common class name.
func (l *csvLayout) label(cell string) (string, *Error) {
	missing := l.isMissing(cell) && !slices.Contains(l.known, cell) && (!strings.EqualFold(cell, "none") || slices.Contains(l.na, cell))
	switch {
	case missing && l.drop:
		return "", nil
	case cell == "":
		return "", Errorf("is empty; fill in the label or remove the row")
	case missing:
		return "", Errorf("is %s, a missing value; fill in the label or remove the row", names.Shorten(cell))
	case len(cell) > maxLabel:
		return "", Errorf("is a label of %d bytes; want at most %d", len(cell), maxLabel)
	}
	return cell, nil
}

// level returns the index of the level that a cell names, or -1 for an unknown word. A missing cell
// is NaN if l.fills is true, and otherwise a fault with only What.
func (l *csvLayout) level(c *csvColumn, cell string) (float64, *Error) {
	if k, known := c.levels[cell]; known {
		return float64(k), nil
	}
	if !c.in.isMissing(cell) {
		return -1, nil
	}
	if !l.fills {
		return 0, Errorf("is %s, a missing value; fill in a word or remove the row", names.Shorten(cell))
	}
	return math.NaN(), nil
}
