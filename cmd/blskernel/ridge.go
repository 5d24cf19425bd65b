package main

import (
	"errors"
	"math"
	"strconv"
	"strings"
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
	var v float64
	var err error
	if exponent, ok := strings.CutPrefix(s, "2^"); ok {
		var n int
		n, err = strconv.Atoi(exponent)
		v = math.Ldexp(1, n)
	} else {
		v, err = strconv.ParseFloat(s, 64)
	}
	if err != nil || !(v >= 0) || math.IsInf(v, 1) {
		return errors.New("want a finite number, 0 or more, such as 1e-6 or 2^-30")
	}
	if v == 0 && strings.ContainsAny(strings.SplitN(strings.ToLower(s), "e", 2)[0], "123456789") {
		return errors.New("is too small for a float64; 0 is the exact pseudoinverse")
	}
	*r = ridge(v)
	return nil
}
