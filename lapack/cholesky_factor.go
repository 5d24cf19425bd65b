package lapack

import (
	"math"

	"blskernel"
	"blskernel/internal/packed"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// Factorize computes A = UᵀU of a copy of a, which is not changed, in n³/3 flops.
//
// The error is a *PivotError that matches ErrNotPositiveDefinite where a is not positive definite,
// to working precision, or an *ElementError that matches ErrNotFinite where a holds NaN or an
// infinity; the receiver is then empty. (LAPACK: dpptrf, in blocks.)
func (c *Cholesky) Factorize(a *mat.SymPacked) error {
	n := a.SymmetricDim()
	c.Reset()
	if err := checkFinitePacked("Dpptrf", n, a.RawSymPacked().Data, ErrNotFinite); err != nil {
		return err
	}
	return c.factorize(n, packedCopy(a))
}

// FactorizeInPlace is Factorize without the copy: the factor overwrites the storage of a, which
// belongs to the receiver from then on; a must not be used any more. An ErrNotFinite of the input
// is found before anything is written; after every other error the contents of a are undefined.
// The workspace is 128n numbers.
func (c *Cholesky) FactorizeInPlace(a *mat.SymPacked) error {
	n, ap := a.SymmetricDim(), a.RawSymPacked().Data
	c.Reset()
	if err := checkFinitePacked("Dpptrf", n, ap, ErrNotFinite); err != nil {
		return err
	}
	return c.factorize(n, ap)
}

// factorize overwrites ap by U, one block of rows after the other: the diagonal block is factored,
// the rest of its rows solved for, and the trailing matrix, packed itself, updated.
func (c *Cholesky) factorize(n int, ap []float64) error {
	bk := blskernel.Begin(c.Backend, blskernel.Routine{Name: "Dpptrf", M: n, N: n})
	pk := blskernel.Packed(bk)
	anorm := norm1Packed(n, ap)
	nb := min(c.block(), n)
	work := make([]float64, nb*n)
	for i := 0; i < n; i += nb {
		rows, ld := min(nb, n-i), n-i
		rest := ld - rows
		loadRows(work, n, i, rows, ap)
		if bad := potrf(bk, rows, work, ld); bad >= 0 {
			return &PivotError{Routine: "Dpptrf", Index: i + bad, Pivot: work[bad*ld+bad], Err: ErrNotPositiveDefinite}
		}
		if rest > 0 {
			trsm(bk, blas.Left, blas.Upper, blas.Trans, blas.NonUnit, rows, rest, work, ld, work[rows:], ld)
			pk.Dsprk(blas.Trans, rest, rows, -1, work[rows:], ld, 1, ap[len(ap)-packed.Len(rest):])
		}
		storeRows(ap, n, i, rows, work)
	}
	c.factorized, c.n, c.u, c.anorm = true, n, ap, anorm
	return nil
}

// potrfBase is the order below which potrf runs in plain loops; it is the size at which a call of
// the backend costs as much as the loops.
const potrfBase = 16

// potrf overwrites the upper triangle of the n×n a by U with A = UᵀU, by halves. It returns -1, or
// the index of the first pivot that is not a positive number, which is then on the diagonal.
func potrf(bk blskernel.Backend, n int, a []float64, lda int) int {
	if n <= potrfBase {
		for i := range n {
			row := a[i*lda : i*lda+n]
			if d := row[i]; !(d > 0) || math.IsInf(d, 1) {
				return i
			}
			row[i] = math.Sqrt(row[i])
			divide(row[i+1:], row[i])
			for k := i + 1; k < n; k++ {
				f := row[k]
				for t, v := range row[k:] {
					a[k*lda+k+t] -= f * v
				}
			}
		}
		return -1
	}
	n1 := n / 2
	n2 := n - n1
	a12, a22 := a[n1:], a[n1*lda+n1:]
	if bad := potrf(bk, n1, a, lda); bad >= 0 {
		return bad
	}
	trsm(bk, blas.Left, blas.Upper, blas.Trans, blas.NonUnit, n1, n2, a, lda, a12, lda)
	bk.Dsyrk(blas.Upper, blas.Trans, n2, n1, -1, a12, lda, 1, a22, lda)
	if bad := potrf(bk, n2, a22, lda); bad >= 0 {
		return n1 + bad
	}
	return -1
}
