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
	Kept    []string // cells of the columns of Options.Keep, row after row; nil without them
	First   int64    // samples before the first of this batch, bad ones included

	places  []Place
	numbers []int64 // of the rows among the samples of the data, from 1; nil in a batch that no Reader made
}

// A Place is the position of a sample in the data.
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

// samples collects the samples that sources read for a batch.
type samples struct {
	x, y    []float64
	w       []float64 // weights
	labels  []string
	kept    []string
	places  []Place // of the samples whose inputs are in x
	numbers []int64 // of these samples in the data
	passed  int64   // samples of the data up to the last that was read, bad ones included
}

// count numbers the last n samples.
func (s *samples) count(n int) {
	for range n {
		s.passed++
		s.numbers = append(s.numbers, s.passed)
	}
}

// A shape has the number of elements that one sample adds to each slice of samples. Each sample has one
// place and one number.
type shape struct{ x, y, w, labels, kept, places int }

// shape returns the shape of s, which has rows samples.
func (s *samples) shape(rows int) shape {
	return shape{len(s.x) / rows, len(s.y) / rows, len(s.w) / rows, len(s.labels) / rows, len(s.kept) / rows, len(s.places) / rows}
}

// extend appends the inputs and targets of one sample with undefined contents, and returns both.
func (s *samples) extend(of shape) (x, y []float64) {
	s.x = slices.Grow(s.x, of.x)[:len(s.x)+of.x]
	s.y = slices.Grow(s.y, of.y)[:len(s.y)+of.y]
	s.kept = slices.Grow(s.kept, of.kept)[:len(s.kept)+of.kept]
	return s.x[len(s.x)-of.x:], s.y[len(s.y)-of.y:]
}

// slice returns the samples from the index from up to to.
func (s *samples) slice(from, to int, of shape) samples {
	return samples{
		x: s.x[from*of.x : to*of.x], y: s.y[from*of.y : to*of.y], w: s.w[from*of.w : to*of.w],
		labels: s.labels[from*of.labels : to*of.labels], kept: s.kept[from*of.kept : to*of.kept],
		places: s.places[from*of.places : to*of.places], numbers: s.numbers[from*of.places : to*of.places],
		passed: s.passed,
	}
}

func (s *samples) append(more samples) {
	s.x, s.y, s.w = append(s.x, more.x...), append(s.y, more.y...), append(s.w, more.w...)
	s.labels, s.kept = append(s.labels, more.labels...), append(s.kept, more.kept...)
	s.places, s.numbers = append(s.places, more.places...), append(s.numbers, more.numbers...)
}
