package bls

import (
	"context"
	"math"

	"blskernel/internal/io/interrupt"
	"blskernel/internal/linalg/backend"
	"blskernel/internal/linalg/workers"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// Transform returns the nodes A (l×k) of the samples X (l×d). It does not clip Z to [0,1] for samples
// beyond the range of the first training set. Each row of A depends only on the same row of X, up to
// the rounding of the backend's Dgemm.
//
//	reads/writes: reads X; A is new storage.
//	cost: 2l(d+1)N + 2l(N+1)n3 flops and l·n3 calls of tanh; memory: A and a panel of some 10 MB.
//	errors: ErrNotFitted; *ShapeError if X has no rows or not d columns; *NotFiniteError for a NaN
//	or an infinity in X; *OverflowError, with ScaleColumns and ScaleNone, if a node overflows.
func (f *Features) Transform(x *mat.Dense) (*mat.Dense, error) {
	return f.TransformContext(context.Background(), x)
}

// TransformContext is like Transform but stops when ctx is done.
func (f *Features) TransformContext(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
	if f.weights == nil {
		return nil, ErrNotFitted
	}
	if err := checkSamples(x, f.Inputs()); err != nil {
		return nil, err
	}
	l, _ := x.Dims()
	a := newNodes(l, f.Nodes())
	if err := f.transform(ctx, a, x); err != nil {
		return nil, err
	}
	return a, nil
}

// transform writes the nodes A of the checked samples x to a. On an error a is undefined.
func (f *Features) transform(ctx context.Context, a, x *mat.Dense) error {
	l, _ := a.Dims()
	n := f.FeatureNodes()
	z := a.Slice(0, l, 0, n).(*mat.Dense)
	if err := f.project(ctx, a, x); err != nil {
		return err
	}
	applyMinMax(z, f.offset, f.gain)
	if err := f.appendEnhanced(ctx, a); err != nil {
		return err
	}
	return f.checkNodes(a)
}

// appendEnhanced reads Z and, for steps, S from the first columns of a. It writes the enhancement
// nodes, if any, to the last columns: h = tanh(scale·[Z, 0.1] Wh), in one pass over h, and then the
// steps.
func (f *Features) appendEnhanced(ctx context.Context, a *mat.Dense) error {
	if f.EnhancementNodes() == 0 {
		return nil
	}
	l, k := a.Dims()
	n, d, p := f.FeatureNodes(), f.Inputs(), f.opt.steps()
	wh, n3 := f.enhancement.RawMatrix(), f.EnhancementNodes()
	bias := make([]float64, n3-p)
	for j, b := range f.enhancement.RawRowView(n) {
		bias[j] = f.scale * biasInput * b
	}
	return interrupt.EachPanel(ctx, l, enhancePanel, func(from, to int) error {
		columns := func(first, end int) *mat.Dense { return a.Slice(from, to, first, end).(*mat.Dense) }
		h, z := columns(k-n3, k-p).RawMatrix(), columns(0, n).RawMatrix()
		backend.Fused(f.opt.Backend).DgemmTanh(blas.NoTrans, blas.NoTrans, to-from, n3-p, n, f.scale,
			z.Data, z.Stride, wh.Data, wh.Stride, bias, h.Data, h.Stride)
		if p > 0 {
			f.steps.to(columns(k-p, k), columns(n, n+d))
		}
		return nil
	})
}

// project computes T = H1 [beta_1, ..., beta_n2] (l×N) for the samples x, one panel of rows of H1 at a
// time. It writes T to the first columns of a and, with Direct, S to the next ones.
func (f *Features) project(ctx context.Context, a, x *mat.Dense) error {
	l, d := x.Dims()
	n := f.FeatureNodes()
	rows := min(l, panelRows(max(d+1, n)))
	h1 := mat.NewDense(rows, d+1, nil)
	return interrupt.EachPanel(ctx, l, rows, func(from, to int) error {
		h := h1.Slice(0, to-from, 0, d+1).(*mat.Dense)
		if err := f.standardizeTo(h, x, from, to); err != nil {
			return err
		}
		mat.Mul(f.opt.Backend, a.Slice(from, to, 0, n).(*mat.Dense), h, f.weights)
		if f.opt.Direct > 0 {
			a.Slice(from, to, n, n+d).(*mat.Dense).Copy(h.Slice(0, to-from, 0, d))
		}
		return nil
	})
}

// biasInput is the input of the bias weights of both layers, the last column of H1 and of [Z, 0.1].
const biasInput = 0.1

// standardizeTo computes the rows [from, to) of H1 = [S, 0.1] from x, and writes them to the first rows
// of h1 (d+1 columns). With ScaleColumns it returns an *OverflowError for the first result that
// overflows; no other scaling can overflow.
func (f *Features) standardizeTo(h1, x *mat.Dense, from, to int) error {
	_, d := x.Dims()
	rx, rh := x.RawMatrix(), h1.RawMatrix()
	cost := d
	if f.opt.Scaling == ScaleRanks {
		cost = 20 * d
	}
	i, j := firstRow(to-from, cost, func(i int) int {
		row := rh.Data[i*rh.Stride : i*rh.Stride+d+1]
		at := (from + i) * rx.Stride
		sample := rx.Data[at : at+d]
		row[d] = biasInput
		switch f.opt.Scaling {
		case ScaleNone:
			copy(row, sample)
		case ScaleColumns:
			bad := -1
			for j, v := range sample {
				if row[j] = 0; f.deviations[j] != constantDeviation {
					row[j] = (v - f.means[j]) / f.deviations[j]
				}
				if bad < 0 && math.IsInf(row[j], 0) {
					bad = j
				}
			}
			return bad
		case ScaleRanks:
			for j, v := range sample {
				row[j] = f.ranks[j].at(v)
			}
		default:
			standardizeRow(row[:d], sample)
		}
		return -1
	})
	if i < 0 {
		return nil
	}
	return &OverflowError{What: "the standardization", Row: from + i, Col: j}
}

// squareSafe bounds the binary exponent of the largest number of a sample. The largest difference from
// the mean, at least about one unit in the last place of that number and at most twice the number, can
// then be squared and summed: 2·(332+53) < 1022.
const squareSafe = 332

// standardizeRow computes dst[j] = (x[j] - mean(x)) / std(x), where std divides by len(x)-1, for finite
// x. If all elements of x are equal, dst is zero. It detects this by comparing the elements, since the
// computed std of a constant row is rounding noise.
func standardizeRow(dst, x []float64) {
	lo, hi := x[0], x[0]
	for _, v := range x {
		lo, hi = min(lo, v), max(hi, v)
	}
	if lo == hi {
		clear(dst)
		return
	}
	// Multiplying x by a power of two does not change the result, and brings numbers of any size
	// into the range whose squares can be summed.
	if _, exp := math.Frexp(max(-lo, hi)); exp > squareSafe || exp < -squareSafe {
		for j, v := range x {
			dst[j] = math.Ldexp(v, -exp)
		}
		x = dst
	}
	center, squares := mean(x), 0.0
	for _, v := range x {
		squares += float64((v - center) * (v - center))
	}
	std := math.Sqrt(squares / float64(len(x)-1))
	for j, v := range x {
		dst[j] = (v - center) / std
	}
}

func applyMinMax(t *mat.Dense, offset, gain []float64) {
	l, n := t.Dims()
	raw := t.RawMatrix()
	workers.Default.Rows(l, n, func(from, to int) {
		for i := from; i < to; i++ {
			row := raw.Data[i*raw.Stride : i*raw.Stride+n]
			for j, v := range row {
				row[j] = (v - offset[j]) * gain[j]
			}
		}
	})
}
