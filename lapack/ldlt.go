package lapack

import (
	"cmp"
	"math"

	"blskernel"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/factor/ldlt"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonummat "gonum.org/v1/gonum/mat"
)

// LDLT is the factorization P A Pᵀ = Uᵀ D U of a symmetric, possibly indefinite matrix in packed
// storage: P is a permutation, U = Lᵀ is unit upper triangular, and D is symmetric and block diagonal,
// with 1×1 and 2×2 blocks. The zero value is empty and ready for Factorize.
//
// Pivoting is by Bunch and Kaufman (Math. Comp. 31, 1977) in the bounded form of Ashcraft, Grimes and
// Lewis (SIAM J. Matrix Anal. Appl. 20, 1998), known as rook pivoting: a pivot must dominate its row
// and its column. In practice this means searching one or two more columns. No element of U is then
// larger than 2.79 in magnitude. Bunch and Kaufman's original partial pivoting does not bound U; large
// elements of U harm the inverse, but not solutions. docs/decisions.md has the figures.
//
// Methods that only read the factorization may be called from several goroutines at once.
type LDLT struct {
	Backend blskernel.Backend // for the next Factorize; nil stands for blskernel.Default()

	MaxCondition float64 // limit of the condition number: see Cholesky

	symmetric
}

var ldltRoutines = routines{"Dsptrf", "Dsptrs", "Dsptri", "Dspcon", "Dsprfs"}

// Factorize factors a copy of a as P A Pᵀ = Uᵀ D U, in n³/3 flops.
//
// The error is a *PivotError that matches ErrSingular if a pivot is exactly zero, so that A is within
// rounding of a singular matrix. The error matches ErrNotFinite if a holds NaN or an infinity (an
// *ElementError), or if the elimination overflows (a *PivotError). (LAPACK: dsptrf, with the pivots of
// dsytrf_rook and the factors of dsytrf_rk.)
func (f *LDLT) Factorize(a *mat.SymPacked) error { return f.FactorizeInPlace(packedCopy(a)) }

// FactorizeInPlace is Factorize in the storage of a, which the receiver takes over; see Storage in the
// package comment. The workspace is a panel of 16n numbers (32n from n = 3000 on), some vectors and the
// buffers of the backend; a backend without products of packed blocks takes 400n more.
func (f *LDLT) FactorizeInPlace(a *mat.SymPacked) error {
	return f.factorize(f.Backend, &ldltRoutines, a, func(bk factor.Backend, n int, ap []float64) error {
		nb := cmp.Or(f.nb, ldlt.PanelColumns(n))
		d, swap, bad := ldlt.Sytrf(bk, nb, n, block.Packed(n, ap, 0, 0))
		f.d, f.swap = &d, swap
		return pivotError(ldltRoutines.factorize, bad)
	})
}

// SolveTo computes the solution X of A X = B in 2n²m flops: see Cholesky.SolveTo. (LAPACK: dsptrs.)
func (f *LDLT) SolveTo(dst, b *mat.Dense) error { return f.solveTo(f.MaxCondition, blas.Left, dst, b) }

// SolveRowsTo computes the solution X of X A = B in 2n²m flops: see Cholesky.SolveRowsTo.
func (f *LDLT) SolveRowsTo(dst, b *mat.Dense) error {
	return f.solveTo(f.MaxCondition, blas.Right, dst, b)
}

// SolveVecTo computes the solution x of A x = b: see Cholesky.SolveVecTo.
func (f *LDLT) SolveVecTo(dst *gonummat.VecDense, b gonummat.Vector) error {
	f.mustHold()
	return solveVecTo(dst, f.n, b, f.SolveTo)
}

// InverseTo writes A⁻¹ to dst, in 2n³/3 flops: see Cholesky.InverseTo. (LAPACK: dsptri, in blocks.)
func (f *LDLT) InverseTo(dst *mat.SymPacked) error { return f.inverseTo(f.MaxCondition, dst) }

// InverseInPlace returns A⁻¹ in the storage of the factorization: see Cholesky.InverseInPlace.
func (f *LDLT) InverseInPlace() (*mat.SymPacked, error) { return f.inverseInPlace(f.MaxCondition) }

// Inertia returns the numbers of positive, negative and zero eigenvalues of D and thus, by Sylvester's
// law, of A. The numbers are exact for a matrix within the backward error of A. An eigenvalue up to n
// eps ‖A‖₁ in magnitude, eps = 2⁻⁵², may be rounding error alone. A 1×1 block of D up to this limit
// counts as a zero. A 2×2 block whose off-diagonal element is up to the limit counts as two. Factorize
// rejects an exact zero.
func (f *LDLT) Inertia() (positive, negative, zero int) {
	f.mustHold()
	rounding := float64(f.n) * 0x1p-52 * min(f.anorm, math.MaxFloat64)
	for k := 0; k < f.n; k++ {
		d, e := f.d.D[k], f.d.E[k]
		switch {
		case e != 0:
			k++
			if math.Abs(e) <= rounding {
				zero += 2
				continue
			}
			// A 2×2 pivot has a negative determinant.
			positive++
			negative++
		case math.Abs(d) <= rounding:
			zero++
		case d > 0:
			positive++
		default:
			negative++
		}
	}
	return positive, negative, zero
}

// LogDet returns log|det A| and the sign of det A: see Cholesky.LogDet. The rounding error is at most
// about (4n + 3|log|)u.
func (f *LDLT) LogDet() (log, sign float64) {
	f.mustHold()
	p := unitProduct()
	for k := 0; k < f.n; k++ {
		e := f.d.E[k]
		if e == 0 {
			p.multiply(f.d.D[k])
			continue
		}
		// The determinant of the block is e²(d₀/e d₁/e - 1). e² might overflow, so p is
		// multiplied by e twice; the difference does not cancel, since |d₀d₁| is well below e².
		p.multiply(e)
		p.multiply(e)
		p.multiply(float64(f.d.D[k]/e*(f.d.D[k+1]/e)) - 1)
		k++
	}
	return p.log()
}

// DTo copies the D of P A Pᵀ = Uᵀ D U to dst, with zeros outside its 1×1 and 2×2 diagonal blocks; see
// Factors in the package comment.
func (f *LDLT) DTo(dst *mat.SymPacked) {
	f.mustHold()
	d := mat.NewSymPacked(f.n, nil)
	for i, v := range f.d.D {
		d.SetSym(i, i, v)
		if e := f.d.E[i]; e != 0 {
			d.SetSym(i, i+1, e)
		}
	}
	dst.CopySym(d)
}

// Pivots returns the permutation P of P A Pᵀ = Uᵀ D U: element (i, j) of A is element (p[i], p[j]) of
// P A Pᵀ. See Factors in the package comment.
func (f *LDLT) Pivots(dst []int) []int {
	f.mustHold()
	return permutation(dst, f.n, f.swap)
}
