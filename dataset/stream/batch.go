package stream

import (
	"fmt"
	"slices"

	"blskernel/mat"
)

const panicRow = "stream: row outside of the batch"

// A Batch is consecutive samples. It belongs to the caller and shares nothing with the Reader.
type Batch struct {
	X      *mat.Dense // inputs, rows×Dim
	Y      *mat.Dense // numeric targets, rows×Outputs; nil for labels and without targets
	Labels []string   // labels, one for each row; nil unless Options.Classes
	// Weights are the weights of the rows, finite and not negative; nil without Options.Weight.
	Weights []float64
	First   int64 // samples before the first of this batch, bad ones included

	places  []Place
	numbers []int64 // of the rows among the samples of the data, from 1; nil in a batch that no Reader made
}

// A Place says where a sample stands in the data.
type Place struct {
	Path string // as given to Open; "standard input" for "-"
	Line int64  // of a text, from 1: where the sample begins; 0 for an array
	Row  int64  // of an array, from 1 in its file; 0 for a text
}

// String returns the place as in "flowers.csv:102" and "images.npy, row 7".
func (p Place) String() string {
	switch {
	case p.Line > 0:
		return fmt.Sprintf("%s:%d", p.Path, p.Line)
	case p.Row > 0:
		return fmt.Sprintf("%s, row %d", p.Path, p.Row)
	}
	return p.Path
}

// Where returns the place of the inputs of row i.
//
//	cost: a batch keeps 32 bytes for each place.
//	panics: unless 0 <= i < rows. The place is empty in a batch that no Reader made.
func (b *Batch) Where(i int) Place {
	if i < 0 || b.X == nil || i >= b.X.RawMatrix().Rows {
		panic(panicRow)
	}
	if b.places == nil {
		return Place{}
	}
	return b.places[i]
}

// Number returns the number of row i among the samples of the data, from 1, bad ones included.
//
//	cost: a batch keeps 8 bytes for each row.
func (b *Batch) Number(i int) int64 {
	if b.numbers == nil {
		return b.First + int64(i) + 1
	}
	return b.numbers[i]
}

// samples collects what sources read for a batch.
type samples struct {
	x, y    []float64
	w       []float64 // weights
	labels  []string
	places  []Place // of the samples whose inputs are in x
	numbers []int64 // of those samples among those of the data
	passed  int64   // samples of the data up to the last that was read, bad ones included
}

// count numbers the last n samples.
func (s *samples) count(n int) {
	for range n {
		s.passed++
		s.numbers = append(s.numbers, s.passed)
	}
}

// extend appends one row of nx inputs and ny targets with undefined contents, and returns both.
func (s *samples) extend(nx, ny int) (x, y []float64) {
	s.x = slices.Grow(s.x, nx)[:len(s.x)+nx]
	s.y = slices.Grow(s.y, ny)[:len(s.y)+ny]
	return s.x[len(s.x)-nx:], s.y[len(s.y)-ny:]
}
