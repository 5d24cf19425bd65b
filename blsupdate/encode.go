package blsupdate

import (
	"encoding/binary"
	"fmt"
	"io"

	"blskernel"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/io/codec"
	"blskernel/internal/io/memory"
)

// A FormatError reports that the input of Decode is not the output of Encode. The header, the version
// or a number is wrong, or the input ends too early. Offset is the position of the faulty byte. If the
// input ends too early, the FormatError wraps io.ErrUnexpectedEOF.
type FormatError = codec.FormatError

// An encoding begins with this string and this number, 8 bytes each.
const (
	encodingMagic   = "blsstate"
	encodingVersion = 2
)

// Encode writes the whole state of u, so that a model from Decode gives bit-identical results: with the
// backend pure on any 64-bit machine, with openblas on the same kind of machine. Encode omits the
// backend of the options, and the steps, flops and times of the Report. It takes as long as copying the
// state, and writes about this many bytes:
//
//	Gram, QR                        4k² + 16ck, of which W takes 8ck
//	RidgeInverse, InverseCholesky   4k² + 8ck
//	Original, Improved              8lk + 8lc + 8ck + 8l, and 8lk more while C is computed
//
// The encoding has no checksum, so its file should have one. Encode checks the state as Decode does.
//
//	errors: an error of w; an *OptionError if u is nil or of a type that embeds an Updater;
//	ErrOverflow for a state with NaN or infinity; a *StateError for an inconsistent state. After an
//	error, part of the encoding may have been written.
func Encode(w io.Writer, u Updater) error {
	d := driverOf(u)
	if d == nil {
		return &OptionError{Option: "the model", Value: fmt.Sprintf("%T", u), Want: "a model from New or Decode"}
	}
	if err := d.whole(); err != nil {
		return err
	}
	x, base := codec.NewEncoder(w, ErrOverflow), d.state.Common()
	h := heading{d.method, d.Options(), base.K, base.C, d.Samples()}
	if h.code(x); !x.Failed() {
		d.code(x)
	}
	if err := x.Err(); err != nil {
		return fmt.Errorf("blsupdate: encoding a model: %w", err)
	}
	return x.Flush()
}

// Decode reads exactly the bytes that Encode wrote, and returns a model with the same interfaces as one
// from New. b computes its products; nil stands for blskernel.Default(). Decode checks everything
// before use. For n bytes of input it allocates at most 12n bytes plus 256 KiB in total, even counting
// memory that is freed meanwhile.
//
//	errors: a *FormatError, or an error of r, wrapped.
func Decode(r io.Reader, b blskernel.Backend) (Updater, error) {
	x := codec.NewDecoder(r, 0)
	var u *updater
	h := heading{opt: Options{Backend: b}}
	if h.code(x); !x.Failed() {
		u = newUpdater(h.method, h.opt, h.k, h.c)
		u.state.Common().Samples = h.samples
		u.code(x)
	}
	if err := x.Err(); err != nil {
		return nil, fmt.Errorf("blsupdate: decoding a model: %w", err)
	}
	return wrap(u), nil
}

func (u *updater) Clone() (Updater, error) {
	bytes := StateBytes(u.method, u.Samples(), u.Nodes(), u.Targets())
	if err := memory.Check(bytes, "blsupdate", state.Smaller(u.method), "a copy of the model"); err != nil {
		return nil, err
	}
	r, w := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.CloseWithError(Encode(w, u))
	}()
	out, err := Decode(r, u.Options().Backend)
	r.CloseWithError(err)
	<-done
	return out, err
}

// A heading holds the fields at the start of an encoding.
type heading struct {
	method        Method
	opt           Options
	k, c, samples int
}

func (h *heading) code(x *codec.Coder) {
	word := binary.LittleEndian.Uint64([]byte(encodingMagic))
	magic, version := word, uint64(encodingVersion)
	x.Uint64(&magic)
	x.Check(magic == word, "this is not the state of a model from blsupdate.Encode")
	x.Uint64(&version)
	x.Check(version == encodingVersion, "the state of the model has version %d, but this program reads version %d: use a program of the version that wrote it", version, encodingVersion)
	number := int(h.method) - 1 // Improved is 0 in files
	x.Int("the method", &number, int(QR-Improved))
	h.method = Method(number + 1)
	x.Float("Options.Lambda", &h.opt.Lambda, codec.IsLength)
	x.Int("Options.Form", (*int)(&h.opt.Form), int(Compressed))
	x.Bool(&h.opt.Solve)
	x.Int("Options.C", (*int)(&h.opt.C), int(CCheck))
	x.Signed(&h.opt.Workspace)
	if err := checkOptions(h.method, h.opt); err != nil {
		x.Check(false, "%v", err)
	}
	x.Int("the number of nodes", &h.k, codec.MaxElements-1)
	x.Int("the number of targets", &h.c, codec.MaxElements)
	x.Int("the number of samples", &h.samples, codec.MaxElements)
	x.Samples = h.samples
	can := h.k > 0 && h.c > 0 && codec.Fits(h.k, h.c)
	if keepsInverse(h.method) {
		can = can && h.samples > 0 && codec.Fits(h.k, h.samples)
	} else {
		can = can && codec.Fits(h.k, h.k+1)
	}
	x.Check(can, "a %v model of %d nodes, %d targets and %d samples is impossible", h.method, h.k, h.c, h.samples)
}

// code writes or reads the state after the heading.
func (u *updater) code(x *codec.Coder) {
	u.report.code(x)
	base := u.state.Common()
	x.Float("lambda", &base.Lambda, codec.IsLength)
	base.Sums.Code(x, base.C)
	u.state.Code(x)
}

// code writes or reads a report without the steps, flops and times.
func (r *Report) code(x *codec.Coder) {
	added := int64(r.Added)
	x.Signed(&added)
	can := -codec.MaxElements <= added && added <= codec.MaxElements
	x.Check(can, "%d samples cannot have been added", added)
	if x.Reading() && can {
		r.Added, r.Samples = int(added), x.Samples
	}
	x.Int("the form of the last change", (*int)(&r.Form), int(Compressed))
	x.Int("the algorithm of the start", (*int)(&r.Start), int(StartSVD))
	x.Int("the rank of C", &r.RankC, codec.MaxElements)
	x.Float("the flops of an abandoned start", &r.Abandoned, codec.IsLength)
}
