package blsupdate

import (
	"fmt"
	"math"

	"blskernel/internal/codec"
)

// A coder writes the numbers of a model, or reads them, and checks the same in both directions: what Decode would refuse
// Encode does not write. Each state says once what it consists of, in its method code, so that what is written is what is
// read.
//
// In reading, what a failed coder fills in is zero, empty or nil.
type coder struct {
	w       *codec.Writer // nil where it reads
	r       *codec.Reader // nil where it writes
	err     error         // of writing: the state has something in it that would be refused in reading
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

// fail makes an error of writing, unless there is one.
func (x *coder) fail(err error) {
	if x.err == nil {
		x.err = fmt.Errorf("blsupdate: encoding a model: %w", err)
	}
}

// check makes an error of something that no model can have, unless it is ok.
func (x *coder) check(ok bool, format string, args ...any) {
	if !ok {
		x.failElement(0, format, args...)
	}
}

// failElement makes an error of element i of what was read last, or is to be written.
func (x *coder) failElement(i int, format string, args ...any) {
	if x.reading() {
		x.r.FailElement(i, format, args...)
	} else {
		x.fail(&StateError{What: fmt.Sprintf(format, args...)})
	}
}

// What a number may be. Norms and estimates may have overflowed in a model that still goes on; NaN is none of them.
func notNegative(v float64) bool { return v >= 0 }
func isLength(v float64) bool    { return v >= 0 && v <= math.MaxFloat64 }
func isPositive(v float64) bool  { return v > 0 && v <= math.MaxFloat64 }

// refuse makes an error of number i of those that were read last, or are to be written, which must not be v.
func (x *coder) refuse(what string, i int, v float64) {
	switch {
	case x.reading():
		x.r.FailElement(i, "%s cannot be %g", what, v)
	case v-v != 0:
		x.fail(fmt.Errorf("%s is %g: %w", what, v, ErrOverflow))
	default:
		x.check(false, "%s is %g", what, v)
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
		return
	}
	x.check(0 <= *v && *v <= most, "%s is %d; from 0 to %d can be", what, *v, most)
	x.w.Uint64(uint64(*v))
}

// uint64 codes a word.
func (x *coder) uint64(v *uint64) {
	if x.reading() {
		*v = x.r.Uint64()
	} else {
		x.w.Uint64(*v)
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

// within refuses a bound that is none. What a bound was added up from is rounded, as is what it bounds, so that it
// may be off by a little.
func (x *coder) within(what string, most, bound float64) {
	x.check(most <= 2*bound, "%s has %g in it, and its bound is %g", what, most, bound)
}
