package stream

// info describes a source, from its beginning.
type info struct {
	heading Heading
	inputs  []string // names of the columns of the inputs, nil where they have none
	columns []int    // those columns, from 0; nil for all
	dim     int      // their number
	gaps    bool     // a cell of an array can be NaN
	targets []string // names of the targets, nil where they have none
	outputs int      // columns of Y; 1 for labels
	// textTargets reports that the targets are in a separate text.
	textTargets bool
	kept        []string   // names of the kept columns, their numbers where they have none
	rows        int64      // samples, -1 where that is unknown
	layout      *csvLayout // of a text, nil for other formats
}

// A source delivers the samples of one file in their order.
type source interface {
	info() *info
	// taken returns the bytes of the file up to the end of the last sample that was read or passed.
	taken() int64
	// read appends at least one and at most n >= 1 samples to s and returns their number, with
	// their places unless this is a source of targets. After the last sample it returns 0 and
	// io.EOF. It skips an unusable sample and returns 0 and an error for which isBad holds, with s
	// unchanged. After another error s may have parts of samples.
	read(s *samples, n int) (int, error)
	// survey counts the cells of at most n >= 1 samples, in a column for each input, and in one for
	// each target of a text, and returns the number of samples. It is used in place of read, and
	// has its errors.
	survey(inputs, targets []surveyed, n int) (int, error)
	// close stops background work. The file belongs to the caller.
	close()
}

// newSource makes the source that q selects from the content of in. For first see readLayout.
func newSource(in *input, q *request, opt *Options, first *csvLayout) (s source, err error) {
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
	s.info().heading.Format = in.format
	return s, nil
}
