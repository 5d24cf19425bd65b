package stream

import (
	"fmt"
	"slices"

	"blskernel/mat"
)

const panicRow = "stream: row outside the batch"

// A Batch holds consecutive samples. It belongs to the caller and shares nothing with the Reader.
type Batch struct {
	X      *mat.Dense // inputs, rows×Dim; nil with Options.Pixels
	Pixels []byte     // inputs as bytes, row by row; nil without Options.Pixels
	Y      *mat.Dense // numeric targets, rows×Outputs; nil if targets are labels, or there are none
	Labels []string   // labels, one for each row; nil unless Options.Classes
	// Weights are the weights of the rows, finite and not negative; nil without Options.Weight.
	Weights []float64
	Kept    []string // cells of the columns of Options.Keep, row by row; nil without them
	First   int64    // number of samples before this batch, bad ones included

	places  []Place
	numbers []int64 // of the rows among the samples of the data, from 1; nil in a batch not made by a Reader
}

// A Place is the position of a sample in the data.
type Place struct {
	Path string // as given to Open; "standard input" for "-"
	Line int64  // of a CSV file, from 1: where the sample begins; 0 for an array
	Row  int64  // of an array, from 1 in its file; 0 for a CSV file
}

// String returns the place as text, such as "flowers.csv:102" or "images.npy, row 7".
func (p Place) String() string {
	switch {
	case p.Line > 0:
		return fmt.Sprintf("%s:%d", p.Path, p.Line)
	case p.Row > 0:
		return fmt.Sprintf("%s, row %d", p.Path, p.Row)
	}
	return p.Path
}

// Where returns the place of the inputs of row i. The place is empty in a batch not made by a Reader.
//
//	cost: a batch keeps 32 bytes for each place.
//	panics: unless 0 <= i < rows.
func (b *Batch) Where(i int) Place {
	if i >= 0 && i < len(b.places) {
		return b.places[i]
	}
	if i < 0 || i >= b.rows() {
		panic(panicRow)
	}
	return Place{}
}

// rows returns the number of rows. A batch without X has one place for each row.
func (b *Batch) rows() int {
	if b.X == nil {
		return len(b.places)
	}
	return b.X.RawMatrix().Rows
}

// Number returns the position, from 1, of row i among the samples of all sources, bad ones included.
//
//	cost: a batch keeps 8 bytes for each row.
func (b *Batch) Number(i int) int64 {
	if b.numbers == nil {
		return b.First + int64(i) + 1
	}
	return b.numbers[i]
}

type samples struct {
	x, y    []float64
	pixels  []byte    // in place of x, with Options.Pixels
	w       []float64 // weights
	labels  []string
	kept    []string
	places  []Place // of the samples whose inputs are in x
	numbers []int64 // of these samples, from 1, in the data
	passed  int64   // samples of the data up to the last that was read, bad ones included

	cells []float64 // of a sample, one for each column
}

func (s *samples) extend(inputs, targets, kept int) (x, y []float64, cells []string) {
	s.x = slices.Grow(s.x, inputs)[:len(s.x)+inputs]
	s.y = slices.Grow(s.y, targets)[:len(s.y)+targets]
	s.kept = slices.Grow(s.kept, kept)[:len(s.kept)+kept]
	return s.x[len(s.x)-inputs:], s.y[len(s.y)-targets:], s.kept[len(s.kept)-kept:]
}

// read reads the next sample of a source, turns its cells into inputs, appends them and numbers the
// sample. A sample that is bad, or that MissingDrop leaves out, is counted but not kept. t, unless it
// is nil, counts left-out samples, filled-in cells and unknown words.
func (s *samples) read(from source, opt *Options, t *Tally) error {
	before := *s
	err := from.read(s)
	if err == nil || isBad(err) {
		s.passed++
	}
	nan := func(v float64) bool { return v != v }
	missing := err == nil && opt.Missing == MissingDrop &&
		(slices.ContainsFunc(s.x[len(before.x):], nan) || slices.ContainsFunc(s.y[len(before.y):], nan) ||
			slices.ContainsFunc(s.w[len(before.w):], nan) || slices.Contains(s.labels[len(before.labels):], ""))
	if missing && t != nil {
		t.Dropped++
	}
	if err != nil || missing {
		s.x, s.y, s.w = s.x[:len(before.x)], s.y[:len(before.y)], s.w[:len(before.w)]
		s.labels, s.kept, s.places = s.labels[:len(before.labels)], s.kept[:len(before.kept)], s.places[:len(before.places)]
		s.pixels = s.pixels[:len(before.pixels)]
		return err
	}
	if opt.Columns != nil {
		s.cells = append(s.cells[:0], s.x[len(before.x):]...)
		s.x = opt.Columns.Append(s.x[:len(before.x)], s.cells, t)
	}
	s.numbers = append(s.numbers, s.passed)
	return nil
}
