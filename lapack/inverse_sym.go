package lapack

import (
	"blskernel"
	"blskernel/internal/packed"

	"gonum.org/v1/gonum/blas"
)

// A blockDiagonal is a symmetric matrix of 1×1 and 2×2 diagonal blocks: d on the diagonal, and e[i]
// at (i, i+1), which is nonzero exactly where rows i and i+1 form a 2×2 block.
type blockDiagonal struct{ d, e []float64 }

// inverseSym overwrites the upper triangular U in ap by the upper triangle of X = (Uᵀ D U)⁻¹, where
// m is the upper triangle of M = D⁻¹ U⁻ᵀ. M is lower triangular but for the 2×2 blocks, so that m is
// a block diagonal: D⁻¹ for a unit triangle, and 1/u_ii for a Cholesky factor.
//
// X is the solution of U X = M of which only the upper triangle is computed, one block of rows after
// the other from the last. With the trailing block X22 known,
//
//	U11 X12 = -U12 X22 + M12,   U11 X11 = M11 - U12 X12ᵀ,
//
// so every element is touched once and the work is a product with a packed symmetric matrix, 2n³/3
// flops in all. The residual of U X = M is as small as that of a triangular solve, since U11 is never
// inverted (compare Method 2 of Du Croz and Higham, IMA J. Numer. Anal. 12, 1992).
// The workspace is 2 n nb.
func inverseSym(bk blskernel.Backend, n, nb int, ap []float64, diag blas.Diag, m blockDiagonal) {
	if n == 0 {
		return
	}
	nb = min(nb, n)
	pk := blskernel.Packed(bk)
	u, x, g := make([]float64, nb*n), make([]float64, nb*n), make([]float64, nb*nb)
	for i := (n - 1) / nb * nb; i >= 0; i -= nb {
		rows, ld := min(nb, n-i), n-i
		rest := ld - rows
		loadRows(u, n, i, rows, ap)
		clear(g)
		if rest > 0 {
			u12, x12 := u[rows:], x[:rows*rest]
			pk.Dspmm(blas.Right, rows, rest, -1, tail(ap, rest), u12, ld, 0, x12, rest)
			if m.e != nil {
				x12[(rows-1)*rest] += m.e[i+rows-1]
			}
			trsm(bk, blas.Left, blas.Upper, blas.NoTrans, diag, rows, rest, u, ld, x12, rest)
			pk.Dgemmt(blas.Upper, blas.NoTrans, blas.Trans, rows, rest, -1, u12, ld, x12, rest, 0, g, nb)
		}
		for r := range rows {
			g[r*nb+r] += m.d[i+r]
			if m.e != nil && r+1 < rows {
				g[r*nb+r+1] += m.e[i+r]
			}
		}
		inverseDense(bk, rows, u, ld, g, nb, diag)
		for r := range rows {
			at := packed.Row(n, i+r)
			copy(ap[at+i+r:at+i+rows], g[r*nb+r:r*nb+rows])
			copy(ap[at+i+rows:at+n], x[r*rest:(r+1)*rest])
		}
	}
}

// inverseBase is the order below which inverseDense runs in plain loops.
const inverseBase = 16

// inverseDense solves U X = G for the symmetric n×n X of which the upper triangle of G decides (see
// inverseSym); X overwrites G, in both triangles. U is not changed.
func inverseDense(bk blskernel.Backend, n int, u []float64, ldu int, g []float64, ldg int, diag blas.Diag) {
	if n <= inverseBase {
		for i := n - 1; i >= 0; i-- {
			ui, gi := u[i*ldu:i*ldu+n], g[i*ldg:i*ldg+n]
			for k := i + 1; k < n; k++ {
				f, gk := ui[k], g[k*ldg:k*ldg+n]
				for t := i + 1; t < n; t++ {
					gi[t] -= f * gk[t]
				}
			}
			if diag == blas.NonUnit {
				for t := i + 1; t < n; t++ {
					gi[t] /= ui[i]
				}
			}
			for k := i + 1; k < n; k++ {
				gi[i] -= ui[k] * gi[k]
				g[k*ldg+i] = gi[k]
			}
			if diag == blas.NonUnit {
				gi[i] /= ui[i]
			}
		}
		return
	}
	n1 := n / 2
	n2 := n - n1
	u12, g12, g22 := u[n1:], g[n1:], g[n1*ldg+n1:]
	inverseDense(bk, n2, u[n1*ldu+n1:], ldu, g22, ldg, diag)
	bk.Dgemm(blas.NoTrans, blas.NoTrans, n1, n2, n2, -1, u12, ldu, g22, ldg, 1, g12, ldg)
	trsm(bk, blas.Left, blas.Upper, blas.NoTrans, diag, n1, n2, u, ldu, g12, ldg)
	blskernel.Packed(bk).Dgemmt(blas.Upper, blas.NoTrans, blas.Trans, n1, n2, -1, u12, ldu, g12, ldg, 1, g, ldg)
	inverseDense(bk, n1, u, ldu, g, ldg, diag)
	for r := range n1 {
		for c := range n2 {
			g[(n1+c)*ldg+r] = g12[r*ldg+c]
		}
	}
}
