package stream

type info struct {
	heading   Heading
	inputs    []string   // names of the columns of the inputs, nil if they have none
	columns   []int      // the columns of the inputs, from 0
	dim       int        // number of inputs
	gaps      bool       // a cell of an array can be missing
	targets   []string   // names of the targets, nil if they have none
	outputs   int        // columns of Y; 1 for labels
	ofTargets []int      // the columns of the targets, from 0; nil for labels in a separate array
	taken     []int      // the columns of targets and weights in the file of the inputs, from 0
	kept      []string   // names of the kept columns, or their numbers
	rows      int64      // number of samples, -1 if unknown
	layout    *csvLayout // of a CSV file; nil for other formats
	targetsIn *csvLayout // of a separate CSV file with the targets; nil without one
}

// column returns the position and the name of column n, counting the inputs and then the targets.
func (i *info) column(n int) (col int, name string) {
	if n < i.dim {
		return i.columns[n], nameOf(i.inputs, n)
	}
	return i.ofTargets[n-i.dim], nameOf(i.targets, n-i.dim)
}

// A source delivers the samples of one file in their order. It has nothing to close: the file belongs
// to the caller, and a member of an archive holds only memory.
type source interface {
	info() *info
	// taken returns the bytes of the file up to the end of the last sample read or skipped.
	taken() int64
	// read appends the next sample to s, with its place unless this is a source of targets. After
	// the last sample it returns io.EOF. It skips a bad sample and returns an error for which isBad
	// is true. After an error s may hold part of a sample.
	read(s *samples) error
	// survey adds the cells of the next sample to the statistics of the inputs and, for a CSV file,
	// the targets. It is called in place of read, and returns the same errors.
	survey(inputs, targets []surveyed) error
}

// newSource opens the content of in as the source that opt selects. For first see readLayout.
func newSource(in *input, opt *Options, first *csvLayout) (s source, err error) {
	switch in.format {
	case NPY:
		s, err = openNPY(in, opt)
	case NPZ:
		s, err = openNPZ(in, opt)
	case IDX:
		s, err = openIDX(in, opt)
	default:
		s, err = openCSV(in, opt, first)
	}
	if err != nil {
		return nil, located(in.path, err)
	}
	if opt.Pixels && !opt.targetsOnly {
		a, ok := s.(*array)
		switch {
		case !ok || !a.pixels:
			return nil, &Error{Path: in.path,
				What: "has no images to read as bytes; want an idx file or a binary matrix of unsigned bytes in three or more dimensions"}
		case a.about.dim != a.width || opt.Inputs != nil || opt.Keep != nil || opt.Columns != nil:
			return nil, &Error{Path: in.path,
				What: "columns are selected, but Options.Pixels reads whole images; leave Inputs, Exclude, Targets, Weight, Keep and Columns empty"}
		}
		a.bytes = true
	}
	s.info().heading.Format = in.format
	return s, nil
}
