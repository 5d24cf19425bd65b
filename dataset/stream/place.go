package stream

import (
	"fmt"
	"sort"
)

const panicRow = "stream: row outside of the batch"

// A Place says where a sample stands in the data.
type Place struct {
	Path string // as it was given to Open; "standard input" for "-"
	Line int64  // of a text, from 1, where the sample begins; 0 for an array
	Row  int64  // of an array, from 1 in its file; 0 for a text
}

// String returns the place as in "flowers.csv, line 102" and "images.npy, row 7".
func (p Place) String() string {
	switch {
	case p.Line > 0:
		return fmt.Sprintf("%s, line %d", p.Path, p.Line)
	case p.Row > 0:
		return fmt.Sprintf("%s, row %d", p.Path, p.Row)
	}
	return p.Path
}

// A stretch is the place of the first of some consecutive samples, those after which stand on the lines
// or rows that follow.
type stretch struct {
	first int // sample of the batch
	place Place
}

// Where returns the place of the sample in row i of b: that of its inputs, where the targets are a file
// of their own. The batch keeps one place for samples on consecutive lines, so that this costs hardly
// any memory; at worst, where every other line is empty, it is some 50 bytes for a sample.
//
//	panics: unless 0 <= i < rows. The place is empty in a batch that was not made by a Reader.
func (b *Batch) Where(i int) Place {
	if i < 0 || b.X == nil || i >= b.X.RawMatrix().Rows {
		panic(panicRow)
	}
	at := sort.Search(len(b.places), func(k int) bool { return b.places[k].first > i }) - 1
	if at < 0 {
		return Place{}
	}
	p := b.places[at].place
	after := int64(i - b.places[at].first)
	if p.Line > 0 {
		p.Line += after
	} else {
		p.Row += after
	}
	return p
}

// placed notes that the next n samples of b begin at p, one on each line or row.
func (b *block) placed(p Place, n int) {
	goesOn := false
	if k := len(b.places); k > 0 {
		last := b.places[k-1]
		after := int64(b.samples - last.first)
		if last.place.Line > 0 {
			last.place.Line += after
		} else {
			last.place.Row += after
		}
		goesOn = last.place == p
	}
	if !goesOn {
		b.places = append(b.places, stretch{b.samples, p})
	}
	b.samples += n
}
