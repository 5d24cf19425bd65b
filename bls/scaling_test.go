package bls

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// bigScales returns the mean and the standard deviation, computed in 4400 bits, in which every float64
// and its square are exact.
func bigScales(x []float64) (mean, std *big.Float) {
	f := func(v float64) *big.Float { return new(big.Float).SetPrec(4400).SetFloat64(v) }
	mean, ss := f(0), f(0)
	for _, v := range x {
		mean.Add(mean, f(v))
	}
	mean.Quo(mean, f(float64(len(x))))
	for _, v := range x {
		d := f(v)
		d.Sub(d, mean)
		ss.Add(ss, d.Mul(d, d))
	}
	return mean, ss.Sqrt(ss.Quo(ss, f(float64(len(x)-1))))
}

// The differences from the first mean have a relative error of eps each, and their sum one of l eps.
// With the last rounding, the mean errs by at most eps |m| + (l+2) eps std. The sum of squares has a
// relative error of (l+3) eps, and the correction for the first mean's error is at most l²eps² of it.
func TestColumnScales(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, l := range []int{2, 3, 64, 785} {
		for _, column := range []struct{ center, size float64 }{
			{0, 1}, {0, 1e-300}, {0, 1e300}, {0, 8e307}, {1, 1e-300}, {1e9, 1e-3}, {-1e300, 1e290}, {1e15, 1}, {1e-300, 1e-305}, {0, 1e-307},
		} {
			x := mat.NewDense(l, 1, nil)
			x.Apply(func(_, _ int, _ float64) float64 { return column.center + column.size*(2*rnd.Float64()-1) }, x)
			means, deviations, err := columnScales(t.Context(), x)
			must(t, err)
			mean, std := bigScales(x.RawMatrix().Data)
			s, _ := std.Float64()
			if s < smallestNormal { // all elements are equal, or nearly
				s = 1
			}
			m, _ := mean.Float64()
			got := new(big.Float).SetPrec(4400).SetFloat64(means[0])
			off, _ := got.Sub(got, mean).Float64()
			if tol := 2*eps*math.Abs(m) + 2*float64(l+2)*eps*s; !(math.Abs(off) <= tol) {
				t.Errorf("l=%d, %v: mean %v is off by %g, more than %g", l, column, means[0], off, tol)
			}
			if tol := 4 * float64(l+3) * eps * s; !(math.Abs(deviations[0]-s) <= tol) {
				t.Errorf("l=%d, %v: deviation %v, want %v", l, column, deviations[0], s)
			}
		}
	}
}

func TestColumnScalesEdges(t *testing.T) {
	const huge = math.MaxFloat64
	for _, test := range []struct {
		name      string
		x         []float64
		mean, std float64
	}{
		{"constant", []float64{0.1, 0.1, 0.1}, 0.1, 1},
		{"zero", []float64{0, 0}, 0, 1},
		{"largest", []float64{-huge, -huge, -huge}, -huge, 1},
		{"one sample", []float64{7}, 7, 1},
		{"below the normal numbers", []float64{0, 5e-324, 0}, 0, 1},
		{"one unit in the last place", []float64{1, 1 + eps}, 1, eps / math.Sqrt2},
		{"a far one", []float64{0, 0, 0, 0x1p1000}, 0x1p998, 0x1p999},
	} {
		means, deviations, err := columnScales(t.Context(), mat.NewDense(len(test.x), 1, test.x))
		must(t, err)
		if means[0] != test.mean || !(math.Abs(deviations[0]-test.std) <= 4*eps*test.std) {
			t.Errorf("%s: %v, %v; want %v, %v", test.name, means[0], deviations[0], test.mean, test.std)
		}
	}
	_, _, err := columnScales(t.Context(), mat.NewDense(2, 3, []float64{1, 2, -huge, 3, 4, huge}))
	var e *OverflowError
	if !errors.As(err, &e) || e.Col != 2 || !errors.Is(err, blsupdate.ErrOverflow) {
		t.Errorf("the largest and the smallest number: %v", err)
	}
}

