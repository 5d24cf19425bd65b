package dataset

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"blskernel/internal/linalg/detmath"
)

const (
	digitSide    = 28
	digitPixels  = digitSide * digitSide
	digitClasses = 10
)

// Digits draws n synthetic digits: grey images of 28×28 pixels in 10 classes, light ink on a dark
// background. They are not handwriting, and no measurement on them is a result on MNIST.
//
// Each class has two or three skeletons, and each image starts from one of them. The control points of
// the skeleton are jittered one by one, then moved together by a smooth quadratic warp and by scale,
// aspect, slant, rotation and shift. The strokes are quadratic B-splines, drawn by a round pen of
// random width with smooth edges. Ink, background and the noise of every pixel have random levels.
//
// Image i depends on (seed, i) alone: Digits(m, seed) is a prefix of Digits(n, seed) for m <= n.
// Images 10b to 10b+9 hold every class once, in random order. Sets from different seeds are
// independent: train on one and test on another. All arithmetic is on integers, so a seed gives the
// same bytes on every platform.
//
// Ridge regression on the pixels of 5000 images (seed 1) classifies 93.3% of 2000 others (seed 2)
// correctly. On 500 random tanh features it reaches 95.4%, so nonlinear classifiers can gain.
//
//	cost: 785 n bytes; a few microseconds per image, on the calling goroutine.
//	panics: if n < 0 or 784 n overflows an int.
func Digits(n int, seed uint64) *Images {
	if n < 0 {
		panic("dataset: negative number of digits")
	}
	if n > math.MaxInt/digitPixels {
		panic("dataset: too many digits: an int cannot count their pixels")
	}
	s := &Images{
		Name: "synthetic digits", Synthetic: true,
		Rows: digitSide, Cols: digitSide, Classes: digitClasses,
		Pixels: make([]byte, n*digitPixels), Labels: make([]byte, n),
	}
	var order [digitClasses]byte
	var p pen
	for i := range n {
		block, member := i/digitClasses, i%digitClasses
		if member == 0 {
			order = shuffledClasses(seed, block)
		}
		s.Labels[i] = order[member]
		r := newGenerator(seed, streamImages, i)
		p.draw(s.Pixels[i*digitPixels:(i+1)*digitPixels], order[member], r)
	}
	return s
}

// shuffledClasses returns the classes of images 10*block to 10*block+9.
func shuffledClasses(seed uint64, block int) (order [digitClasses]byte) {
	r := newGenerator(seed, streamOrder, block)
	for i := range order {
		j := r.below(i + 1)
		order[i] = order[j]
		order[j] = byte(i)
	}
	return order
}

// The independent random streams of one seed; streams is the number of them.
const (
	streamImages = iota
	streamOrder
	streams
)

// A generator draws the random numbers for one image, or for the order of one block.
type generator struct{ pcg rand.PCG }

func newGenerator(seed uint64, stream, i int) *generator {
	hi := detmath.SplitMix64(seed)
	lo := detmath.SplitMix64(hi ^ (uint64(i)*streams + uint64(stream)))
	s := new(generator)
	s.pcg.Seed(hi, lo)
	return s
}

// below returns an integer in [0, n), each with probability 1/n to within 2^-64.
func (s *generator) below(n int) int {
	hi, _ := bits.Mul64(s.pcg.Uint64(), uint64(n))
	return int(hi)
}

// uniform returns an integer in [-a, a], each with the same probability.
func (s *generator) uniform(a int64) int64 { return int64(s.below(int(2*a+1))) - a }

// bell returns an integer in [-a, a] from a bell-shaped distribution: the sum of three uniform integers
// in [-a/3, a/3], with standard deviation about a/3. a is a multiple of 3.
func (s *generator) bell(a int64) int64 { return s.uniform(a/3) + s.uniform(a/3) + s.uniform(a/3) }
