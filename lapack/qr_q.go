package lapack

import (
	"blskernel"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas/blas64"
)

// QTo writes the l×k Q, the first k columns of the product of the reflections, to dst. An empty dst
// is given its size. It takes 2k²(l - k/3) flops and a workspace of 64(l + k) numbers. QTo panics
// with mat.ErrShape if dst has another size, and if the receiver is empty. (LAPACK: dorgqr.)
func (f *QR) QTo(dst *mat.Dense) {
	f.mustHold()
	l, k := f.Dims()
	reuse(dst, l, k)
	raw := dst.RawMatrix()
	copyGeneral(raw, f.qr)
	f.makeQ(raw)
}

// QInPlace returns Q in the storage of the factorization and leaves the receiver empty; take R by RTo
// before. See QTo.
func (f *QR) QInPlace() *mat.Dense {
	f.mustHold()
	a := f.qr
	f.makeQ(a)
	f.Reset()
	return denseOn(a)
}

// makeQ overwrites the factorization in a by Q.
func (f *QR) makeQ(a blas64.General) {
	l, k := a.Rows, a.Cols
	bk := blskernel.Begin(f.Backend, blskernel.Routine{Name: "Dorgqr", M: l, N: k})
	if k == 0 {
		return
	}
	defer blskernel.Hold(bk, 2*float64(k)*float64(k)*(float64(l)-float64(k)/3))()
	v := make([]float64, l*min(f.block(), k))
	formQ(bk, l, k, k, a.Data, a.Stride, f.block(), func(i int) reflector { return f.reflector(a, i, v) })
}