func TestScalingOverflows(t *testing.T) {
	const l, d, many = 30, 4, 5000
	x, wide := samples(45, l, d, d), mat.NewDense(many, d, nil)
	for i := range many {
		copy(wide.RawRowView(i), x.RawRowView(i%l))
	}
	times := func(factor float64) *mat.Dense {
		var out mat.Dense
		out.Scale(factor, x)
		return &out
	}
	with := func(m *mat.Dense, i, j int, v float64) *mat.Dense {
		out := gonum.DenseCopyOf(m)
		out.Set(i, j, v)
		return out
	}
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		opt := FeatureOptions{Groups: 2, GroupNodes: 3, EnhancementNodes: 8, Backend: bk}
		check := func(name string, err error, row, col int) {
			t.Helper()
			var e *OverflowError
			if !errors.As(err, &e) || !errors.Is(err, blsupdate.ErrOverflow) || e.Row != row || e.Col != col {
				t.Errorf("%s: %v; want an overflow in row %d, column %d", name, err, row, col)
			}
		}
		opt.Scaling = ScaleColumns
		mustFit(t, times(1e300), opt)
		f := mustFit(t, times(-1.7e308), opt)
		_, err := f.Transform(with(x, 0, 2, math.MaxFloat64))
		check("far from the mean", err, 0, 2)
		_, err = mustFit(t, times(1e-300), opt).Transform(with(x, 8, 1, 1e10))
		check("far from the mean in deviations", err, 8, 1)
		// Rows are counted from the first row of X, not of a panel.
		r := &Regressor{Backend: bk, Features: plain(opt), Method: blsupdate.Improved, Update: blsupdate.Options{Lambda: 1}}
		must(t, r.Fit(times(-1.7e308), targetsFor(x, 1)))
		_, err = r.Predict(with(wide, 4500, 3, math.MaxFloat64))
		check("Predict", err, 4500, 3)
		check("PartialFit", r.PartialFit(with(wide, 4500, 3, math.MaxFloat64), targetsFor(wide, 1)), 4500, 3)

		opt.Scaling = ScaleNone
		_, err = mustFit(t, x, opt).Transform(with(x, 9, 1, math.MaxFloat64))
		if !errors.Is(err, blsupdate.ErrOverflow) {
			t.Errorf("a sample of the largest size: %v", err)
		}
		// A choice has other rows, in another order, and a refit also has the kept rows.
		r = &Regressor{Backend: bk, Features: opt}
		must(t, r.PartialFit(x, targetsFor(x, 1)))
		check("PartialFit", r.PartialFit(with(wide, 4490, 1, 1e160), targetsFor(wide, 1)), 4490, -1)
		check("PartialFit of few", r.PartialFit(with(x, 9, 1, 1e160), targetsFor(x, 1)), 9, -1)
		err = moved(&OverflowError{Row: 39}, func(row int) int { return row - 60 })
		if !strings.Contains(err.Error(), "of kept sample 39") {
			t.Error(err)
		}
		for _, opt.GroupNodes = range []int{1, 3} {
			for _, size := range []float64{1e155, 1e300, math.MaxFloat64} {
				_, err := FitFeatures(times(size), opt)
				if size == math.MaxFloat64 {
					check("the largest samples", err, -1, -1)
				} else if err != nil && !isA(err, new(*OverflowError)) {
					t.Errorf("samples of size %g: %v", size, err)
				}
			}
		}
	})
}

// The names of options are parsed without regard to case.
func TestParse(t *testing.T) {
	for _, s := range []Scaling{ScaleAuto, ScaleSamples, ScaleColumns, ScaleNone, ScaleRanks} {
		for _, name := range []string{s.String(), strings.ToUpper(s.String())} {
			if got, err := ParseScaling(name); got != s || err != nil {
				t.Errorf("%s: %v, %v", name, got, err)
			}
		}
	}
	for _, w := range []ClassWeight{Unweighted, Balanced} {
		if got, err := ParseClassWeight(w.String()); got != w || err != nil {
			t.Errorf("%v: %v, %v", w, got, err)
		}
	}
	if _, err := ParseScaling("rows"); err == nil || Scaling(7).String() != "Scaling(7)" || Uniform.String() != "uniform" {
		t.Errorf("rows: %v, and %v", err, Scaling(7))
	}
}
