package bls

import (
	"context"
	"unsafe"

	"blskernel/internal/interrupt"
	"blskernel/mat"
)

// Transform returns A = [Z, H] (l×k) of the samples X (l×d), by the settings of the fit. It does not
// clip values beyond those of the first training set. Every row of A is a function of the same row of
// X, to the rounding of the backend's Dgemm (see the package comment).
//
//	reads/writes: reads X; A is new storage.
//	cost: 2l(d+1)N + 2l(N+1)n3 flops, l·n3 tanh; memory beside A: a panel of rows of some 10 MB.
//	errors: *ShapeError for X without rows or with another number of columns than d; *NotFiniteError
//	for a NaN or an infinity in X; *OverflowError, with ScaleColumns and ScaleNone, for a node
//	beyond float64.
func (f *Features) Transform(x *mat.Dense) (*mat.Dense, error) {
	return f.TransformContext(context.Background(), x)
}

// TransformContext is Transform that checks ctx before each panel of rows. If ctx is done it returns an
// error that wraps context.Cause(ctx).
func (f *Features) TransformContext(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
	if err := checkSamples(x, f.Inputs()); err != nil {
		return nil, err
	}
	l, _ := x.Dims()
	a := mat.NewDense(l, f.Nodes(), nil)
	if err := f.transform(ctx, a, x); err != nil {
		return nil, err
	}
	return a, nil
}

// TransformTo is Transform into the l×k matrix dst, which may be a part of a larger one. An error
// leaves dst unchanged, except an *OverflowError, after which its contents are undefined.
//
//	panics: if dst is not l×k, or if its address range overlaps that of X.
func (f *Features) TransformTo(dst, x *mat.Dense) error {
	if err := checkSamples(x, f.Inputs()); err != nil {
		return err
	}
	l, _ := x.Dims()
	if r, c := dst.Dims(); r != l || c != f.Nodes() {
		panic("bls: the destination does not have the shape of the result")
	}
	if overlap(dst, x) {
		panic("bls: the destination overlaps the samples")
	}
	return f.transform(context.Background(), dst, x)
}

// transform writes A of the samples x, which have been checked, to a. On an error a is undefined.
func (f *Features) transform(ctx context.Context, a, x *mat.Dense) error {
	l, k := a.Dims()
	n := f.FeatureNodes()
	z := a.Slice(0, l, 0, n).(*mat.Dense)
	if err := f.project(ctx, z, x); err != nil {
		return err
	}
	applyMinMax(z, f.offset, f.gain)
	if k > n {
		if err := f.appendEnhanced(ctx, a); err != nil {
			return err
		}
	}
	return f.checkNodes(a)
}

// appendEnhanced computes the last columns of a, the enhancement nodes, from the first, the feature
// nodes.
func (f *Features) appendEnhanced(ctx context.Context, a *mat.Dense) error {
	l, k := a.Dims()
	n := f.FeatureNodes()
	return interrupt.EachPanel(ctx, l, enhancePanel, func(from, to int) error {
		h, z := a.Slice(from, to, n, k).(*mat.Dense), a.Slice(from, to, 0, n).(*mat.Dense)
		enhanced(f.opt.Backend, h, z, f.enhancement, f.scale)
		return nil
	})
}

// project computes T = H1 [beta_1, ..., beta_n2] (l×N) for the samples x, one panel of rows of H1 at a
// time.
func (f *Features) project(ctx context.Context, t, x *mat.Dense) error {
	l, d := x.Dims()
	n := f.FeatureNodes()
	rows := min(l, panelRows(max(d+1, n)))
	h1 := mat.NewDense(rows, d+1, nil)
	return interrupt.EachPanel(ctx, l, rows, func(from, to int) error {
		h := h1.Slice(0, to-from, 0, d+1).(*mat.Dense)
		if err := standardizeTo(h, x, from, to, f.opt.Scaling, f.means, f.deviations); err != nil {
			return err
		}
		mat.Mul(f.opt.Backend, t.Slice(from, to, 0, n).(*mat.Dense), h, f.weights)
		return nil
	})
}

// overlap reports whether the address ranges of two matrices, neither of them empty, overlap.
func overlap(a, b *mat.Dense) bool {
	ra, rb := a.RawMatrix(), b.RawMatrix()
	const size = unsafe.Sizeof(float64(0))
	a0, b0 := uintptr(unsafe.Pointer(&ra.Data[0])), uintptr(unsafe.Pointer(&rb.Data[0]))
	a1 := a0 + uintptr((ra.Rows-1)*ra.Stride+ra.Cols)*size
	b1 := b0 + uintptr((rb.Rows-1)*rb.Stride+rb.Cols)*size
	return a0 < b1 && b0 < a1
}
