package main

import (
	"math"
	"strconv"

	"blskernel/internal/flagvalue"
)

// ridge is the value of --lambda: a number that is written as a power of two where it is one, since the
// paper's is 2^-30.
type ridge float64

// Type is the name of the value in the help text.
func (*ridge) Type() string { return "number" }

// String returns the shorter of the decimal number and 2^n.
func (r *ridge) String() string {
	decimal := strconv.FormatFloat(float64(*r), 'g', -1, 64)
	if fraction, exponent := math.Frexp(float64(*r)); fraction == 0.5 {
		if power := "2^" + strconv.Itoa(exponent-1); len(power) < len(decimal) {
			return power
		}
	}
	return decimal
}

// Set reads a decimal number or 2^n.
func (r *ridge) Set(s string) error {
	v, err := flagvalue.ParseRidge(s)
	if err == nil {
		*r = ridge(v)
	}
	return err
}
