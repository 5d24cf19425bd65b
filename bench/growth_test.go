package bench

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// smallGrowth returns an experiment of a second or less.
func smallGrowth(t *testing.T, backend string) *Growth {
	t.Helper()
	b, err := blskernel.Lookup(backend)
	if err != nil {
		t.Fatal(err)
	}
	return &Growth{
		Conditions: []float64{1e2, 1e6, 1e12}, Lambdas: []float64{0, 0x1p-30, 1e-3}, Variants: GrowthVariants(),
		Nodes: 12, Samples: 60, Seeds: 2, Backend: b,
	}
}

func runGrowth(t *testing.T, g *Growth) []GrowthPoint {
	t.Helper()
	var all []GrowthPoint
	last := -1.0
	err := g.Run(context.Background(), func(points []GrowthPoint) error { all = append(all, points...); return nil }, func(done, total float64, doing string) {
		if !(done/total > last && done < total) || doing == "" {
			t.Errorf("progress %v after %v, %q", done/total, last, doing)
		}
		last = done / total
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestGrowth holds every error to the bounds of the methods and every point to what it says it is. Only
// methods with an error like eps κ², at a condition number where that leaves nothing, may refuse.
func TestGrowth(t *testing.T) {
	for _, name := range blskernel.Names() {
		t.Run("backend="+name, func(t *testing.T) {
			g := smallGrowth(t, name)
			points := runGrowth(t, g)
			if want := 3*len(g.Variants) + 6*(len(g.Variants)-4); len(points) != want {
				t.Fatalf("%d points; want %d", len(points), want)
			}
			for _, p := range points {
				stable := p.Method == "qr" || p.Method == "inverse-cholesky" || p.Method == "original" || p.Method == "improved" && p.Form != "large"
				switch {
				case p.Backend != name || p.Samples != 60 || p.Nodes != 12 || p.Seeds != 2:
					t.Errorf("%+v", p)
				case p.Lambda > 0 && (p.Method == "original" || p.Method == "improved"):
					t.Errorf("%s has a bias at lambda = %g: %+v", p.Method, p.Lambda, p)
				case p.Failed != "":
					if stable || !(p.Kappa >= 1e7) || p.Refused < 1 || p.Error != 0 || p.Digits != 0 || p.Within() {
						t.Errorf("%+v", p)
					}
				case !(p.Error > 0 && p.Error <= p.Bound) || !p.Within() || p.Refused != 0 || !(p.Digits >= 0 && p.Digits <= 16):
					t.Errorf("%+v", p)
				}
				// The rows of A are a part of those that have its condition number, and the ridge cuts
				// it off at 1/sqrt(lambda).
				most := p.Condition * 100
				if p.Lambda > 0 {
					most = min(most, 1.1/math.Sqrt(p.Lambda))
				}
				if !(p.Kappa >= 1 && p.Kappa <= most) || p.Lambda == 0 && !(p.Kappa >= 0.999*p.Condition) {
					t.Errorf("condition %g, lambda %g: kappa %g", p.Condition, p.Lambda, p.Kappa)
				}
			}
			if again := runGrowth(t, g); !reflect.DeepEqual(points, again) {
				t.Error("a second run has other points")
			}
		})
	}
}

// TestGrowthSeparates checks that the experiment shows what it is for: at κ = 1e6 the methods with an
// error like eps κ² are worse than QR by far.
func TestGrowthSeparates(t *testing.T) {
	g := smallGrowth(t, "pure")
	g.Conditions, g.Lambdas = []float64{1e6}, []float64{0}
	errors := map[string]float64{}
	for _, p := range runGrowth(t, g) {
		if p.Failed != "" {
			t.Errorf("%+v", p)
		}
		errors[p.Method+"/"+p.Form] = p.Error
	}
	for _, name := range []string{"gram/auto", "ridge-inverse/small", "ridge-inverse/large", "improved/large"} {
		if !(errors[name] > 100*errors["qr/auto"]) {
			t.Errorf("%s: error %.1g, qr %.1g", name, errors[name], errors["qr/auto"])
		}
	}
	for _, name := range []string{"original/auto", "improved/small", "improved/compressed", "inverse-cholesky/small", "inverse-cholesky/large"} {
		if !(errors[name] < 100*errors["qr/auto"]) {
			t.Errorf("%s: error %.1g, qr %.1g", name, errors[name], errors["qr/auto"])
		}
	}
}

func TestGrowthStops(t *testing.T) {
	g := smallGrowth(t, "pure")
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	err := g.Run(ctx, func([]GrowthPoint) error { calls++; cancel(); return nil }, nil)
	if !errors.Is(err, context.Canceled) || calls != 1 {
		t.Errorf("%d calls, %v", calls, err)
	}
	stop := errors.New("stop")
	if err := g.Run(context.Background(), func([]GrowthPoint) error { return stop }, nil); !errors.Is(err, stop) {
		t.Errorf("stopped: %v", err)
	}
	// No points, no calls.
	g.Variants, g.Lambdas = Variants(blsupdate.Original, blsupdate.Improved), []float64{1}
	if err := g.Run(context.Background(), func([]GrowthPoint) error { return stop }, nil); err != nil {
		t.Error(err)
	}
}

func TestGrowthValidate(t *testing.T) {
	nan := math.NaN()
	for name, change := range map[string]func(*Growth){
		"no conditions": func(g *Growth) { g.Conditions = nil }, "condition 0.5": func(g *Growth) { g.Conditions[0] = 0.5 },
		"condition 1e15": func(g *Growth) { g.Conditions[0] = 1e15 }, "condition NaN": func(g *Growth) { g.Conditions[0] = nan },
		"no lambdas": func(g *Growth) { g.Lambdas = nil }, "lambda -1": func(g *Growth) { g.Lambdas[0] = -1 },
		"lambda 2": func(g *Growth) { g.Lambdas[0] = 2 }, "lambda NaN": func(g *Growth) { g.Lambdas[0] = nan },
		"no variants": func(g *Growth) { g.Variants = nil }, "k = 1": func(g *Growth) { g.Nodes = 1 }, "k = 1001": func(g *Growth) { g.Nodes = 1001 },
		"l < 2k": func(g *Growth) { g.Samples = 23 }, "l = 10001": func(g *Growth) { g.Samples = 10001 },
		"no seeds": func(g *Growth) { g.Seeds = 0 },
	} {
		g := smallGrowth(t, "pure")
		change(g)
		if g.Validate() == nil || g.Run(context.Background(), func([]GrowthPoint) error { t.Error("ran"); return nil }, nil) == nil {
			t.Errorf("%s: no error", name)
		}
	}
	g := smallGrowth(t, "pure")
	g.Nodes, g.Samples = 100, 203
	if got := g.Cuts(); !reflect.DeepEqual(got, []int{101, 121, 141, 203}) || g.Validate() != nil {
		t.Errorf("%v, %v", got, g.Validate())
	}
}

// TestWeightsBound has the bounds of a case that is easily computed: sqrt(l) eps κ = 2^-40 for l = 4, κ
// = 2^11.
func TestWeightsBound(t *testing.T) {
	for _, tc := range []struct {
		method blsupdate.Method
		large  bool
		want   float64
	}{
		{blsupdate.QR, false, 10 * 0x1p-40}, {blsupdate.InverseCholesky, false, 10 * 0x1p-40},
		{blsupdate.Gram, false, 10 * 0x1p-29}, {blsupdate.RidgeInverse, false, 10 * 0x1p-29},
		{blsupdate.Original, false, 50 * 0x1p-40}, {blsupdate.Improved, false, 50 * 0x1p-40}, {blsupdate.Improved, true, 10 * 0x1p-29},
	} {
		if got := weightsBound(tc.method, tc.large, 4, 0x1p11); got != tc.want {
			t.Errorf("%v, %v: %g; want %g", tc.method, tc.large, got, tc.want)
		}
	}
}

// TestWithCondition checks the singular values by those of AᵀA, which for a moderate condition number
// are exact enough.
func TestWithCondition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, k := range []int{1, 2, 7} {
		a, err := withCondition(r, 30, k, 1e3)
		if err != nil {
			t.Fatal(err)
		}
		got, err := kappaOf(a, 0)
		want := 1e3
		if k == 1 {
			want = 1
		}
		// A perturbation of A by 100 eps in norm changes the smallest singular value, 1e-3, by no more.
		if err != nil || !(math.Abs(got-want) <= 100*eps*want*want) {
			t.Errorf("k = %d: condition %v; want %v (%v)", k, got, want, err)
		}
		ridge, err := kappaOf(a, 1)
		if want := math.Sqrt2 / math.Hypot(1/want, 1); err != nil || !(math.Abs(ridge-want) <= 100*eps) {
			t.Errorf("k = %d: condition with ridge %v; want %v (%v)", k, ridge, want, err)
		}
	}
}

// TestSolveExactly compares with rational numbers, by Cramer's rule for two nodes, at a condition
// number at which float64 has no digit of AᵀA left.
func TestSolveExactly(t *testing.T) {
	a := mat.NewDense(3, 2, []float64{1, 1, 0x1p-45, 0, 0, 0x1p-45})
	y := mat.NewDense(3, 1, []float64{1, -1, 3})
	for _, lambda := range []float64{0, 0x1p-100, 1e-3} {
		got, err := solveExactly(context.Background(), a, y, lambda)
		if err != nil {
			t.Fatal(err)
		}
		rat := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
		sum := func(f func(i int) (float64, float64)) *big.Rat {
			s := new(big.Rat)
			for i := range 3 {
				u, v := f(i)
				s.Add(s, new(big.Rat).Mul(rat(u), rat(v)))
			}
			return s
		}
		g := func(i, j int) *big.Rat { return sum(func(r int) (float64, float64) { return a.At(r, i), a.At(r, j) }) }
		b := func(i int) *big.Rat { return sum(func(r int) (float64, float64) { return a.At(r, i), y.At(r, 0) }) }
		g00, g11 := g(0, 0), g(1, 1)
		g00.Add(g00, rat(lambda))
		g11.Add(g11, rat(lambda))
		minus := func(p, q, r, s *big.Rat) *big.Rat {
			return new(big.Rat).Sub(new(big.Rat).Mul(p, q), new(big.Rat).Mul(r, s))
		}
		det := minus(g00, g11, g(0, 1), g(0, 1))
		for i, numerator := range []*big.Rat{minus(b(0), g11, g(0, 1), b(1)), minus(g00, b(1), g(0, 1), b(0))} {
			want := new(big.Rat).Quo(numerator, det)
			have := new(big.Rat).Add(rat(got.high.At(i, 0)), rat(got.low.At(i, 0)))
			rest, _ := have.Quo(have.Sub(have, want), want).Float64()
			if !(math.Abs(rest) <= 0x1p-105) {
				t.Errorf("lambda %g: w%d has a relative error of %g", lambda, i, rest)
			}
		}
	}
	var singular = mat.NewDense(2, 2, []float64{1, 1, 1, 1})
	if _, err := solveExactly(context.Background(), singular, mat.NewDense(2, 1, nil), 0); !errors.Is(err, errSingular) {
		t.Errorf("a singular matrix: %v", err)
	}
}

// TestExactBits solves a problem of the largest condition number in numbers of 256 and of 512 bits:
// what is kept is the same.
func TestExactBits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	a, err := withCondition(r, 30, 15, MostCondition)
	if err != nil {
		t.Fatal(err)
	}
	y := signs(r, 30)
	var solutions []*exactSolution
	for _, bits := range []uint{exactBits, 2 * exactBits} {
		g, err := normalEquations(context.Background(), a, y, 0, bits)
		if err == nil {
			err = eliminate(context.Background(), g, bits)
		}
		if err != nil {
			t.Fatal(err)
		}
		solutions = append(solutions, substitute(g, bits))
	}
	if !gonummat.Equal(solutions[0].high, solutions[1].high) || !gonummat.Equal(solutions[0].low, solutions[1].low) {
		t.Error("256 bits are not enough")
	}
}

// TestExactError has distances that are known: the low part counts.
func TestExactError(t *testing.T) {
	s := &exactSolution{mat.NewDense(2, 1, []float64{3, 4}), mat.NewDense(2, 1, []float64{0x1p-60, 0})}
	if got := s.error(s.high); got != 0x1p-60/5 {
		t.Errorf("%g; want 2^-60/5", got)
	}
	if got := s.error(mat.NewDense(2, 1, []float64{3, 9})); got != 1 {
		t.Errorf("%g; want 1", got)
	}
	if got := s.error(mat.NewDense(2, 1, []float64{math.NaN(), 4})); got <= math.MaxFloat64 {
		t.Errorf("%g for NaN", got)
	}
}

// TestGrowthKnown goes on after each case, without a backend.
func TestGrowthKnown(t *testing.T) {
	g := smallGrowth(t, "pure")
	g.Backend = nil
	all := runGrowth(t, g)
	if all[0].Backend != blskernel.Default().Name() {
		t.Fatalf("%+v", all[0])
	}
	perCase := []int{10, 10, 10, 6, 6, 6, 6, 6, 6}
	from := 0
	for n, points := range perCase {
		// Of the next case all points but one are there: it is not done.
		g.Done = append(slices.Clone(all[from+1:from+points]), all[:from]...)
		if known := g.Known(); len(known) != n {
			t.Fatalf("%d cases are known; want %d", len(known), n)
		}
		if rest := runGrowth(t, g); !reflect.DeepEqual(rest, all[from:]) {
			t.Errorf("after %d cases there are %d points; want %d, the same", n, len(rest), len(all)-from)
		}
		from += points
	}
	g.Done = all
	known := slices.Concat(g.Known()...)
	if rest := runGrowth(t, g); rest != nil || !reflect.DeepEqual(known, all) {
		t.Errorf("%d points of %d are known, and %d more", len(known), len(all), len(rest))
	}
	g.Seeds++
	if known := g.Known(); known != nil {
		t.Errorf("points of fewer seeds are known: %d cases", len(known))
	}
}
