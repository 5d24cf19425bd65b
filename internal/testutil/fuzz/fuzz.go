// Package fuzz makes choices of the data of a fuzzer.
package fuzz

// Choices are taken from the data of a fuzzer, a byte each, and are zeros where it ends.
type Choices []byte

// Below takes a number below n, which is at most 256.
func (c *Choices) Below(n int) int {
	if len(*c) == 0 {
		return 0
	}
	v := int((*c)[0])
	*c = (*c)[1:]
	return v % n
}
