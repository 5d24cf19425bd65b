package blsupdate

import (
	"encoding/binary"
	"fmt"
	"io"

	"blskernel"
	"blskernel/internal/codec"
)

// A FormatError says that what Decode was given is not what Encode wrote: it begins with something else, is of a newer
// version, ends too early or goes on, or has a number in it that no model can have. It names the byte. Where the
// source ends too early it wraps io.ErrUnexpectedEOF.
type FormatError = codec.FormatError

// The first two words of an encoding.
const (
	encodingMagic   = "blsstate"
	encodingVersion = 1
)

// Encode writes the whole state of u, which New or Decode made, so that Decode returns a model that goes on as u would
// have, to the last bit: with the same backend on the same kind of machine every later result is the same.
//
// Of the options all but the backend are written, and of the Report all but the steps, the flops and the times, which
// are those of this process. Symmetric and triangular matrices take k(k+1)/2 numbers, so a model takes about the
// following bytes, and the time of a copy:
//
//	Gram, QR, RidgeInverse, InverseCholesky   4k² + 8ck
//	Original, Improved                        8lk + 8ck + 8l, and 8lk more while C is computed
//
// Nothing in it detects an alteration; that is for who keeps it in a file. u is not changed.
//
// Encode checks what Decode does, so what it has written can be read. The error is that of w; an *OptionError where another
// package made u; one that matches ErrOverflow where a number of the state is NaN or infinite, which takes data at the
// end of the range of float64; a *ConditionError where rounding has left a matrix indefinite that should not be; or a
// *StateError. After an error a part of the encoding may have been written.
func Encode(w io.Writer, u Updater) error {
	d := driverOf(u)
	if d == nil {
		return &OptionError{Option: "the model", Value: methodOf(u), Want: "one by New or Decode"}
	}
	if err := d.whole(); err != nil {
		return err
	}
	x := &coder{w: codec.NewWriter(w)}
	base := d.state.base()
	h := heading{d.method, base.opt, base.k, base.c, d.samples}
	if h.code(x); x.err == nil {
		d.code(x)
	}
	if x.err != nil {
		return x.err
	}
	return x.w.Flush()
}

// Decode reads what Encode wrote, up to the end of r, and returns a model with the same interfaces as that of New. b
// computes its products, nil for blskernel.Default().
//
// Everything is checked before it is used: the error is a *FormatError for what cannot be, or wraps that of r. Of
// n bytes that r has no more than 12n bytes and 256 KiB are allocated on the way, what is freed again included, whatever sizes
// it claims.
func Decode(r io.Reader, b blskernel.Backend) (Updater, error) {
	x := &coder{r: codec.NewReader(r)}
	u := readUpdater(x, b)
	x.r.End()
	if err := x.r.Err(); err != nil {
		return nil, fmt.Errorf("blsupdate: decoding a model: %w", err)
	}
	return wrap(u), nil
}

// updater reads a model. Where that fails it is of no use.
func readUpdater(x *coder, b blskernel.Backend) *updater {
	h := heading{opt: Options{Backend: b}}
	if h.code(x); x.failed() {
		return nil
	}
	u := &updater{method: h.method, counter: NewCounter(b), samples: h.samples}
	u.state = emptyState(h.method, common{counter: u.counter, opt: h.opt, k: h.k, c: h.c})
	u.code(x)
	return u
}

// A heading is what an encoding begins with.
type heading struct {
	method        Method
	opt           Options
	k, c, samples int
}

func (h *heading) code(x *coder) {
	magic, version := magicWord(), uint64(encodingVersion)
	x.uint64(&magic)
	x.check(magic == magicWord(), "this is not the state of a model by blsupdate.Encode")
	x.uint64(&version)
	x.check(version == encodingVersion, "the state of a model is of version %d, and this program reads version %d: use the program that wrote it, or a newer one", version, encodingVersion)
	x.int("the method", (*int)(&h.method), len(methodNames)-1)
	codeOptions(x, &h.opt, h.method)
	x.int("the number of nodes", &h.k, mostElements-1)
	x.int("the number of targets", &h.c, mostElements)
	x.int("the number of samples", &h.samples, mostElements)
	x.samples = h.samples
	square := h.method != Original && h.method != Improved
	can := h.k > 0 && h.c > 0 && fits(h.k, h.c)
	if square {
		can = can && fits(h.k, h.k+1)
	} else {
		can = can && h.samples > 0 && fits(h.k, h.samples)
	}
	x.check(can, "a model by %v of %d nodes, %d targets and %d samples cannot be", h.method, h.k, h.c, h.samples)
}

// code writes or reads what follows the sizes.
func (u *updater) code(x *coder) {
	codeReport(x, &u.report)
	x.float("the loss of removals", &u.state.base().lost, notNegative)
	x.float("lambda", &u.state.base().ridge, isLength)
	u.state.code(x)
}

// emptyState returns the state of the method before it is read.
func emptyState(m Method, base common) state {
	switch m {
	case RidgeInverse:
		return &ridgeInverse{common: base}
	case InverseCholesky:
		return &inverseCholesky{common: base}
	case Gram:
		return &gram{common: base}
	case QR:
		return &triangular{common: base}
	default:
		return &pseudoinverse{common: base, method: m}
	}
}

func magicWord() uint64 { return binary.LittleEndian.Uint64([]byte(encodingMagic)) }
