package mat

import (
	"blskernel"
	"blskernel/internal/linalg/backend"
	"blskernel/internal/linalg/block"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Mul computes dst = A B, where A is m×k and B is k×n, in 2mnk flops. dst may be a or b. It panics with
// gonum's mat.ErrShape if the shapes do not match, and panics if dst partially overlaps a or b.
func Mul(bk blskernel.Backend, dst, a, b *Dense) { MulTrans(bk, dst, a, false, b, false) }

// MulTrans computes dst = op(A) op(B), where op(A) is m×k and op(B) is k×n, in 2mnk flops. op(A) is Aᵀ
// if aTrans is set and A otherwise, and likewise for B. dst may be a or b. It panics as Mul does.
func MulTrans(bk blskernel.Backend, dst, a *Dense, aTrans bool, b *Dense, bTrans bool) {
	m, k := opDims(a, aTrans)
	kb, n := opDims(b, bTrans)
	if k != kb {
		panic(mat.ErrShape)
	}
	block.Reuse(dst, m, n, regionOverlap, a.RawMatrix(), b.RawMatrix())
	a, b = unaliased(dst, a), unaliased(dst, b)
	if m == 0 || n == 0 {
		return
	}
	ra, rb, rc := a.RawMatrix(), b.RawMatrix(), dst.RawMatrix()
	backend.Or(bk).Dgemm(block.Trans(aTrans), block.Trans(bTrans), m, n, k, 1, ra.Data, max(1, ra.Stride), rb.Data, max(1, rb.Stride), 0, rc.Data, rc.Stride)
}

// SymOuterK computes S = alpha X Xᵀ in packed storage, where X is n×k. If xTrans is set, it computes S
// = alpha Xᵀ X, where X is k×n. It takes n²k flops, half as many as Mul. It panics with gonum's
// mat.ErrShape if s is neither empty nor of order n, and panics if s and x share storage.
func SymOuterK(bk blskernel.Backend, s *SymPacked, alpha float64, x *Dense, xTrans bool) {
	n, k := opDims(x, xTrans)
	raw := x.RawMatrix()
	if s.n == 0 || s.n == n {
		checkApart(block.Storage(s.storage(n)), raw)
	}
	s.reuse(n)
	if n == 0 {
		return
	}
	blskernel.Packed(bk).Dsprk(block.Trans(xTrans), n, k, alpha, raw.Data, max(1, raw.Stride), 0, s.data)
}

// SymMul computes dst = S B, where S is m×m and B is m×n, in 2m²n flops. dst may be b. It panics with
// gonum's mat.ErrShape if shapes do not match, and panics if dst overlaps s or partially overlaps b.
func SymMul(bk blskernel.Backend, dst *Dense, s *SymPacked, b *Dense) {
	mulSym(bk, blas.Left, dst, s, b)
}

// MulSym is like SymMul but computes dst = B S, where B is m×n and S is n×n, in 2mn² flops.
func MulSym(bk blskernel.Backend, dst, b *Dense, s *SymPacked) { mulSym(bk, blas.Right, dst, s, b) }

func mulSym(bk blskernel.Backend, side blas.Side, dst *Dense, s *SymPacked, b *Dense) {
	m, n := b.Dims()
	order := m
	if side == blas.Right {
		order = n
	}
	if s.n != order {
		panic(mat.ErrShape)
	}
	block.Reuse(dst, m, n, regionOverlap, b.RawMatrix(), block.Storage(s.data))
	b = unaliased(dst, b)
	if m == 0 || n == 0 {
		return
	}
	rb, rc := b.RawMatrix(), dst.RawMatrix()
	checkApart(rc, block.Storage(s.data))
	blskernel.Packed(bk).Dspmm(side, m, n, 1, s.data, rb.Data, rb.Stride, 0, rc.Data, rc.Stride)
}

func opDims(a *Dense, trans bool) (r, c int) {
	r, c = a.Dims()
	return block.Stored(block.Trans(trans), r, c)
}

// regionOverlap is gonum's panic message for a partial overlap.
const regionOverlap = "mat: bad region: overlap"

// unaliased returns a, or a copy of a if dst is the same matrix. It panics if dst and a overlap
// partially.
func unaliased(dst, a *Dense) *Dense {
	d, x := dst.RawMatrix(), a.RawMatrix()
	if block.Overlap(d, x) && block.Same(d, x) {
		return mat.DenseCopyOf(a)
	}
	checkApart(d, x)
	return a
}

func checkApart(a, b blas64.General) {
	if block.Overlap(a, b) {
		panic(regionOverlap)
	}
}
