package secular

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/bigfloat"
)

// equations returns several kinds of equations of order n: with random or evenly spaced poles, poles
// near each other, or poles and z of very different sizes. As after a merge, neighboring poles are
// apart, and no z is near zero.
func equations(rng *rand.Rand, n int, squares bool) map[string]Equation {
	const least = 8 * eps
	equation := func(d, z func(i int) float64) Equation {
		q := Equation{Poles: make([]float64, n), Z: make([]float64, n), Squares: squares}
		for i := range n {
			q.Poles[i], q.Z[i] = d(i), math.Copysign(max(math.Abs(z(i)), least), z(i))
		}
		slices.Sort(q.Poles)
		if squares {
			q.Poles[0] = 0
		}
		for i := 1; i < n; i++ {
			q.Poles[i] = max(q.Poles[i], q.Poles[i-1]+least)
		}
		return q
	}
	small := func(int) float64 { return math.Pow(10, -16*rng.Float64()) }
	return map[string]Equation{
		"random":    equation(func(int) float64 { return rng.Float64() }, func(int) float64 { return rng.NormFloat64() }),
		"even":      equation(func(i int) float64 { return float64(i) / float64(n) }, func(int) float64 { return 1 / math.Sqrt(float64(n)) }),
		"near":      equation(func(i int) float64 { return 0.5 + float64(i)*1e-15 }, func(int) float64 { return -1 }),
		"two heaps": equation(func(i int) float64 { return float64(i%2) + small(i)*1e-3 }, func(int) float64 { return rng.NormFloat64() }),
		"small":     equation(func(int) float64 { return rng.Float64() }, small),
		"graded":    equation(small, small),
		"close":     equation(func(int) float64 { return 0.5 + 0.01*math.Exp2(-50*rng.Float64()) }, func(int) float64 { return 1e-15 * rng.NormFloat64() }),
	}
}

// exact returns the function at root r, to many digits, and the sum of the magnitudes of its terms.
func exact(q Equation, z []float64, r Root) (f, sum float64) {
	total, one := bigfloat.New(1), []float64{-r.Distance}
	for j, zj := range z {
		p, at := q.Poles[j], q.Poles[r.Pole]
		gap := bigfloat.Sum([]float64{p}, []float64{-at}, one)
		if q.Squares {
			gap = bigfloat.Sum([]float64{p, p}, []float64{-at, at}, one)
		}
		square := bigfloat.Sum([]float64{zj, zj})
		total.Add(total, square.Quo(square, gap))
		sum += math.Abs(bigfloat.Float(square))
	}
	return bigfloat.Float(total), sum + 1
}

// TestSolve checks that roots lie between the poles and that the function is zero there up to rounding.
// The z for which the roots are exact must be close to the given z, with orthogonal vectors.
func TestSolve(t *testing.T) {
	testutil.NotUnderRace(t, "computing in one goroutine")
	bk := factor.On(blskernel.Default())
	for _, n := range []int{1, 2, 3, 7, 30, 100} {
		for _, squares := range []bool{false, true} {
			for name, q := range equations(testutil.Rand(uint64(n)), n, squares) {
				name = fmt.Sprintf("%s, n=%d, squares %v", name, n, squares)
				given, roots, gaps := slices.Clone(q.Z), make([]Root, n), block.Dense(make([]float64, n*n), n)
				q.Solve(bk, roots, gaps)
				norm := bk.Dnrm2(n, given, 1)
				for i, r := range roots {
					if f, sum := exact(q, given, r); !(math.Abs(f) <= float64(n+20)*eps*sum) {
						t.Errorf("%s: the function at root %d is %g, of terms %g", name, i, f, sum)
					}
					row := gaps.Elements(i, 0, n)
					for j, gap := range row {
						if (gap < 0) != (j <= i) || gap == 0 {
							t.Errorf("%s: root %d is at %g from pole %d", name, i, gap, j)
						}
						row[j] = q.Z[j] / gap
					}
					bk.Dscal(n, 1/bk.Dnrm2(n, row, 1), row, 1)
					for j := range i {
						if dot := bk.Ddot(n, row, 1, gaps.Elements(j, 0, n), 1); !(math.Abs(dot) <= float64(10*n)*eps) {
							t.Errorf("%s: the product of vectors %d and %d is %g", name, i, j, dot)
						}
					}
					if !(math.Abs(q.Z[i]-given[i]) <= float64(20*n)*eps*norm) {
						t.Errorf("%s: z[%d] is %g, given %g", name, i, q.Z[i], given[i])
					}
				}
			}
		}
	}
}

// TestSolveEnds checks that every search ends, whatever the numbers are.
func TestSolveEnds(t *testing.T) {
	rng := testutil.Rand(2)
	number := func() float64 { return math.Ldexp(rng.Float64(), -rng.IntN(1100)) }
	for range 2000 {
		n := 1 + rng.IntN(9)
		q := Equation{Poles: make([]float64, n), Z: make([]float64, n), Squares: rng.IntN(2) == 0}
		for i := range n {
			q.Poles[i], q.Z[i] = number(), number()
		}
		slices.Sort(q.Poles)
		if rng.IntN(10) == 0 {
			q.Z[rng.IntN(n)] = math.NaN()
		}
		q.Solve(factor.On(blskernel.Default()), make([]Root, n), block.Dense(make([]float64, n*n), n))
	}
}

// TestSteps checks that a root takes at most 20 steps, and at most five on average.
func TestSteps(t *testing.T) {
	const n = 300
	sum := 0
	q := equations(testutil.Rand(n), n, false)["random"]
	poles, gaps := make([]float64, n), make([]float64, n)
	for i := range n {
		_, steps := q.solve(i, poles, gaps)
		if sum += steps; steps > 20 {
			t.Errorf("root %d took %d steps", i, steps)
		}
	}
	if sum > 5*n {
		t.Errorf("%d roots took %d steps", n, sum)
	}
}

// TestMiddle checks that bisections reach any number in 64 steps.
func TestMiddle(t *testing.T) {
	rng := testutil.Rand(3)
	for range 1000 {
		want := math.Ldexp(rng.NormFloat64(), -rng.IntN(1000))
		lo, hi, steps := min(0, 2*want), max(0, 2*want), 0
		for ; lo != want && hi != want; steps++ {
			if m := middle(lo, hi); m < want {
				lo = m
			} else {
				hi = m
			}
		}
		if steps > 64 {
			t.Errorf("%g took %d steps", want, steps)
		}
	}
}
