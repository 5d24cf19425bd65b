// Package dense has the operations on dense matrices that the methods share.
package dense

import (
	"errors"
	"math"

	"blskernel"
	"blskernel/internal/backend"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/gonum"
	gonummat "gonum.org/v1/gonum/mat"
)

// Gemm computes C = alpha op(A) op(B) + beta C on b.
func Gemm(on blskernel.Backend, tA, tB blas.Transpose, alpha float64, a, b *mat.Dense, beta float64, c *mat.Dense) {
	ra, rb, rc := a.RawMatrix(), b.RawMatrix(), c.RawMatrix()
	k := ra.Cols
	if tA == blas.Trans {
		k = ra.Rows
	}
	on.Dgemm(tA, tB, rc.Rows, rc.Cols, k, alpha, ra.Data, ra.Stride, rb.Data, rb.Stride, beta, rc.Data, rc.Stride)
}

// Sprk computes S = alpha AᵀA + beta S.
func Sprk(on blskernel.PackedProducts, alpha float64, a *mat.Dense, beta float64, s *mat.SymPacked) {
	raw := a.RawMatrix()
	on.Dsprk(blas.Trans, raw.Cols, raw.Rows, alpha, raw.Data, raw.Stride, beta, s.RawSymPacked().Data)
}

// Gemmtp computes S = alpha A Bᵀ + beta S, where A Bᵀ is symmetric.
func Gemmtp(on blskernel.PackedProducts, alpha float64, a, b *mat.Dense, beta float64, s *mat.SymPacked) {
	ra, rb := a.RawMatrix(), b.RawMatrix()
	on.Dgemmtp(blas.NoTrans, blas.Trans, ra.Rows, ra.Cols, alpha, ra.Data, ra.Stride, rb.Data, rb.Stride, beta,
		s.RawSymPacked().Data)
}

// Rows returns the number of rows of m.
func Rows(m *mat.Dense) int { return m.RawMatrix().Rows }

// Cols returns the number of columns of m.
func Cols(m *mat.Dense) int { return m.RawMatrix().Cols }

// RowRange returns rows [from, to) of m, which share its storage.
func RowRange(m *mat.Dense, from, to int) *mat.Dense {
	return m.Slice(from, to, 0, Cols(m)).(*mat.Dense)
}

// Copy returns a copy of m without gaps between rows.
func Copy(m *mat.Dense) *mat.Dense { return gonummat.DenseCopyOf(m) }

// CopySym returns a copy of s.
func CopySym(s *mat.SymPacked) *mat.SymPacked {
	c := new(mat.SymPacked)
	c.CopySym(s)
	return c
}

// Compact returns the elements of m by rows, in new storage.
func Compact(m *mat.Dense) []float64 { return Copy(m).RawMatrix().Data }

// Beside returns [A, H].
func Beside(a, h *mat.Dense) *mat.Dense {
	var both mat.Dense
	both.Augment(a, h)
	return &both
}

// PickColumns returns a copy of the given columns of m.
func PickColumns(m *mat.Dense, which []int) *mat.Dense {
	out := mat.NewDense(Rows(m), len(which), nil)
	for i := range Rows(m) {
		from, to := m.RawRowView(i), out.RawRowView(i)
		for j, col := range which {
			to[j] = from[col]
		}
	}
	return out
}

// Place copies src into dst, with its first element at (i, j).
func Place(dst *mat.Dense, i, j int, src *mat.Dense) {
	rows, cols := src.Dims()
	dst.Slice(i, i+rows, j, j+cols).(*mat.Dense).Copy(src)
}

// ScaleRows multiplies row from+i of m by factors[i].
func ScaleRows(m *mat.Dense, from int, factors []float64) {
	for i, f := range factors {
		row := m.RawRowView(from + i)
		for j := range row {
			row[j] *= f
		}
	}
}

// DivideRows divides row from+i of m by units[i].
func DivideRows(m *mat.Dense, from int, units []float64) {
	for i, unit := range units {
		row := m.RawRowView(from + i)
		for j := range row {
			row[j] /= unit
		}
	}
}

// DivideColumns divides column j of m by units[j].
func DivideColumns(m *mat.Dense, units []float64) {
	for i := range Rows(m) {
		row := m.RawRowView(i)
		for j, unit := range units {
			row[j] /= unit
		}
	}
}

// ScaledIdentity returns f I of order k.
func ScaledIdentity(k int, f float64) *mat.Dense {
	m := mat.NewDense(k, k, nil)
	for i := range k {
		m.Set(i, i, f)
	}
	return m
}

// IdentityPacked returns I of order n.
func IdentityPacked(n int) *mat.SymPacked {
	m := mat.NewSymPacked(n, nil)
	m.AddDiagonal(1)
	return m
}

// TransposedTriangle returns the transpose of the upper triangle of r, with zeros above its diagonal.
func TransposedTriangle(r *mat.Dense) *mat.Dense {
	raw := r.RawMatrix()
	n := raw.Rows
	t := make([]float64, n*n)
	const tile = 32 // reads of rows and writes of columns stay in the cache
	for i0 := 0; i0 < n; i0 += tile {
		for j0 := i0; j0 < n; j0 += tile {
			for i := i0; i < min(i0+tile, n); i++ {
				for j := max(i, j0); j < min(j0+tile, n); j++ {
					t[j*n+i] = raw.Data[i*raw.Stride+j]
				}
			}
		}
	}
	return mat.NewDense(n, n, t)
}

