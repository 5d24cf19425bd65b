package main

import (
	"strconv"

	"blskernel/internal/flagvalue"
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
	v, err := flagvalue.ParseRidge(s)
	if err == nil {
		*r = ridge(v)
	}
	return err
}
