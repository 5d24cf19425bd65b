package lapack

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/internal/backend"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

func generalGallery() map[string]func(rng *rand.Rand, n int) *full {
	fill := func(f func(rng *rand.Rand, n, i, j int) float64) func(rng *rand.Rand, n int) *full {
		return func(rng *rand.Rand, n int) *full {
			a := newFull(n, n)
			for i := range n {
				for j := range n {
					a.set(i, j, f(rng, n, i, j))
				}
			}
			return a
		}
	}
	return map[string]func(rng *rand.Rand, n int) *full{
		"random":       func(rng *rand.Rand, n int) *full { return randomFull(rng, n, n) },
		"scaled-1e150": fill(func(rng *rand.Rand, n, i, j int) float64 { return 1e150 * rng.NormFloat64() }),
		"scaled-1e-150": fill(func(rng *rand.Rand, n, i, j int) float64 {
			return 1e-150 * rng.NormFloat64()
		}),
		"graded-rows": fill(func(rng *rand.Rand, n, i, j int) float64 {
			return rng.NormFloat64() * math.Pow(10, -float64(i)/8)
		}),
		"graded-columns": fill(func(rng *rand.Rand, n, i, j int) float64 {
			return rng.NormFloat64() * math.Pow(10, -float64(j)/8)
		}),
		"permutation": fill(func(_ *rand.Rand, n, i, j int) float64 {
			if (i+1)%n == j {
				return 2
			}
			return 0
		}),
		"diagonal": fill(func(_ *rand.Rand, _, i, j int) float64 {
			if i == j {
				return float64(i) - 0.5
			}
			return 0
		}),
		"near-singular": func(rng *rand.Rand, n int) *full {
			a := randomFull(rng, n, n)
			if n > 1 {
				// Not closer: where the last pivot has a few units of rounding, on some CPU it is exactly zero.
				for j := range n {
					a.set(n-1, j, a.at(0, j)*(1+1e-12*rng.Float64()))
				}
			}
			return a
		},
		"ill-conditioned": func(rng *rand.Rand, n int) *full {
			return fullOf(symSpectrum(rng, n, func(i int) float64 {
				return math.Pow(1e-12, float64(i)/float64(max(1, n-1)))
			})).reflectLeft(unitVector(rng, n))
		},
	}
}

func TestLU(t *testing.T) {
	onBackends(t, func(t *testing.T, bk blskernel.Backend) {
		for name, generate := range generalGallery() {
			t.Run(name, func(t *testing.T) {
				rng := newRand(11)
				for _, s := range append(sizes(), size{300, 0}, size{300, 40}) {
					if s.n > 100 && name != "random" && s.n != 150 {
						continue
					}
					f := LU{Backend: bk, base: s.nb, nb: s.nb}
					testLU(t, fmt.Sprintf("n=%d nb=%d", s.n, s.nb), &f, generate(rng, s.n), randomFull(rng, s.n, 1+s.n%5))
				}
			})
		}
	})
}

