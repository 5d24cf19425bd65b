package bench

import (
	"fmt"
	"math/rand/v2"

	"blskernel/dataset"
)

// HoldOut divides a training set into one without its last n samples and those, on which settings can
// be chosen without a look at the test set. They share its storage. It panics if n is negative or more
// than s has.
func HoldOut(s *dataset.Images, n int) (rest, held *dataset.Images) {
	if n < 0 || n > s.Len() {
		panic("bench: HoldOut: n is negative or more than the samples")
	}
	at := s.Len() - n
	first, last := *s, *s
	first.Pixels, first.Labels = s.Pixels[:at*s.Features()], s.Labels[:at]
	last.Pixels, last.Labels = s.Pixels[at*s.Features():], s.Labels[at:]
	first.Name, last.Name = fmt.Sprintf("%s without its last %d", s.Name, n), fmt.Sprintf("the last %d of %s", n, s.Name)
	return &first, &last
}

// RandomNORB returns n images of random pixels of the size that small NORB is reduced to, 2×32×32, with
// random labels of 5 classes: something to measure times with where NORB itself is not at hand. There
// is nothing to be learned from them.
func RandomNORB(n int, seed uint64) *dataset.Images {
	r := rand.New(rand.NewPCG(seed, 0))
	const rows, cols, classes = 64, 32, 5
	s := &dataset.Images{
		Name: "random images", Rows: rows, Cols: cols, Classes: classes, Synthetic: true,
		Pixels: make([]byte, n*rows*cols), Labels: make([]byte, n),
	}
	for i := range s.Pixels {
		s.Pixels[i] = byte(r.Uint32N(256))
	}
	for i := range s.Labels {
		s.Labels[i] = byte(r.IntN(classes))
	}
	return s
}
