package blsupdate

import (
	"encoding/binary"
	"fmt"
	"io"

	"blskernel"
	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cholesky"
	"blskernel/blsupdate/internal/coder"
	"blskernel/blsupdate/internal/gram"
	"blskernel/blsupdate/internal/pinv"
	"blskernel/blsupdate/internal/qr"
	"blskernel/blsupdate/internal/ridge"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/codec"
)

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
	x := &coder.Coder{W: codec.NewWriter(w)}
	base := d.state.Common()
	h := heading{d.method, base.Options, base.K, base.C, d.samples}
	if h.Code(x); x.Err == nil {
		d.Code(x)
	}
	if x.Err != nil {
		return x.Err
	}
	return x.W.Flush()
}

// Decode reads what Encode wrote, up to the end of r, and returns a model with the same interfaces as that of New. b
// computes its products, nil for blskernel.Default().
//
// Everything is checked before it is used: the error is a *FormatError for what cannot be, or wraps that of r. Of
// n bytes that r has no more than 12n bytes and 256 KiB are allocated on the way, what is freed again included, whatever sizes
// it claims.
func Decode(r io.Reader, b blskernel.Backend) (Updater, error) {
	x := &coder.Coder{R: codec.NewReader(r)}
	u := readUpdater(x, b)
	x.R.End()
	if err := x.R.Err(); err != nil {
		return nil, fmt.Errorf("blsupdate: decoding a model: %w", err)
	}
	return wrap(u), nil
}

// updater reads a model. Where that fails it is of no use.
func readUpdater(x *coder.Coder, b blskernel.Backend) *updater {
	h := heading{opt: Options{Backend: b}}
	if h.Code(x); x.Failed() {
		return nil
	}
	u := &updater{method: h.method, counter: NewCounter(b), samples: h.samples}
	u.state = emptyState(h.method, state.Base{Counter: u.counter, Options: h.opt, K: h.k, C: h.c})
	u.Code(x)
	return u
}

// A heading is what an encoding begins with.
type heading struct {
	method        Method
	opt           Options
	k, c, samples int
}

func (h *heading) Code(x *coder.Coder) {
	magic, version := magicWord(), uint64(encodingVersion)
	x.Uint64(&magic)
	x.Check(magic == magicWord(), "this is not the state of a model by blsupdate.Encode")
	x.Uint64(&version)
	x.Check(version == encodingVersion, "the state of a model is of version %d, and this program reads version %d: use the program that wrote it, or a newer one", version, encodingVersion)
	x.Int("the method", (*int)(&h.method), len(api.MethodNames)-1)
	codeOptions(x, &h.opt, h.method)
	x.Int("the number of nodes", &h.k, coder.MostElements-1)
	x.Int("the number of targets", &h.c, coder.MostElements)
	x.Int("the number of samples", &h.samples, coder.MostElements)
	x.Samples = h.samples
	square := h.method != Original && h.method != Improved
	can := h.k > 0 && h.c > 0 && coder.Fits(h.k, h.c)
	if square {
		can = can && coder.Fits(h.k, h.k+1)
	} else {
		can = can && h.samples > 0 && coder.Fits(h.k, h.samples)
	}
	x.Check(can, "a model by %v of %d nodes, %d targets and %d samples cannot be", h.method, h.k, h.c, h.samples)
}

// code writes or reads what follows the sizes.
func (u *updater) Code(x *coder.Coder) {
	codeReport(x, &u.report)
	x.Float("the loss of removals", &u.state.Common().Lost, coder.NotNegative)
	x.Float("lambda", &u.state.Common().Lambda, coder.IsLength)
	u.state.Code(x)
}

// emptyState returns the state of the method before it is read.
func emptyState(m Method, base state.Base) state.State {
	switch m {
	case RidgeInverse:
		return &ridge.State{Base: base}
	case InverseCholesky:
		return &cholesky.State{Base: base}
	case Gram:
		return &gram.State{Base: base}
	case QR:
		return &qr.State{Base: base}
	default:
		return &pinv.State{Base: base, Method: m}
	}
}

func magicWord() uint64 { return binary.LittleEndian.Uint64([]byte(encodingMagic)) }

// codeOptions writes or reads the options for a method, but for the backend, and checks them.
func codeOptions(x *coder.Coder, o *Options, m Method) {
	x.Float("Options.Lambda", &o.Lambda, coder.IsLength)
	x.Int("Options.Form", (*int)(&o.Form), len(api.FormNames)-1)
	x.Bool(&o.Solve)
	x.Int("Options.C", (*int)(&o.C), len(api.ModeNames)-1)
	x.Signed(&o.Workspace)
	if err := api.CheckOptions(*o, m); err != nil {
		x.Check(false, "%v", err)
	}
}

// codeReport writes or reads a report, but for the steps, the flops and the times. The samples are those of the model.
func codeReport(x *coder.Coder, r *Report) {
	added := int64(r.Added)
	x.Signed(&added)
	can := -coder.MostElements <= added && added <= coder.MostElements
	x.Check(can, "%d samples cannot have been added", added)
	if x.Reading() && can {
		r.Added, r.Samples = int(added), x.Samples
	}
	x.Int("the form of the last change", (*int)(&r.Form), len(api.FormNames)-1)
	x.Int("the start", (*int)(&r.Start), len(api.StartNames)-1)
	x.Int("the rank of C", &r.RankC, coder.MostElements)
	x.Float("the flops of a start that was given up", &r.Abandoned, coder.IsLength)
}
