package dataset

import (
	"unsafe"

	"blskernel/mat"
)

const (
	panicZCASamples = "dataset: ZCA: X has other columns than the samples of the fit"
	panicZCADst     = "dataset: ZCA: the destination has not the shape of X"
	panicZCAOverlap = "dataset: ZCA: the destination overlaps X in part"
	panicZCAEmpty   = "dataset: ZCA: X is empty"
)

// Transform sets dst to the whitened rows of X (l×d).
//
//	reads/writes: an empty dst gets the size of X; any other must have it. dst may be X itself, and
//	must not overlap it in part. With an error dst is unchanged.
//	cost: 2ld² flops; memory: rows of 8 MB.
//	errors: *blsupdate.NotFiniteError for a NaN or an infinity in X, blsupdate.ErrOverflow for an
//	element beyond ±1e150.
//	panics: if X is empty or has other columns than the fit; if dst has another size or overlaps X
//	in part.
//
// Every row of the result depends only on the same row of X, up to the rounding of the product.
func (z *ZCA) Transform(dst, x *mat.Dense) error {
	l, d := x.Dims()
	if l == 0 {
		panic(panicZCAEmpty)
	}
	if d != len(z.mean) {
		panic(panicZCASamples)
	}
	if !dst.IsEmpty() {
		if r, c := dst.Dims(); r != l || c != d {
			panic(panicZCADst)
		}
		if !apartOrSame(dst, x) {
			panic(panicZCAOverlap)
		}
	}
	if err := checkZCASamples(x); err != nil {
		return err
	}
	if dst.IsEmpty() {
		dst.ReuseAs(l, d)
	}
	panel := make([]float64, zcaPanel(d)*d)
	eachZCAPanel(l, d, func(from, to int) {
		z.center(panel, x, from, to)
		out := dst.Slice(from, to, 0, d).(*mat.Dense)
		mat.MulSym(z.backend, out, mat.NewDense(to-from, d, panel[:(to-from)*d]), z.p)
	})
	return nil
}

// apartOrSame reports whether a and b, of one size, are the same matrix or do not overlap between their
// first and last elements.
func apartOrSame(a, b *mat.Dense) bool {
	x, y := a.RawMatrix(), b.RawMatrix()
	from := func(v []float64) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(v))) }
	end := func(v []float64, rows, cols, stride int) uintptr {
		return from(v) + uintptr((rows-1)*stride+cols)*unsafe.Sizeof(v[0])
	}
	if from(x.Data) == from(y.Data) {
		return x.Stride == y.Stride
	}
	return from(x.Data) >= end(y.Data, y.Rows, y.Cols, y.Stride) || from(y.Data) >= end(x.Data, x.Rows, x.Cols, x.Stride)
}
