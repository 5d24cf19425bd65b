package lapack

import (
	"blskernel"
)

// LDLT is the factorization P A Pᵀ = Uᵀ D U of a symmetric, in general indefinite matrix in packed
// storage: P a permutation, U unit upper triangular, D symmetric with 1×1 and 2×2 diagonal blocks
// (L = Uᵀ is the factor after which it is named). The zero value is empty and ready for Factorize.
//
// The pivots are those of Bunch and Kaufman (Math. Comp. 31, 1977) in the bounded form of Ashcraft,
// Grimes and Lewis (SIAM J. Matrix Anal. Appl. 20, 1998), known as rook pivoting: a pivot is searched
// until it dominates its row and its column, in practice one or two columns more. No element of U is
// then larger than 2.79 in magnitude. With the original, partial pivoting U is not bounded, which
// does no harm to solutions but to the inverse: in 290000 small sparse matrices of widely different
// elements its residual reached 5e4 n eps ‖A‖ ‖A⁻¹‖, and with bounded pivots 0.9 of that unit.
//
// Methods that only read the factorization may be called from several goroutines at once.
type LDLT struct {
	Backend blskernel.Backend // nil stands for blskernel.Default()

	factorized bool
	n          int
	u          []float64     // U, packed by rows, with its unit diagonal
	d          blockDiagonal // D
	swap       []int         // P exchanges rows k and swap[k] >= k, for k = 0, 1, ...
	anorm      float64       // 1-norm of A
	nb         int           // block size of tests, at least 2; 0 stands for those of panel and denseBase
}

// panel returns the number of columns that are eliminated together. The search for pivots brings one or
// two columns for each pivot, seldom more, up to date by Level 2, n² times that number of flops at the
// speed of the cache and on less than all threads; the trailing update passes over the matrix once per
// panel, 2 memory operations an element for twice that number of flops. The wider panels are for
// matrices that no cache holds. Measured: n = 300 to 5100, panels of 16 to 96.
func (f *LDLT) panel(n int) int {
	switch {
	case f.nb > 0:
		return f.nb
	case n < 3000:
		return 16
	default:
		return 32
	}
}

// Dim returns n, and 0 for an empty receiver.
func (f *LDLT) Dim() int { return f.n }

// Reset makes the receiver empty.
func (f *LDLT) Reset() { *f = LDLT{Backend: f.Backend, nb: f.nb} }

func (f *LDLT) mustHold() {
	if !f.factorized {
		panic(notFactorized)
	}
}

// Inertia returns the numbers of positive, negative and zero eigenvalues of A, which are those of D
// by Sylvester's law. It is exact for a matrix within the backward error of A: an eigenvalue smaller
// than about n*eps*‖A‖ may be counted on the wrong side. Factorize refuses a D with an exact zero,
// so zero is 0 for every factorization there is. Inertia panics if the receiver is empty.
func (f *LDLT) Inertia() (positive, negative, zero int) {
	f.mustHold()
	for k := 0; k < f.n; k++ {
		switch {
		case f.d.e[k] != 0:
			// Bunch-Kaufman takes a 2×2 block only if its determinant is negative.
			positive++
			negative++
			k++
		case f.d.d[k] > 0:
			positive++
		case f.d.d[k] < 0:
			negative++
		default:
			zero++
		}
	}
	return positive, negative, zero
}

// RCond returns the estimated reciprocal condition number 1/(‖A‖₁ ‖A⁻¹‖₁); see Cholesky.RCond.
// (LAPACK: dspcon.)
func (f *LDLT) RCond() float64 {
	f.mustHold()
	bk := blskernel.Begin(f.Backend, blskernel.Routine{Name: "Dspcon", M: f.n, N: f.n})
	return rcond(f.n, f.anorm, func(x []float64, _ bool) { f.solve(bk, 1, x, 1) })
}
