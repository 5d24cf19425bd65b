package lapack

import (
	"blskernel"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
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

// makeQ overwrites the factorization in a by Q: the blocks of reflections are applied, from the last
// to the first, to the columns of the unit matrix that they change.
func (f *QR) makeQ(a blas64.General) {
	l, k := a.Rows, a.Cols
	bk := blskernel.Begin(f.Backend, blskernel.Routine{Name: "Dorgqr", M: l, N: k})
	if k == 0 {
		return
	}
	nb := f.block()
	v, work := make([]float64, l*min(nb, k)), make([]float64, min(nb, k)*k)
	for j := (k - 1) / nb * nb; j >= 0; j -= nb {
		h := f.reflector(a, j, v)
		for i := j; i < l; i++ {
			row := a.Data[i*a.Stride+j : i*a.Stride+k]
			if i < j+h.cols {
				clear(row)
				row[i-j] = 1
			} else {
				clear(row[:h.cols])
			}
		}
		h.apply(bk, blas.NoTrans, k-j, a.Data[j*a.Stride+j:], a.Stride, work)
	}
}