func testLU(t *testing.T, name string, f *LU, a, b *full) {
	t.Helper()
	n := a.r
	ad, intact := wide(t, a)
	if err := f.Factorize(ad); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if !sameBits(fullOf(ad).x, a.x) {
		t.Fatalf("%s: Factorize changed its argument", name)
	}
	checkFactors(t, name, f, a)
	if n > 0 {
		var x mat.Dense
		if err := f.SolveTo(&x, b.dense()); err != nil {
			t.Errorf("%s: SolveTo: %v", name, err)
			return
		}
		checkSolution(t, name, a, fullOf(&x), b)
		in, whole := wide(t, b.transpose())
		if err := f.SolveRowsTo(in, in); err != nil {
			t.Errorf("%s: SolveRowsTo: %v", name, err)
		}
		whole()
		checkSolution(t, name+" rows", a.transpose(), fullOf(in).transpose(), b)
	}
	var inv mat.Dense
	if err := f.InverseTo(&inv); err != nil {
		t.Errorf("%s: InverseTo: %v", name, err)
		return
	}
	// The left residual of what was factored is the one that is small: Higham, section 14.3, Method B.
	x, transposed := fullOf(&inv), f.transposed()
	checkResidual := func(name string, x *full) {
		t.Helper()
		if transposed {
			checkInverse(t, name, a, x)
		} else {
			checkInverse(t, name, x, a)
		}
	}
	checkResidual(name, x)
	if c := a.norm() * x.norm(); n <= 20 && c < 1e10 {
		checkRCond(t, name, f.RCond(), a, x)
	}
	if err := f.FactorizeInPlace(ad); err != nil {
		t.Errorf("%s: FactorizeInPlace: %v", name, err)
		return
	}
	y, err := f.InverseInPlace()
	if err != nil {
		t.Errorf("%s: InverseInPlace: %v", name, err)
		return
	}
	intact()
	if n > 0 && &y.RawMatrix().Data[0] != &ad.RawMatrix().Data[0] {
		t.Errorf("%s: InverseInPlace is not in place", name)
	}
	checkResidual(name+" in place", fullOf(y))
	mustPanic(t, notFactorized, func() { f.RCond() })
}

// factorsOf returns L and U of P A = L U, or of P Aᵀ = L U where the transpose was factored.
func factorsOf(f *LU) (l, u *full) {
	n := f.Dim()
	stored := newFull(n, n)
	for i := range n {
		copy(stored.row(i), f.lu.Data[i*f.lu.Stride:])
	}
	if f.transposed() {
		stored = stored.transpose()
	}
	l, u = identity(n), newFull(n, n)
	for i := range n {
		copy(l.row(i)[:i], stored.row(i))
		copy(u.row(i)[i:], stored.row(i)[i:])
	}
	return l, u
}

// checkFactors tests |L| <= 1, ‖A - PᵀL U‖ <= 30 n eps ‖A‖ (Higham, theorem 9.3, with a growth factor
// that is small for every matrix of the gallery), and the growth factor.
func checkFactors(t *testing.T, name string, f *LU, a *full) {
	t.Helper()
	if f.transposed() {
		a = a.transpose()
	}
	l, u := factorsOf(f)
	var largestA, largestU float64
	for i, v := range l.x {
		if !(math.Abs(v) <= 1) {
			t.Fatalf("%s: |L| = %v", name, v)
		}
		largestA, largestU = max(largestA, math.Abs(a.x[i])), max(largestU, math.Abs(u.x[i]))
	}
	lu := l.mul(u)
	for k := len(f.swap) - 1; k >= 0; k-- {
		lu.swapRows(k, f.swap[k])
	}
	if r := over(a.sub(lu).norm(), float64(a.r)*eps, a.norm()); !(r <= ratioBound) {
		t.Errorf("%s: ‖A - PᵀLU‖/(n ‖A‖ eps) = %.3g", name, r)
	}
	want := 1.0
	if a.r > 0 {
		want = largestU / largestA
	}
	if got := f.GrowthFactor(); got != want {
		t.Errorf("%s: growth factor %v, want %v", name, got, want)
	}
}

func TestLUGolden(t *testing.T) {
	onBackends(t, func(t *testing.T, bk blskernel.Backend) {
		// P A = L U with A = [1 2; 4 12]: the rows are exchanged, L21 = 1/4, U = [4 12; 0 -1]. For Aᵀ,
		// the columns are, L21 = 1/2, U = [2 12; 0 -2], and it is the transposes of these that are
		// stored.
		f := LU{Backend: bk}
		if err := f.Factorize(mat.NewDense(2, 2, []float64{1, 2, 4, 12})); err != nil {
			t.Fatal(err)
		}
		want := []float64{4, 12, 0.25, -1}
		if f.transposed() {
			want = []float64{2, 0.5, 12, -2}
		}
		if !sameBits(f.lu.Data, want) || f.swap[0] != 1 || f.swap[1] != 1 {
			t.Errorf("LU = %v, exchanges %v", f.lu.Data, f.swap)
		}
		x, err := f.InverseInPlace()
		if err != nil || !sameBits(x.RawMatrix().Data, []float64{3, -0.5, -1, 0.25}) {
			t.Errorf("inverse %v, %v", x, err)
		}
	})
}

