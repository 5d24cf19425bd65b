// Package fuzz derives choices from the data of a fuzzer.
package fuzz

import "math/rand/v2"

// Choices are taken from the data of a fuzzer, one byte each. After the end of the data they are zero.
type Choices []byte

// Below takes a byte and returns it modulo n, 1 <= n <= 256.
func (c *Choices) Below(n int) int {
	if len(*c) == 0 {
		return 0
	}
	v := int((*c)[0])
	*c = (*c)[1:]
	return v % n
}

// Random returns n random bytes, as a fuzzer might.
func Random(rnd *rand.Rand, n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(rnd.IntN(256))
	}
	return data
}
