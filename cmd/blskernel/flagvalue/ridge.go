// Package flagvalue reads the values of flags that the programs of this repository share.
package flagvalue

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// ParseRidge reads a ridge: a decimal number, or a power of two such as the paper's 2^-30. The ridge is
// finite and not negative, and 0 only if s is a zero.
func ParseRidge(s string) (float64, error) {
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
		return 0, errors.New("want a finite number, 0 or more, such as 1e-6 or 2^-30")
	}
	if v == 0 && strings.ContainsAny(strings.SplitN(strings.ToLower(s), "e", 2)[0], "123456789") {
		return 0, errors.New("is too small for a float64; 0 is least squares, without a ridge")
	}
	return v, nil
}
