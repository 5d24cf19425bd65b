package stream

import (
	"fmt"
	"slices"
	"sort"

	"blskernel/mat"
)

const panicRow = "stream: row outside of the batch"

// A Batch is consecutive samples. It belongs to the caller and shares nothing with the Reader.
type Batch struct {
	X      *mat.Dense // inputs, rows×Dim
	Y      *mat.Dense // numeric targets, rows×Outputs; nil for labels and without targets
	Labels []string   // labels, one for each row; nil unless Options.Classes
	First  int64      // samples before the first of this batch, bad ones included
	places []stretch
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

// after returns the place n lines or rows further on.
func (p Place) after(n int) Place {
	if p.Line > 0 {
		p.Line += int64(n)
	} else {
		p.Row += int64(n)
	}
	return p
}

// A stretch is a run of samples on consecutive lines or rows.
type stretch struct {
	first int   // sample of the batch
	place Place // of that sample
}

// Where returns the place of the inputs of row i.
//
//	cost: a batch keeps one place for each run of consecutive lines, at worst 50 bytes a sample.
//	panics: unless 0 <= i < rows. The place is empty in a batch that no Reader made.
func (b *Batch) Where(i int) Place {
	if i < 0 || b.X == nil || i >= b.X.RawMatrix().Rows {
		panic(panicRow)
	}
	k := sort.Search(len(b.places), func(k int) bool { return b.places[k].first > i }) - 1
	if k < 0 {
		return Place{}
	}
	return b.places[k].place.after(i - b.places[k].first)
}

// samples collects what sources read for a batch.
type samples struct {
	x, y   []float64
	labels []string
	rows   int // whose inputs are in x
	places []stretch
}

// extend appends one row of nx inputs and ny targets with undefined contents, and returns both.
func (s *samples) extend(nx, ny int) (x, y []float64) {
	s.x = slices.Grow(s.x, nx)[:len(s.x)+nx]
	s.y = slices.Grow(s.y, ny)[:len(s.y)+ny]
	return s.x[len(s.x)-nx:], s.y[len(s.y)-ny:]
}

// placed records that the next n samples begin at p, one on each line or row.
func (s *samples) placed(p Place, n int) {
	k := len(s.places) - 1
	if k < 0 || s.places[k].place.after(s.rows-s.places[k].first) != p {
		s.places = append(s.places, stretch{s.rows, p})
	}
	s.rows += n
}
