package bls

import (
	"fmt"
	"io"
	"slices"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/io/codec"
)

// Encode writes the maps, which DecodeFeatures restores bit for bit. Each integer or float64 takes 8
// bytes, little-endian. For whole models, package bls/modelfile adds a magic number and checksums.
// Encode returns ErrNotFitted or an error of w.
func (f *Features) Encode(w io.Writer) error {
	if f.weights == nil {
		return ErrNotFitted
	}
	return writeTo(w, func(x *codec.Coder) { f.code(x, nil) })
}

func writeTo(w io.Writer, code func(*codec.Coder)) error {
	x := codec.NewEncoder(w, blsupdate.ErrOverflow)
	if code(x); x.Failed() {
		return fmt.Errorf("bls: encoding: %w", x.Err())
	}
	return x.Flush()
}

// DecodeFeatures reads what Features.Encode wrote, and not a byte more. b computes the products; nil
// stands for blskernel.Default().
//
//	errors: *FormatError if r ends too early, or holds values invalid in Features; an error of r.
//	memory: as DecodeClassifier.
func DecodeFeatures(r io.Reader, b blskernel.Backend) (*Features, error) {
	x, f := codec.NewDecoder(r, 0), &Features{}
	if f.code(x, b); x.Failed() {
		return nil, fmt.Errorf("bls: feature maps: %w", x.Err())
	}
	return f, nil
}

// code encodes or decodes the number of inputs, the options and the parameters. b is the backend of
// decoded maps.
func (f *Features) code(x *codec.Coder, b blskernel.Backend) {
	d, opt := 0, f.opt
	if !x.Reading() {
		d = f.Inputs()
	}
	x.Int("the number of inputs", &d, maxNodes-1)
	x.Check(d > 0, "there are no inputs")
	codeOptions(x, &opt)
	if x.Reading() && !x.Failed() {
		opt.Backend = b
		resolved, err := opt.resolve()
		if err != nil {
			x.Check(false, "%v", err)
		}
		x.Check(sameOptions(resolved, opt), "an option is None, or is zero where zero stands for a default")
		f.opt = resolved
	}
	n, n3 := opt.Groups*opt.GroupNodes, f.opt.EnhancementNodes
	x.Check(opt.nodes(d) <= maxNodes, "there are 2³¹ nodes or more")
	x.Check(codec.Fits(d+1, n) && codec.Fits(n+1, n3), "the weights of %d inputs, %d feature nodes and %d enhancement nodes are too large for any memory", d, n, n3)
	if x.Failed() {
		return
	}
	if opt.Scaling == ScaleColumns {
		x.Floats("the means", &f.means, d)
		x.Floats("the standard deviations", &f.deviations, d)
		checkAll(x, "a standard deviation", f.deviations, func(v float64) bool { return v >= smallestNormal })
	}
	if opt.Scaling == ScaleRanks {
		f.codeRanks(x, d)
	}
	x.Dense("the weights of the feature nodes", &f.weights, d+1, n)
	x.Floats("the minima of the feature nodes", &f.offset, n)
	x.Floats("the gains of the feature nodes", &f.gain, n)
	checkAll(x, "the gain of a feature node", f.gain, func(v float64) bool { return v > 0 && v <= maxGain })
	scaled := n3 > 0 && !opt.Unscaled
	x.Float("the scale of the enhancement nodes", &f.scale, func(v float64) bool { return codec.IsLength(v) && (scaled || v == 1) })
	if n3 > 0 {
		x.Dense("the weights of the enhancement nodes", &f.enhancement, n+1, n3-f.opt.steps())
	}
	for i := range f.steps.columns {
		codeEach(x, &f.steps.columns[i], f.opt.steps(), func(column *int) { x.Int("the column of a step function", column, d-1) })
		x.Floats("the slopes of the step functions", &f.steps.slopes[i], f.opt.steps())
		x.Floats("the thresholds of the step functions", &f.steps.thresholds[i], f.opt.steps())
	}
}

func (f *Features) codeRanks(x *codec.Coder, d int) {
	j := 0
	codeEach(x, &f.ranks, d, func(c *curve) {
		n := len(c.knots)
		x.Int("the number of knots", &n, rankKnots)
		x.Check(n > 0, "column %d has no knots", j)
		x.Floats("the knots", &c.knots, n)
		x.Floats("the scores", &c.scores, n)
		for i := 1; i < n && !x.Failed(); i++ {
			x.Check(c.knots[i-1] < c.knots[i] && c.scores[i-1] < c.scores[i], "the knots or the scores of column %d are not strictly ascending", j)
		}
		j++
	})
}

// codeEach encodes n elements of v with code, or decodes n elements and appends them to v.
func codeEach[T any](x *codec.Coder, v *[]T, n int, code func(of *T)) {
	for i := 0; i < n && !x.Failed(); i++ {
		if x.Reading() {
			*v = append(*v, *new(T))
		}
		code(&(*v)[i])
	}
}

// encodedScalings are the scalings in the order of their numbers in an encoding.
var encodedScalings = []Scaling{ScaleSamples, ScaleColumns, ScaleNone, ScaleAuto, ScaleRanks}

// codeOptions encodes or decodes o without its backend; resolve checks the values.
func codeOptions(x *codec.Coder, o *FeatureOptions) {
	scaling := slices.Index(encodedScalings, o.Scaling)
	x.Int("Scaling", &scaling, len(encodedScalings)-1)
	o.Scaling = encodedScalings[scaling]
	x.Int("Groups", &o.Groups, maxNodes)
	x.Int("GroupNodes", &o.GroupNodes, maxNodes)
	codeNumber(x, "EnhancementNodes", &o.EnhancementNodes, maxNodes)
	x.Float("Shrink", &o.Shrink, codec.IsLength)
	more, steps := o.Direct != 0 || o.Relevance != 0, o.Steps != 0
	codeFlags(x, &o.Unscaled, &more, &steps)
	x.Int("Enhancement", (*int)(&o.Enhancement), maxNodes)
	x.Uint64(&o.Seed)
	if more {
		codeNumber(x, "Direct", &o.Direct, 1)
		codeNumber(x, "Relevance", &o.Relevance, maxRounds)
		x.Check(o.Direct != 0 || o.Relevance != 0, "the flag for Direct and Relevance is set, but both are zero")
	}
	if steps {
		codeNumber(x, "Steps", &o.Steps, 1)
		x.Check(o.Steps != 0, "the flag for Steps is set, but Steps is zero")
	}
}

// codeNumber encodes or decodes v, a number from None to limit. what names it in errors.
func codeNumber(x *codec.Coder, what string, v *int, limit int) {
	n := int64(*v)
	x.Signed(&n)
	x.Check(None <= n && n <= int64(limit), "%s is %d; want %d to %d", what, n, None, limit)
	*v = int(n)
}

func codeFlags(x *codec.Coder, flags ...*bool) {
	word := 0
	for i, flag := range flags {
		if *flag {
			word |= 1 << i
		}
	}
	x.Int("the word of option flags", &word, 1<<len(flags)-1)
	for i, flag := range flags {
		*flag = word>>i&1 == 1
	}
}

// checkAll makes x fail at the first number that is not valid. what names such a number in the error.
func checkAll(x *codec.Coder, what string, numbers []float64, valid func(float64) bool) {
	if i := slices.IndexFunc(numbers, func(v float64) bool { return !valid(v) }); i >= 0 {
		x.FailElement(i, "%s cannot be %v", what, numbers[i])
	}
}
