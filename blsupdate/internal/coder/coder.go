// Package coder writes and reads the numbers of a model, with the same checks in both directions.
package coder

import (
	"fmt"
	"math"

	"blskernel/blsupdate/internal/api"
	"blskernel/internal/codec"
)

// A FormatError says that what Decode was given is not what Encode wrote: it begins with something else, is of a newer
// version, ends too early or goes on, or has a number in it that no model can have. It names the byte. Where the
// source ends too early it wraps io.ErrUnexpectedEOF.
type FormatError = codec.FormatError

// A coder writes the numbers of a model, or reads them, and checks the same in both directions: what Decode would refuse
// Encode does not write. Each state says once what it consists of, in its method code, so that what is written is what is
// read.
//
// In reading, what a failed coder fills in is zero, empty or nil.
type Coder struct {
	W       *codec.Writer // nil where it reads
	R       *codec.Reader // nil where it writes
	Err     error         // of writing: the state has something in it that would be refused in reading
	Samples int
}

// mostElements bounds the numbers in one matrix, so that products of sizes do not overflow where an int has 32 bits.
const MostElements = math.MaxInt / 8

// fits tells whether a matrix of these sizes, none of them negative, has at most mostElements.
func Fits(rows, cols int) bool { return cols == 0 || rows <= MostElements/cols }

func (x *Coder) Reading() bool { return x.R != nil }

func (x *Coder) Failed() bool {
	if x.Reading() {
		return x.R.Err() != nil
	}
	return x.Err != nil
}

// fail makes an error of writing, unless there is one.
func (x *Coder) Fail(err error) {
	if x.Err == nil {
		x.Err = fmt.Errorf("blsupdate: encoding a model: %w", err)
	}
}

// check makes an error of something that no model can have, unless it is ok.
func (x *Coder) Check(ok bool, format string, args ...any) {
	if !ok {
		x.FailElement(0, format, args...)
	}
}

// failElement makes an error of element i of what was read last, or is to be written.
func (x *Coder) FailElement(i int, format string, args ...any) {
	if x.Reading() {
		x.R.FailElement(i, format, args...)
	} else {
		x.Fail(&api.StateError{What: fmt.Sprintf(format, args...)})
	}
}

// What a number may be. Norms and estimates may have overflowed in a model that still goes on; NaN is none of them.
func NotNegative(v float64) bool { return v >= 0 }

func IsLength(v float64) bool { return v >= 0 && v <= math.MaxFloat64 }

func IsPositive(v float64) bool { return v > 0 && v <= math.MaxFloat64 }

// refuse makes an error of number i of those that were read last, or are to be written, which must not be v.
func (x *Coder) refuse(what string, i int, v float64) {
	switch {
	case x.Reading():
		x.R.FailElement(i, "%s cannot be %g", what, v)
	case v-v != 0:
		x.Fail(fmt.Errorf("%s is %g: %w", what, v, api.ErrOverflow))
	default:
		x.Check(false, "%s is %g", what, v)
	}
}

// float codes a number that has to be as ok says.
func (x *Coder) Float(what string, v *float64, ok func(float64) bool) {
	if x.Reading() {
		*v = x.R.Float64()
	}
	if !ok(*v) {
		x.refuse(what, 0, *v)
	}
	if !x.Reading() {
		x.W.Float64(*v)
	}
}

// int codes a whole number from 0 to most.
func (x *Coder) Int(what string, v *int, most int) {
	if x.Reading() {
		*v = x.R.Int(what, most)
		return
	}
	x.Check(0 <= *v && *v <= most, "%s is %d; from 0 to %d can be", what, *v, most)
	x.W.Uint64(uint64(*v))
}

// uint64 codes a word.
func (x *Coder) Uint64(v *uint64) {
	if x.Reading() {
		*v = x.R.Uint64()
	} else {
		x.W.Uint64(*v)
	}
}

// signed codes a whole number of either sign.
func (x *Coder) Signed(v *int64) {
	if x.Reading() {
		*v = int64(x.R.Uint64())
	} else {
		x.W.Uint64(uint64(*v))
	}
}

// bool codes a truth value.
func (x *Coder) Bool(v *bool) {
	if x.Reading() {
		*v = x.R.Bool()
	} else {
		x.W.Bool(*v)
	}
}

// present codes whether something is there, which in writing is is.
func (x *Coder) Present(is bool) bool {
	x.Bool(&is)
	return is
}

// within refuses a bound that is none. What a bound was added up from is rounded, as is what it bounds, so that it
// may be off by a little.
func (x *Coder) Within(what string, most, bound float64) {
	x.Check(most <= 2*bound, "%s has %g in it, and its bound is %g", what, most, bound)
}
