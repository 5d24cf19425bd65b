package blsupdate

import (
	"fmt"
	"math"

	"blskernel/internal/codec"
)

// A coder writes the numbers of a model, or reads and checks them. Each state says once what it consists of, in its
// method code, so that what is written is what is read.
//
// In reading, what a failed coder fills in is zero, empty or nil.
type coder struct {
	w       *codec.Writer // nil where it reads
	r       *codec.Reader // nil where it writes
	err     error         // of writing: the state has a number in it that would be refused in reading
	samples int
}

// mostElements bounds the numbers in one matrix, so that products of sizes do not overflow where an int has 32 bits.
const mostElements = math.MaxInt / 8

// fits tells whether a matrix of these sizes, none of them negative, has at most mostElements.
func fits(rows, cols int) bool { return cols == 0 || rows <= mostElements/cols }

func (x *coder) reading() bool { return x.r != nil }

func (x *coder) failed() bool {
	if x.reading() {
		return x.r.Err() != nil
	}
	return x.err != nil
}

// What a number may be. Norms and estimates may have overflowed in a model that still goes on; NaN is none of them.
func notNegative(v float64) bool { return v >= 0 }
func isLength(v float64) bool    { return v >= 0 && v <= math.MaxFloat64 }
func isPositive(v float64) bool  { return v > 0 && v <= math.MaxFloat64 }

// refuse makes an error of a number that must not be.
func (x *coder) refuse(what string, i int, v float64) {
	switch {
	case x.reading():
		x.r.FailElement(i, "%s cannot be %g", what, v)
	case x.err == nil:
		x.err = fmt.Errorf("blsupdate: encoding a model: %s is %g: %w", what, v, ErrOverflow)
	}
}

// float codes a number that has to be as ok says.
func (x *coder) float(what string, v *float64, ok func(float64) bool) {
	if x.reading() {
		*v = x.r.Float64()
	}
	if !ok(*v) {
		x.refuse(what, 0, *v)
	}
	if !x.reading() {
		x.w.Float64(*v)
	}
}

// int codes a whole number from 0 to most.
func (x *coder) int(what string, v *int, most int) {
	if x.reading() {
		*v = x.r.Int(what, most)
	} else {
		x.w.Int(*v)
	}
}

// signed codes a whole number of either sign.
func (x *coder) signed(v *int64) {
	if x.reading() {
		*v = int64(x.r.Uint64())
	} else {
		x.w.Uint64(uint64(*v))
	}
}

// bool codes a truth value.
func (x *coder) bool(v *bool) {
	if x.reading() {
		*v = x.r.Bool()
	} else {
		x.w.Bool(*v)
	}
}

// present codes whether something is there, which in writing is is.
func (x *coder) present(is bool) bool {
	x.bool(&is)
	return is
}