// Transposed returns a copy of mᵀ.
func Transposed(m *mat.Dense) *mat.Dense { return gonummat.DenseCopyOf(m.T()) }

const (
	// Eps is the distance from 1 to the next float64.
	Eps = 0x1p-52
	// SmallestNormal is the smallest number with all its digits.
	SmallestNormal = 0x1p-1022
	// SmallestSquare is the smallest sum of squares whose relative error is below Eps.
	SmallestSquare = SmallestNormal / (Eps * Eps)
)

// RankTolerance returns the ratio of a singular value of an m×n matrix to the largest one below which
// it counts as zero, as in MATLAB's rank and NumPy's matrix_rank.
func RankTolerance(m, n int) float64 { return float64(max(m, n)) * Eps }

// Largest returns the largest element of x, and 0 where none is above 0.
func Largest(x []float64) float64 {
	var m float64
	for _, v := range x {
		m = max(m, v)
	}
	return m
}

// LargestOf returns the largest magnitude in x.
func LargestOf(x []float64) float64 {
	var m float64
	for _, v := range x {
		m = max(m, math.Abs(v))
	}
	return m
}

// Powers returns the power of two next to each length, between 2⁻¹⁰⁰⁰ and 2¹⁰⁰⁰. Division by it does
// not round.
func Powers(lengths []float64) []float64 {
	p := make([]float64, len(lengths))
	for j, v := range lengths {
		_, exp := math.Frexp(v)
		p[j] = math.Ldexp(1, max(-1000, min(1000, exp)))
	}
	return p
}

// Norm returns the Euclidean norm of x without overflow or underflow of squares.
func Norm(x []float64) float64 {
	if sum := floats.Dot(x, x); sum > SmallestSquare && sum < math.MaxFloat64 {
		return math.Sqrt(sum)
	}
	return floats.Norm(x, 2)
}

// ColumnNorms returns the Euclidean norms of the columns of m.
func ColumnNorms(m *mat.Dense) []float64 {
	raw := m.RawMatrix()
	norms := make([]float64, raw.Cols)
	i := 0
	for ; i+4 <= raw.Rows; i += 4 { // four rows: fewer loads and stores of the sums
		r0 := raw.Data[i*raw.Stride:][:len(norms)]
		r1 := raw.Data[(i+1)*raw.Stride:][:len(norms)]
		r2 := raw.Data[(i+2)*raw.Stride:][:len(norms)]
		r3 := raw.Data[(i+3)*raw.Stride:][:len(norms)]
		for j := range norms {
			norms[j] += (r0[j]*r0[j] + r1[j]*r1[j]) + (r2[j]*r2[j] + r3[j]*r3[j])
		}
	}
	for ; i < raw.Rows; i++ {
		for j, v := range raw.Data[i*raw.Stride:][:len(norms)] {
			norms[j] += v * v
		}
	}
	for j, sum := range norms {
		norms[j] = math.Sqrt(sum)
		if !(sum > SmallestSquare && sum < math.MaxFloat64) {
			norms[j] = columnNorm(m, j)
		}
	}
	return norms
}

// columnNorm returns the norm of column j without overflow or underflow of squares.
func columnNorm(m *mat.Dense, j int) float64 {
	var sum float64
	for i := range Rows(m) {
		sum = math.Hypot(sum, m.At(i, j))
	}
	return sum
}

// ErrNoConvergence is returned where a singular value decomposition does not converge.
var ErrNoConvergence = errors.New("blsupdate: the singular values do not converge: scale the inputs")

// SVD returns the thin decomposition A = U diag(values) Vᵀ, with values in descending order. It is
// gonum's on every backend.
func SVD(b blskernel.Backend, a *mat.Dense) (values []float64, u, v *mat.Dense, err error) {
	m, n := a.Dims()
	backend.Begin(b, backend.Routine{Name: "Dgesvd", M: m, N: n})
	var svd gonummat.SVD
	if !svd.Factorize(a, gonummat.SVDThin) {
		return nil, nil, nil, ErrNoConvergence
	}
	u, v = new(mat.Dense), new(mat.Dense)
	svd.UTo(u)
	svd.VTo(v)
	return svd.Values(nil), u, v, nil
}

// LeadingColumns returns the first rank pivots of a QR factorization of c with column pivoting, and
// overwrites c, which has no gaps between rows. It is gonum's on every backend.
func LeadingColumns(b blskernel.Backend, c *mat.Dense, rank int) []int {
	m, n := c.Dims()
	backend.Begin(b, backend.Routine{Name: "Dgeqp3", M: m, N: n})
	pivots := make([]int, n)
	for i := range pivots {
		pivots[i] = -1
	}
	data, tau, work := c.RawMatrix().Data, make([]float64, min(m, n)), make([]float64, 1)
	var lapack gonum.Implementation
	lapack.Dgeqp3(m, n, data, n, pivots, tau, work, -1)
	work = make([]float64, int(work[0]))
	lapack.Dgeqp3(m, n, data, n, pivots, tau, work, len(work))
	return pivots[:rank]
}
