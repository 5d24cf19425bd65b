package codec

import (
	"fmt"
	"math"
	"slices"

	"blskernel/internal/io/memory"

	"gonum.org/v1/gonum/mat"
)

// A Coder writes the numbers of a model, or reads them, with the same checks in both directions.
// Encode writes nothing that Decode would refuse. Each state lists its numbers once, so both
// directions agree. A failed Coder reads zeros, empty slices and nil.
type Coder struct {
	w        *Writer // nil where it reads
	r        *Reader // nil where it writes
	err      error   // of writing: the state has something that reading would refuse
	overflow error   // which an error of a number that is not finite wraps in writing
	Samples  int
}

// A StateError says that numbers to be written contradict each other.
type StateError struct{ What string }

func (e *StateError) Error() string {
	return "blsupdate: the model contradicts itself: " + e.What + "; return to the model last saved, and report this"
}

// NewEncoder returns a Coder that writes to w. For a number that is not finite its error wraps
// overflow.
func NewEncoder(w *Writer, overflow error) *Coder { return &Coder{w: w, overflow: overflow} }

// NewDecoder returns a Coder that reads from r.
func NewDecoder(r *Reader) *Coder { return &Coder{r: r} }

// MaxElements bounds the numbers in a matrix, so that products of sizes do not overflow an int of 32
// bits.
const MaxElements = math.MaxInt / 8

// Fits reports whether a matrix of these sizes, which are not negative, has at most MaxElements.
func Fits(rows, cols int) bool { return cols == 0 || rows <= MaxElements/cols }

// Reading reports whether x reads.
func (x *Coder) Reading() bool { return x.r != nil }

// Err returns the first error.
func (x *Coder) Err() error {
	if x.Reading() {
		return x.r.Err()
	}
	return x.err
}

// Failed reports whether there was an error.
func (x *Coder) Failed() bool { return x.Err() != nil }

// Fail records an error of writing, unless there is one already.
func (x *Coder) Fail(err error) {
	if x.err == nil {
		x.err = err
	}
}

// Check fails with the message unless ok.
func (x *Coder) Check(ok bool, format string, args ...any) {
	if !ok {
		x.FailElement(0, format, args...)
	}
}

// FailElement fails at element i of the numbers that were read last or are to be written.
func (x *Coder) FailElement(i int, format string, args ...any) {
	if x.Reading() {
		x.r.FailElement(i, format, args...)
	} else {
		x.Fail(&StateError{What: fmt.Sprintf(format, args...)})
	}
}

// Ranges of a number. Norms and estimates may have overflowed in a model that still works; NaN is out
// of every range.
func NotNegative(v float64) bool { return v >= 0 }
func IsLength(v float64) bool    { return v >= 0 && v <= math.MaxFloat64 }
func IsPositive(v float64) bool  { return v > 0 && v <= math.MaxFloat64 }

// refuse fails at number i of those that were read last or are to be written: its value is v.
func (x *Coder) refuse(what string, i int, v float64) {
	switch {
	case x.Reading():
		x.r.FailElement(i, "%s cannot be %g", what, v)
	case v-v != 0:
		x.Fail(fmt.Errorf("%s is %g: %w", what, v, x.overflow))
	default:
		x.Check(false, "%s is %g", what, v)
	}
}

// Float codes a number of the range ok.
func (x *Coder) Float(what string, v *float64, ok func(float64) bool) {
	if x.Reading() {
		*v = x.r.Float64()
	}
	if !ok(*v) {
		x.refuse(what, 0, *v)
	}
	if !x.Reading() {
		x.w.Float64(*v)
	}
}

// Int codes a whole number from 0 to limit.
func (x *Coder) Int(what string, v *int, limit int) {
	if x.Reading() {
		*v = x.r.Int(what, limit)
		return
	}
	x.Check(0 <= *v && *v <= limit, "%s is %d; want 0 to %d", what, *v, limit)
	x.w.Uint64(uint64(*v))
}

// Uint64 codes a word.
func (x *Coder) Uint64(v *uint64) {
	if x.Reading() {
		*v = x.r.Uint64()
	} else {
		x.w.Uint64(*v)
	}
}

// Signed codes a whole number of either sign.
func (x *Coder) Signed(v *int64) {
	word := uint64(*v)
	x.Uint64(&word)
	*v = int64(word)
}

// Bool codes a truth value.
func (x *Coder) Bool(v *bool) {
	if x.Reading() {
		*v = x.r.Bool()
	} else {
		x.w.Bool(*v)
	}
}

// Present codes whether an optional part follows: is, when writing.
func (x *Coder) Present(is bool) bool {
	x.Bool(&is)
	return is
}

// Within refuses a bound below the bounded value. Both are rounded, so a factor of 2 is allowed.
func (x *Coder) Within(what string, largest, bound float64) {
	x.Check(largest <= 2*bound, "%s has %g in it, but its bound is %g", what, largest, bound)
}

// Floats codes n finite numbers.
func (x *Coder) Floats(what string, v *[]float64, n int) {
	if x.Reading() {
		*v = x.r.Float64s(n)
	} else {
		x.Check(len(*v) == n, "%s has %d numbers; want %d", what, len(*v), n)
	}
	if i := slices.IndexFunc(*v, func(number float64) bool { return number-number != 0 }); i >= 0 {
		x.refuse(what, i, (*v)[i])
	}
	if !x.Reading() {
		x.w.Float64s(*v)
	}
}

// Lengths codes n finite numbers that are not negative.
func (x *Coder) Lengths(what string, v *[]float64, n int) {
	x.Floats(what, v, n)
	for i, length := range *v {
		if !(length >= 0) {
			x.refuse(what, i, length)
		}
	}
}

// Words codes n words.
func (x *Coder) Words(what string, v *[]uint64, n int) {
	if x.Reading() {
		*v = x.r.Uint64s(n)
		return
	}
	x.Check(len(*v) == n, "there are %d %s; want %d", len(*v), what, n)
	x.w.Uint64s(*v)
}

// Dense codes a matrix by rows.
func (x *Coder) Dense(what string, m **mat.Dense, rows, cols int) {
	x.matrix(what, m, rows, cols, rows*cols, func(int) (int, int) { return 0, cols })
}

// Triangle codes the upper or lower triangle of a matrix of order n by rows, without the zeros of the
// other one. n×n Fits.
func (x *Coder) Triangle(what string, m **mat.Dense, n int, upper bool) {
	x.matrix(what, m, n, n, n*(n+1)/2, func(i int) (int, int) {
		if upper {
			return i, n
		}
		return 0, i + 1
	})
}

// matrix codes the columns from, to of each row i, of which there are count elements together. It reads
// them before it allocates rows, whose number may be wrong.
func (x *Coder) matrix(what string, m **mat.Dense, rows, cols, count int, part func(i int) (from, to int)) {
	if x.Reading() {
		var data, elements []float64
		if x.Floats(what, &data, count); x.Failed() {
			return
		}
		if count == rows*cols && count > 0 { // of a triangle, half of the pages of 4 KiB are never written
			elements = memory.Zeros(count)
		}
		*m = mat.NewDense(rows, cols, elements)
		for i := range rows {
			from, to := part(i)
			data = data[copy((*m).RawRowView(i)[from:to], data):]
		}
		return
	}
	r, c := (*m).Dims()
	x.Check(r == rows && c == cols, "%s is %d×%d; want %d×%d", what, r, c, rows, cols)
	for i := 0; i < rows && !x.Failed(); i++ {
		from, to := part(i)
		row := (*m).RawRowView(i)[from:to]
		x.Floats(what, &row, len(row))
	}
}
