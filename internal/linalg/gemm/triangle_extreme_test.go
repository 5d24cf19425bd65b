package gemm

import (
	"math"
	"math/rand/v2"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/internal/testutil/testmat"

	"gonum.org/v1/gonum/blas"
)

// A system of one equation is a division: X = B/d. A product with the reciprocal has one more rounding,
// so it differs from the quotient by less than 2 ulp. If the reciprocal would overflow or be subnormal,
// it must not be used, and X is the quotient. NaN and Inf are the same either way. The limits are at
// 2^-1024, 2^-1022, 2^1022.
func TestDtrsmQuotient(t *testing.T) {
	extremes := []float64{
		math.SmallestNonzeroFloat64, 0x1p-1073, 0x1.8p-1060, 0x1p-1024, 0x1.4p-1024, 0x1.fffffffffffp-1024, 0x1p-1023, 0x0.fffffffffffffp-1022,
		0x1p-1022, 0x1.5p-1022, 0x1p-1021, 0x1.7p-600, 0x1.1p-1, 1, 0x1.9p600,
		0x1p1020, 0x1.3p1020, 0x1p1021, 0x1.0000000000001p1021, 0x1.9p1021, 0x1p1022, 0x1.3p1022, 0x1p1023, math.MaxFloat64,
		0, math.Inf(1), math.NaN(),
	}
	for _, v := range extremes {
		extremes = append(extremes, -v)
	}
	n := len(extremes)
	eachKernel(t, func(t *testing.T) {
		for _, side := range sides {
			for _, d := range extremes {
				rows, cols := 1, n
				if side == blas.Right {
					rows, cols = n, 1
				}
				x := append([]float64(nil), extremes...)
				active.Dtrsm(side, blas.Upper, blas.NoTrans, blas.NonUnit, rows, cols, 1, []float64{d}, 1, x, cols)
				for j, b := range extremes {
					want := b / d
					if math.IsNaN(x[j]) && math.IsNaN(want) || x[j] == want && math.Signbit(x[j]) == math.Signbit(want) {
						continue
					}
					bound := 2 * (math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want))
					if math.Abs(1/d) < 0x1p-1022 || math.IsInf(1/d, 0) {
						bound = 0
					}
					if !(math.Abs(x[j]-want) <= bound) {
						t.Errorf("side %c: %v/%v = %v, want %v", side, b, d, x[j], want)
					}
				}
			}
		}
	})
}

// Systems in which some equations are multiplied by powers of two, so that their diagonals are
// subnormal or almost overflow. The residual of an equation, divided by its power, has the bound of
// substitution, |T·X - B| <= gamma_{n+2}·|T|·|X| for T of order n (Higham, theorem 8.5, with one more
// rounding for the reciprocal of the diagonal and one for its product). Rounding in the subnormal range
// adds 2^-1075 for the product and the sum of each term and for the quotient.
func TestDtrsmScaledEquations(t *testing.T) {
	testutil.NotUnderRace(t, "TestConcurrentRoutines and TestReproducible divide all routines")
	setThreads(t, 1)
	eachKernel(t, func(t *testing.T) {
		rnd, mr := rand.New(rand.NewPCG(71, 1)), active.kernel.MR
		for form := range 8 {
			for _, order := range []int{1, mr, 2*mr + 3, fewRows + 1, fewRows + 3*mr + 1} {
				for _, power := range []int{-1030, -1024, 1019} {
					testScaledEquations(t, rnd, form, order, active.kernel.NR+1, power)
				}
			}
		}
	})
}

func testScaledEquations(t *testing.T, rnd *rand.Rand, form, order, others, power int) {
	t.Helper()
	m, n, side := order, others, sides[form&1]
	if side == blas.Right {
		m, n = n, m
	}
	p := newTriangular(rnd, form, m, n, 1)
	powers := make([]int, order)
	for i := range powers {
		if rnd.IntN(4) == 0 {
			powers[i] = power
		}
	}
	powers[rnd.IntN(order)] = power
	kept := keepHalf(p.ul)
	for r := range order {
		for c := range order {
			// Equation i is row i of op(A), or column i on the right.
			i := r
			if (p.t == blas.NoTrans) != (side == blas.Left) {
				i = c
			}
			if kept(r, c) {
				at := p.a.at(r, c)
				p.a.x[at] = math.Ldexp(p.a.x[at], powers[i])
			}
		}
	}
	equation := func(i, j int) int {
		if side == blas.Left {
			return i
		}
		return j
	}
	for i := range m {
		for j := range n {
			at := p.c.at(i, j)
			p.c.x[at] = math.Ldexp(p.c.x[at]/4, powers[equation(i, j)])
		}
	}
	// Each equation is divided by its power.
	element := func(i, j int) float64 { return p.c.x[p.c.at(i, j)] }
	b := testmat.Func(m, n, func(i, j int) float64 { return math.Ldexp(element(i, j), -powers[equation(i, j)]) })
	p.call()
	left := testmat.Func(order, order, func(i, j int) float64 { return math.Ldexp(p.T(i, j), -powers[equation(i, j)]) })
	right := testmat.Func(m, n, element)
	if side == blas.Right {
		left, right = right, left
	}
	residual, magnitude := left.Mul(right).Sub(b), left.Abs().Mul(right.Abs())
	for i := range m {
		for j := range n {
			// The residual itself is rounded as often as the solution.
			bound := 2*float64(order+2)*0x1p-53*1.01*(magnitude.At(i, j)+math.Abs(b.At(i, j))) +
				float64(2*order+1)*math.Ldexp(1, -1075-powers[equation(i, j)])
			if r := residual.At(i, j); !(math.Abs(r) <= bound) {
				t.Fatalf("%v: the residual of element (%d,%d) is %v, the bound %v", p, i, j, r, bound)
			}
		}
	}
}

// A zero on the diagonal makes its own unknowns infinite, or NaN where the right-hand side is zero, and
// does not change those found before.
func TestDtrsmZeroDiagonal(t *testing.T) {
	setThreads(t, 1)
	eachKernel(t, func(t *testing.T) {
		n := active.kernel.NR + 2
		for _, order := range []int{3, 2*active.kernel.MR + 1, fewRows + 2*active.kernel.MR + 1} {
			for _, zero := range []int{0, 1, order / 2, order - 1} {
				a, b := make([]float64, order*order), make([]float64, order*n)
				for i := range order {
					for j := range i {
						a[i*order+j] = 0.5 / float64(order)
					}
					a[i*order+i] = 2
					for j := range n {
						b[i*n+j] = float64(j%3 - 1)
					}
				}
				good := append([]float64(nil), b...)
				active.Dtrsm(blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, order, n, 1, a, order, good, n)
				a[zero*order+zero] = 0
				active.Dtrsm(blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, order, n, 1, a, order, b, n)
				if !identical(b[:zero*n], good[:zero*n]) {
					t.Errorf("order %d, zero in row %d: the rows before it have changed", order, zero)
				}
				for j, v := range b[zero*n : (zero+1)*n] {
					// Column j of X has the sign of B's, whose elements are equal.
					if sign := j%3 - 1; sign == 0 && !math.IsNaN(v) || sign != 0 && !math.IsInf(v, sign) {
						t.Errorf("order %d, zero in row %d: X[%d,%d] = %v", order, zero, zero, j, v)
					}
				}
			}
		}
	})
}
