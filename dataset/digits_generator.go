package dataset

import (
	"math/bits"
	"math/rand/v2"
)

// Streams of random numbers of one seed.
const (
	streamImages = iota
	streamOrder
	streams
)

// A generator draws the random numbers of one image, or of the order of ten.
type generator struct{ pcg rand.PCG }

// newGenerator returns the generator of (seed, stream, i).
func newGenerator(seed uint64, stream, i int) *generator {
	hi := mix(seed)
	lo := mix(hi ^ (uint64(i)*streams + uint64(stream)))
	s := new(generator)
	s.pcg.Seed(hi, lo)
	return s
}

// mix is the output function of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom
// number generators", 2014) one step after z: a bijection that separates neighbouring seeds.
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns an integer of [0, n), each with probability 1/n to within 2^-64.
func (s *generator) below(n int) int {
	hi, _ := bits.Mul64(s.pcg.Uint64(), uint64(n))
	return int(hi)
}

// around returns an integer of [-a, a], uniform.
func (s *generator) around(a int64) int64 { return int64(s.below(int(2*a+1))) - a }

// bell returns an integer of [-a, a], the sum of three uniform ones of [-a/3, a/3]: bell-shaped,
// with standard deviation a/3. a is a multiple of 3.
func (s *generator) bell(a int64) int64 { return s.around(a/3) + s.around(a/3) + s.around(a/3) }
