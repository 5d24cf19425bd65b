package bench

import (
	"context"
	"errors"
	"math"
	"math/big"

	"blskernel/mat"
)

// exactBits is the precision in which W0 is computed.
const exactBits = 256

// An exactSolution is W0 = (AᵀA + lambda I)⁻¹AᵀY as the sum of two matrices, the second of which has
// what rounding to the first leaves.
type exactSolution struct{ high, low *mat.Dense }

// solveExactly solves the normal equations in numbers of 256 bits, by symmetric elimination.
//
// With u = 2^-256 the relative error of W0 is at most
//
//	κ² u (k(l+1) + k(3k+1) + l sqrt(k) ρ),    ρ = ‖Y‖ / (‖A‖ ‖W0‖),
//
// to first order: from the sums in AᵀA, which differ from the exact ones by (l+1) u |A|ᵀ|A|, with a
// norm of at most k(l+1) u ‖A‖²; from the elimination, which is exact for a matrix that differs by
// (3k+1) u |Rᵀ||R| from AᵀA + lambda I = RᵀR, at most k(3k+1) u ‖R‖² (Higham, Accuracy and Stability of
// Numerical Algorithms, theorem 10.4); and from the sums in AᵀY. Of targets that are random signs each
// singular vector of A sees some ‖Y‖/sqrt(l), so that ρ is about 2 sqrt(l) at most for lambda <= 1. The
// bound is thus below 1e-39 for κ <= 1e14, k <= 1000 and l <= 10000. What is kept of W0 in two float64
// has a relative error of 2^-106, about 1e-32, element by element, and that decides.
//
// It stops with the context's error between two columns. The time is that of lk²/2 + k³/6
// multiplications and additions of such numbers.
func solveExactly(ctx context.Context, a, y *mat.Dense, lambda float64) (*exactSolution, error) {
	g, err := normalEquations(ctx, a, y, lambda, exactBits)
	if err != nil {
		return nil, err
	}
	if err := eliminate(ctx, g, exactBits); err != nil {
		return nil, err
	}
	return substitute(g, exactBits), nil
}

// normalEquations returns [AᵀA + lambda I, AᵀY], of which the part below the diagonal is nil.
func normalEquations(ctx context.Context, a, y *mat.Dense, lambda float64, bits uint) ([][]*big.Float, error) {
	l, k := a.Dims()
	_, c := y.Dims()
	rows := make([][]*big.Float, l)
	for i := range rows {
		rows[i] = make([]*big.Float, k+c)
		for j, x := range a.RawRowView(i) {
			rows[i][j] = big.NewFloat(x) // of 53 bits, which makes products cheap and exact
		}
		for j, x := range y.RawRowView(i) {
			rows[i][k+j] = big.NewFloat(x)
		}
	}
	product := new(big.Float).SetPrec(bits)
	g := make([][]*big.Float, k)
	for i := range g {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g[i] = make([]*big.Float, k+c)
		for j := i; j < k+c; j++ {
			sum := new(big.Float).SetPrec(bits)
			for _, row := range rows {
				sum.Add(sum, product.Mul(row[i], row[j]))
			}
			g[i][j] = sum
		}
		g[i][i].Add(g[i][i], big.NewFloat(lambda))
	}
	return g, nil
}

// errSingular is returned where no solution is determined.
var errSingular = errors.New("bench: the matrix of the normal equations is singular in 256 bits")

// eliminate makes the positive definite matrix in the first columns of g upper triangular, and does the
// same to the others.
func eliminate(ctx context.Context, g [][]*big.Float, bits uint) error {
	factor, product := new(big.Float).SetPrec(bits), new(big.Float).SetPrec(bits)
	for p, pivot := range g {
		if err := ctx.Err(); err != nil {
			return err
		}
		if pivot[p].Sign() <= 0 {
			return errSingular
		}
		for i := p + 1; i < len(g); i++ {
			factor.Quo(pivot[i], pivot[p])
			for j := i; j < len(pivot); j++ {
				g[i][j].Sub(g[i][j], product.Mul(factor, pivot[j]))
			}
		}
	}
	return nil
}

// substitute solves the triangular system in place and rounds the solution.
func substitute(g [][]*big.Float, bits uint) *exactSolution {
	k := len(g)
	c := len(g[0]) - k
	s := &exactSolution{mat.NewDense(k, c, nil), mat.NewDense(k, c, nil)}
	product := new(big.Float).SetPrec(bits)
	for i := k - 1; i >= 0; i-- {
		for j := k; j < k+c; j++ {
			x := g[i][j]
			for m := i + 1; m < k; m++ {
				x.Sub(x, product.Mul(g[i][m], g[m][j]))
			}
			x.Quo(x, g[i][i])
			high, _ := x.Float64()
			low, _ := product.Sub(x, big.NewFloat(high)).Float64()
			s.high.Set(i, j-k, high)
			s.low.Set(i, j-k, low)
		}
	}
	return s
}

// error returns ‖W - W0‖/‖W0‖ in Frobenius norms, to a few units of rounding of its own: where W is
// near W0, W - high is exact.
func (s *exactSolution) error(w *mat.Dense) float64 {
	var difference, norm float64
	k, _ := w.Dims()
	for i := range k {
		high, low := s.high.RawRowView(i), s.low.RawRowView(i)
		for j, x := range w.RawRowView(i) {
			difference = math.Hypot(difference, x-high[j]-low[j])
			norm = math.Hypot(norm, high[j])
		}
	}
	return difference / norm
}
