package lapack

import (
	"errors"
	"math"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/testmat"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// pseudoinverse returns A⁺ and the rank of A from gonum's singular values above tolerance.
func pseudoinverse(t *testing.T, a *full, tolerance float64) (*full, int) {
	t.Helper()
	var svd gonummat.SVD
	if !svd.Factorize(a.Dense(), gonummat.SVDThin) {
		t.Fatal("no singular values")
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	values, rank := svd.Values(nil), 0
	scaled := testmat.Of(&v).Weigh(func(_, j int) float64 {
		if values[j] > tolerance*values[0] {
			rank = max(rank, j+1)
			return 1 / values[j]
		}
		return 0
	})
	return scaled.Mul(testmat.Of(&u).T()), rank
}

// The rank is right for the product of two random matrices of every shape, and the solution has the
// least norm: the pseudoinverse by singular values agrees. Scaling by powers of two to the ends of the
// range changes nothing.
func TestLeastSquares(t *testing.T) {
	testutil.NotUnderRace(t, "computing in one goroutine")
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(63)
		for trial := range 150 {
			l, k, c := 1+rng.IntN(60), 1+rng.IntN(60), 1+rng.IntN(3)
			if trial%25 == 0 {
				l, k = 70+rng.IntN(90), 70+rng.IntN(90)
			}
			rank := rng.IntN(min(l, k) + 1)
			a, b := testmat.Random(rng, l, rank).Mul(testmat.Random(rng, rank, k)), testmat.Random(rng, l, c)
			if rank == min(l, k) {
				a = testmat.Random(rng, l, k)
			}
			for j := range k { // a column of zeros does not add to the rank
				if trial%3 == 0 && rank < k && j == k/2 {
					for i := range l {
						a.Set(i, j, 0)
					}
				}
			}
			inverse, r := pseudoinverse(t, a, 1e-11)
			want := inverse.Mul(b)
			f := LeastSquares{Backend: bk}
			held, bd := a.Dense(), b.Dense()
			testutil.NoError(t, f.Factorize(held))
			var x mat.Dense
			testutil.NoError(t, f.SolveTo(&x, bd))
			if !testmat.SameBits(testmat.Of(held).X, a.X) || !testmat.SameBits(testmat.Of(bd).X, b.X) {
				t.Errorf("%d×%d: an operand was changed", l, k)
			}
			size := inverse.Norm() * a.Norm()
			if d := testmat.Of(&x).Sub(want).Norm(); f.Rank() != r || !(d <= 1e-13*size*(want.Norm()+inverse.Norm()*b.Norm())) {
				t.Errorf("%d×%d: rank %d, want %d; the error is %g of %g", l, k, f.Rank(), r, d, want.Norm())
			}
			if rcond := f.RCond(); !(rcond > 0 && rcond <= 1) {
				t.Errorf("%d×%d: RCond %g", l, k, rcond)
			}
			order := f.Pivots(nil)
			slices.Sort(order)
			for j, p := range order {
				if p != j {
					t.Fatalf("%d×%d: %v is no permutation", l, k, order)
				}
			}
			for _, e := range [][2]int{{980, 0}, {-1000, 0}, {0, 980}, {0, -900}, {900, 940}} {
				var y mat.Dense
				testutil.NoError(t, f.FactorizeInPlace(a.Times(e[0]).Dense()))
				testutil.NoError(t, f.SolveTo(&y, b.Times(e[1]).Dense()))
				got := testmat.Of(&y).Times(e[0] - e[1])
				if d := got.Sub(testmat.Of(&x)).Norm(); !(d <= 1e-14*size*testmat.Of(&x).Norm()) {
					t.Errorf("%d×%d times 2^%v: the error is %g of %g", l, k, e, d, want.Norm())
				}
			}
		}
	})
}

// The rank depends on Tolerance: R of a diagonal matrix has its diagonal, in descending order.
func TestLeastSquaresTolerance(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		a := testmat.Func(6, 4, func(i, j int) float64 {
			return []float64{1e-9, 8, 1e-3, 1e-15}[j] * testmat.Unless(i != j)
		})
		for tolerance, want := range map[float64]int{0: 3, 1e-20: 4, 1e-4: 2, 1e-3: 1, math.NaN(): 4} {
			f := LeastSquares{Backend: bk, Tolerance: tolerance}
			testutil.NoError(t, f.Factorize(a.Dense()))
			if f.Rank() != want || !slices.Equal(f.Pivots(nil), []int{1, 2, 0, 3}) {
				t.Errorf("tolerance %g: rank %d, want %d; pivots %v", tolerance, f.Rank(), want, f.Pivots(nil))
			}
		}
	})
}

func TestLeastSquaresErrors(t *testing.T) {
	var f LeastSquares
	wantElement(t, "Factorize", f.Factorize(testmat.From(2, 2, 1, 2, math.NaN(), 3).Dense()), ErrNotFinite, 1, 0)
	testutil.NoError(t, f.Factorize(testmat.From(2, 2, 1e-300, 0, 0, 1).Dense()))
	wantElement(t, "SolveTo", f.SolveTo(&mat.Dense{}, mat.NewDense(2, 1, []float64{0, math.Inf(-1)})), ErrNotFinite, 1, 0)
	f.Tolerance = 1e-310
	testutil.NoError(t, f.Factorize(testmat.From(2, 2, 1e-300, 0, 0, 1).Dense()))
	wantElement(t, "SolveTo", f.SolveTo(&mat.Dense{}, mat.NewDense(2, 1, []float64{1e30, 0})), ErrOverflow, 0, 0)
	testutil.MustPanic(t, gonummat.ErrShape, func() { _ = f.SolveTo(&mat.Dense{}, mat.NewDense(3, 1, nil)) })
	testutil.MustPanic(t, pivotsLength, func() { f.Pivots(make([]int, 3)) })
	f.Reset()
	if l, k := f.Dims(); l != 0 || k != 0 || f.Tolerance == 0 {
		t.Errorf("Reset leaves %d, %d", l, k)
	}
	testutil.NoError(t, f.Factorize(&mat.Dense{}))
	if err := f.SolveTo(&mat.Dense{}, &mat.Dense{}); f.Rank() != 0 || f.RCond() != 1 || err != nil {
		t.Errorf("order 0: rank %d, RCond %g, %v", f.Rank(), f.RCond(), err)
	}
	if err := errors.Join(f.Factorize(mat.NewDense(2, 3, nil)), f.SolveTo(&mat.Dense{}, mat.NewDense(2, 1, nil))); err != nil || f.Rank() != 0 {
		t.Errorf("zeros: rank %d, %v", f.Rank(), err)
	}
}