func TestLUErrors(t *testing.T) {
	onBackends(t, func(t *testing.T, bk blskernel.Backend) {
		_, transposed := backend.ColumnMajor(bk)
		for _, n := range []int{1, 2, 5, 16, 17, 40, 140} {
			for _, p := range []int{0, n / 2, n - 1} {
				a := randomFull(newRand(9), n, n)
				for i := range n {
					a.set(i, p, 0)
				}
				f := LU{Backend: bk}
				if transposed {
					a = a.transpose()
				}
				wantPivot(t, fmt.Sprintf("n=%d", n), f.Factorize(a.dense()), ErrSingular, p)
				if err := f.Factorize(a.transpose().dense()); !errors.Is(err, ErrSingular) {
					t.Errorf("n=%d: line %d of zeros: error %v", n, p, err)
				}
				mustPanic(t, notFactorized, func() { f.RCond() })
			}
			if n > 1 {
				ones := newFull(n, n)
				for i := range ones.x {
					ones.x[i] = 1
				}
				wantPivot(t, "ones", (&LU{Backend: bk}).Factorize(ones.dense()), ErrSingular, 1)
			}
		}
		// Small integers of rank 2: the last row is the difference of the others, and all quotients
		// are exact.
		wantPivot(t, "rank 2", (&LU{Backend: bk}).Factorize(mat.NewDense(3, 3, []float64{4, 2, 1, 2, 2, 1, -2, 0, 0})), ErrSingular, 2)
		for n := 1; n <= 5; n++ {
			for i := range n {
				for j := range n {
					a := randomFull(newRand(4), n, n)
					a.set(i, j, math.NaN())
					f, d := LU{Backend: bk}, a.dense()
					wantElement(t, "Factorize", f.Factorize(d), ErrNotFinite, i, j)
					wantElement(t, "FactorizeInPlace", f.FactorizeInPlace(d), ErrNotFinite, i, j)
					if !sameBits(d.RawMatrix().Data, a.x) {
						t.Error("a was changed")
					}
				}
			}
		}
		f := LU{Backend: bk}
		wantPivot(t, "overflow", f.Factorize(mat.NewDense(2, 2, []float64{1e308, 1e308, -1e308, 1e308})), ErrNotFinite, 1)
		if err := f.Factorize(mat.NewDense(1, 1, []float64{1e-310})); err != nil {
			t.Fatal(err)
		}
		wantElement(t, "overflow", f.SolveTo(&mat.Dense{}, mat.NewDense(1, 1, []float64{1})), ErrSingular, 0, 0)
		if _, err := f.InverseInPlace(); !errors.Is(err, ErrSingular) {
			t.Errorf("error %v", err)
		}
	})
	f := LU{}
	mustPanic(t, notFactorized, func() { _ = f.SolveTo(&mat.Dense{}, mat.NewDense(2, 1, nil)) })
	mustPanic(t, gonummat.ErrShape, func() { _ = f.Factorize(mat.NewDense(2, 3, nil)) })
	if err := f.Factorize(mat.NewDense(2, 2, []float64{1, 2, 3, 4})); err != nil {
		t.Fatal(err)
	}
	mustPanic(t, gonummat.ErrShape, func() { _ = f.SolveTo(&mat.Dense{}, mat.NewDense(3, 1, nil)) })
	mustPanic(t, gonummat.ErrShape, func() { _ = f.SolveRowsTo(&mat.Dense{}, mat.NewDense(2, 1, nil)) })
	mustPanic(t, gonummat.ErrShape, func() { _ = f.InverseTo(mat.NewDense(2, 3, nil)) })
}
