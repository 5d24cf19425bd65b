package main

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// ridge is the value of --lambda: a decimal number, or a power of two as 2^-30, which the paper has.
// Where it is not given it is that of the model, which a negative number stands for.
type ridge float64

// modelRidge stands for the ridge of the model.
const modelRidge ridge = -1

// String returns what was given, empty for the ridge of the model.
func (r *ridge) String() string {
	if r == nil || *r < 0 {
		return ""
	}
	return strconv.FormatFloat(float64(*r), 'g', -1, 64)
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
