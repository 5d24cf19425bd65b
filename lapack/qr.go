package lapack

import (
	"blskernel"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas/blas64"
)

// QR is the factorization A = Q R of an l×k matrix with l >= k: Q has orthonormal columns, R is k×k
// upper triangular. Q is kept as a product of Householder reflections in compact form,
// I - V T Vᵀ for each block of columns (Schreiber and Van Loan, SIAM J. Sci. Stat. Comput. 10, 1989).
// The signs of the diagonal of R are arbitrary. The zero value is empty and ready for Factorize.
//
// Methods that only read the factorization may be called from several goroutines at once.
type QR struct {
	Backend blskernel.Backend // nil stands for blskernel.Default()

	factorized bool
	qr         blas64.General // V below the diagonal, with implied ones on it, and R
	t          []float64      // the triangles T, one below the other, block() apart in each row
	base, nb   int            // block sizes of tests; 0 stands for qrBase and qrBlock
}

// qrBlock is the number of columns whose reflections are applied together. Making them for nb columns
// of l rows takes about 3l*nb² flops, on one thread for the most part, and applying them 4l*nb for
// each column on the right, at full speed if nb is large enough for the reading and writing of that
// column not to count. At order 1000, 64 is 6% faster than 128; at 2500, 2% slower.
const qrBlock = 64

// qrBase is the number of columns at which the recursion inside a block stops and Level 2 takes over:
// products of matrices with fewer columns are too small to be any faster.
const qrBase = 8

func (f *QR) block() int {
	if f.nb > 0 {
		return f.nb
	}
	return qrBlock
}

func (f *QR) baseColumns() int {
	if f.base > 0 {
		return f.base
	}
	return qrBase
}

// Dims returns l and k, and 0, 0 for an empty receiver.
func (f *QR) Dims() (l, k int) { return f.qr.Rows, f.qr.Cols }

// Reset makes the receiver empty.
func (f *QR) Reset() { *f = QR{Backend: f.Backend, base: f.base, nb: f.nb} }

func (f *QR) mustHold() {
	if !f.factorized {
		panic(notFactorized)
	}
}

// RTo writes the k×k upper triangular R to dst, with zeros below the diagonal. An empty dst is given
// its size. RTo panics with mat.ErrShape if dst has another size, and if the receiver is empty.
func (f *QR) RTo(dst *mat.Dense) {
	f.mustHold()
	_, k := f.Dims()
	reuse(dst, k, k)
	raw := dst.RawMatrix()
	for i := range k {
		row := raw.Data[i*raw.Stride : i*raw.Stride+k]
		clear(row[:i])
		copy(row[i:], f.qr.Data[i*f.qr.Stride+i:i*f.qr.Stride+k])
	}
}

// RCond returns the estimated reciprocal condition number 1/(‖R‖₁ ‖R⁻¹‖₁) of R, and 0 where R has a
// zero on its diagonal; see Cholesky.RCond. The 2-norm condition number of A, which is that of R, is
// within a factor k of its inverse. (LAPACK: dtrcon.)
func (f *QR) RCond() float64 {
	f.mustHold()
	_, k := f.Dims()
	return rcondTriangle(f.Backend, k, f.qr.Data, f.qr.Stride)
}
