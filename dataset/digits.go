package dataset

import "math"

const (
	digitSide    = 28
	digitPixels  = digitSide * digitSide
	digitClasses = 10
)

// Digits draws n synthetic digits: grey images of 28×28 pixels in 10 classes, light ink on a dark
// ground. They are not handwriting, and no measurement on them is a result on MNIST.
//
// A digit starts as one of the skeletons of its class. Its control points are jittered one by one, then
// moved together by a smooth quadratic warp and by scale, aspect, slant, rotation and shift. The
// strokes are quadratic B-splines, drawn by a round pen of random width with smooth edges. Ink, ground
// and the noise of every pixel have random levels.
//
// Image i depends on (seed, i) alone: Digits(m, seed) is a prefix of Digits(n, seed) for m <= n.
// Images 10b to 10b+9 hold every class once, in random order. Sets of different seeds are
// independent: train on one and test on another. All arithmetic is on integers, so a seed gives the
// same bytes on every platform.
//
// Ridge regression on 5000 images (seed 1), tested on 2000 (seed 2), reaches 93.3% on the pixels and
// 95.4% on 500 random tanh features, so that a nonlinear classifier has something to gain.
//
//	cost: 785 n bytes; a few microseconds an image, on the calling goroutine.
//	panics: n < 0, or 784 n beyond the largest int.
func Digits(n int, seed uint64) *Images {
	if n < 0 {
		panic("dataset: negative number of digits")
	}
	if n > math.MaxInt/digitPixels {
		panic("dataset: too many digits")
	}
	s := &Images{
		Name: "synthetic digits", Synthetic: true,
		Rows: digitSide, Cols: digitSide, Classes: digitClasses,
		Pixels: make([]byte, n*digitPixels), Labels: make([]byte, n),
	}
	var order [digitClasses]byte
	var p pen
	for i := range n {
		ten, member := i/digitClasses, i%digitClasses
		if member == 0 {
			order = shuffledClasses(seed, ten)
		}
		s.Labels[i] = order[member]
		r := newGenerator(seed, streamImages, i)
		p.draw(s.Pixels[i*digitPixels:(i+1)*digitPixels], order[member], r)
	}
	return s
}

// shuffledClasses returns the classes of images 10*ten to 10*ten+9.
func shuffledClasses(seed uint64, ten int) (order [digitClasses]byte) {
	r := newGenerator(seed, streamOrder, ten)
	for i := range order {
		j := r.below(i + 1)
		order[i] = order[j]
		order[j] = byte(i)
	}
	return order
}
