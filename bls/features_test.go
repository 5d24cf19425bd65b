package bls

import (
	"math"
	"testing"

	"blskernel"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// reference is Algorithm 1 step by step on whole matrices, with the random numbers of this package
// and none of its other code above a row. It returns A for x by the settings of train.
func reference(t *testing.T, bk blskernel.Backend, train, x *mat.Dense, opt FeatureOptions) *mat.Dense {
	t.Helper()
	opt, err := opt.resolve()
	must(t, err)
	h1 := func(x *mat.Dense) *mat.Dense {
		l, d := x.Dims()
		h := mat.NewDense(l, d+1, nil)
		for i := range l {
			standardizeRow(h.RawRowView(i)[:d], x.RawRowView(i))
			h.Set(i, d, 0.1)
		}
		return h
	}
	ht, hx := h1(train), h1(x)
	_, d1 := ht.Dims()
	n1, n := opt.GroupNodes, opt.Groups*opt.GroupNodes
	lt, _ := train.Dims()
	lx, _ := x.Dims()
	zt, zx := mat.NewDense(lt, n+1, nil), mat.NewDense(lx, n+1, nil)
	for g := range opt.Groups {
		we := mat.NewDense(d1, n1, nil)
		uniform(stream(opt.Seed, forGroup, g), d1, n1, we.RawMatrix().Data, n1)
		a1 := product(ht, we)
		for i := range lt {
			row := a1.RawRowView(i)
			lo, hi := gonum.Min(a1.Slice(i, i+1, 0, n1)), gonum.Max(a1.Slice(i, i+1, 0, n1))
			if hi > lo {
				for j, v := range row {
					row[j] = 2*(v-lo)/(hi-lo) - 1
				}
			}
		}
		beta := gonum.DenseCopyOf(naiveADMM(product(a1.T(), a1), product(a1.T(), ht), 50).T())
		tt, tx := product(ht, beta), product(hx, beta)
		for j := range n1 {
			col := tt.Slice(0, lt, j, j+1)
			lo, hi := gonum.Min(col), gonum.Max(col)
			for i := range lt {
				zt.Set(i, g*n1+j, scaled(tt.At(i, j), lo, hi))
			}
			for i := range lx {
				zx.Set(i, g*n1+j, scaled(tx.At(i, j), lo, hi))
			}
		}
	}
	for i := range lt {
		zt.Set(i, n, 0.1)
	}
	for i := range lx {
		zx.Set(i, n, 0.1)
	}
	n3 := opt.EnhancementNodes
	a := mat.NewDense(lx, n+n3, nil)
	a.Copy(zx.Slice(0, lx, 0, n))
	if n3 == 0 {
		return a
	}
	wh, err := drawEnhancement(t.Context(), bk, n, n3, opt.Enhancement, opt.Seed)
	must(t, err)
	scale := 1.0
	if !opt.Unscaled {
		scale = opt.Shrink / gonum.Max(product(zt, wh))
	}
	h := product(zx, wh)
	for i := range lx {
		for j := range n3 {
			// tansig as the authors of the method write it.
			a.Set(i, n+j, 2/(1+math.Exp(-2*scale*h.At(i, j)))-1)
		}
	}
	return a
}

// scaled maps [lo, hi] to [0,1]. A range of 1e-12 or less occurs here only where all values are
// equal but for rounding.
func scaled(v, lo, hi float64) float64 {
	if !(hi-lo > 1e-12) {
		return v
	}
	return (v - lo) / (hi - lo)
}

// The products differ from those of the reference in the order of their sums, by some (d+1) eps
// times the sizes of their terms. The autoencoder multiplies that by at most the condition number
// of A1ᵀA1 + I, below 1e3 in the first cases, and the scaling to [0,1] by 1 over the range of a node,
// above 0.1: 1e4·(d+1)·eps. Of many rows, and where samples are constant or few, it is larger.
//
// New samples are mapped by the settings of the first ones, and a row by itself as among others.
func TestTransformAgainstReference(t *testing.T) {
	constant := samples(1, 20, 6, 6)
	for j := range 6 {
		constant.Set(3, j, 0.1)
		constant.Set(11, j, 0)
	}
	of := func(l, d int) *mat.Dense { return samples(7, l, d, d+l%3) }
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, test := range []struct {
			x   *mat.Dense
			tol float64 // 0 for that of the comment
			opt FeatureOptions
		}{
			{of(50, 20), 0, FeatureOptions{Groups: 3, GroupNodes: 4, EnhancementNodes: 7, Seed: 1}},
			{of(50, 20), 0, FeatureOptions{Groups: 3, GroupNodes: 4, EnhancementNodes: 12, Seed: 2}},
			{of(33, 9), 0, FeatureOptions{Groups: 2, GroupNodes: 3, EnhancementNodes: 40, Seed: 3, Shrink: 0.5}},
			{of(33, 9), 0, FeatureOptions{Groups: 2, GroupNodes: 3, EnhancementNodes: 40, Seed: 3, Enhancement: Uniform}},
			{of(33, 9), 0, FeatureOptions{Groups: 2, GroupNodes: 3, EnhancementNodes: 5, Seed: 3, Enhancement: Uniform, Unscaled: true}},
			{of(40, 12), 0, FeatureOptions{Groups: 4, GroupNodes: 3, Seed: 4}},
			{of(20, 5), 0, FeatureOptions{Groups: 1, GroupNodes: 1, EnhancementNodes: 20, Seed: 5}},
			// More rows than two panels of any kind, so that all sums and extrema run over
			// panels, and wide enough for two threads. Three nodes a group: the rows of A1 of two
			// are all (1, -1) or (-1, 1).
			{of(2*4096+5, 4), 1e-9, FeatureOptions{Groups: 2, GroupNodes: 3, EnhancementNodes: 3, Seed: 1}},
			{constant, 1e-10, FeatureOptions{Groups: 2, GroupNodes: 3, EnhancementNodes: 8}},
			{mat.NewDense(5, 6, nil), 1e-10, FeatureOptions{Groups: 2, GroupNodes: 3, EnhancementNodes: 8}},
			{of(1, 6), 1e-10, FeatureOptions{Groups: 2, GroupNodes: 3, EnhancementNodes: 20}},
			{of(9, 1), 1e-10, FeatureOptions{Groups: 2, GroupNodes: 3, EnhancementNodes: 20}},
			{of(1, 1), 1e-10, FeatureOptions{Groups: 2, GroupNodes: 3, EnhancementNodes: 20}},
			{of(9, 4), 1e-10, FeatureOptions{Groups: 1, GroupNodes: 1}},
			{of(9, 4), 1e-10, FeatureOptions{Groups: 1, GroupNodes: 1, EnhancementNodes: 1, Unscaled: true}},
			{of(9, 4), 1e-10, FeatureOptions{Groups: 1, GroupNodes: 12, EnhancementNodes: 5}},
			{of(9, 4), 1e-10, FeatureOptions{}},
		} {
			opt := test.opt
			opt.Backend = bk
			l, d := test.x.Dims()
			tol := test.tol
			if tol == 0 {
				tol = 1e4 * float64(d+1) * eps
			}
			f, a, err := FitTransformFeatures(test.x, opt)
			must(t, err)
			fresh := samples(8, l%4096+3, d, d+1)
			for name, m := range map[string]*mat.Dense{"training set": test.x, "new samples": fresh} {
				if e := maxDiff(t, mustTransform(t, f, m), reference(t, bk, test.x, m, opt)); !(e <= tol) {
					t.Errorf("%+v: %s: A is off by %g, more than %g", test.opt, name, e, tol)
				}
			}
			if e := maxDiff(t, a, mustTransform(t, f, test.x)); !(e <= 1e-14) {
				t.Errorf("%+v: FitTransformFeatures and Transform differ by %g", test.opt, e)
			}
			rest := 100 * float64(d+1+f.FeatureNodes()) * eps // inner products in another order
			if bk.Name() == "pure" {
				rest = 0
			}
			if e := maxDiff(t, mustTransform(t, f, rowsOf(test.x, l/2, l)), rowsOf(mustTransform(t, f, test.x), l/2, l)); !(e <= rest) {
				t.Errorf("%+v: half of the rows alone differ by %g", test.opt, e)
			}
			opt, _ = opt.resolve()
			n := opt.Groups * opt.GroupNodes
			if f.Inputs() != d || f.FeatureNodes() != n || f.EnhancementNodes() != opt.EnhancementNodes || f.Nodes() != n+opt.EnhancementNodes {
				t.Errorf("%+v: %d inputs, %d + %d = %d nodes", opt, f.Inputs(), f.FeatureNodes(), f.EnhancementNodes(), f.Nodes())
			}
		}
	})
}

// Results are to the bit the same for every number of threads where the backend's Dgemm's are, as
// those of pure are. The matrices are large enough for every loop to be divided.
func TestThreads(t *testing.T) {
	defer blskernel.SetThreads(0)
	bk, err := blskernel.Lookup("pure")
	must(t, err)
	x := samples(6, 1500, 40, 40)
	opt := FeatureOptions{Groups: 4, GroupNodes: 5, EnhancementNodes: 60, Seed: 1, Backend: bk}
	var want *mat.Dense
	for _, n := range []int{1, 2, 8} {
		blskernel.SetThreads(n)
		f, a, err := FitTransformFeatures(x, opt)
		must(t, err)
		if want == nil {
			want = a
		}
		if !gonum.Equal(a, want) || !gonum.Equal(mustTransform(t, f, x), want) {
			t.Errorf("%d threads: another result", n)
		}
	}
}

// byMaps computes A as the comment of FeatureMaps says.
func byMaps(m FeatureMaps, x *mat.Dense) *mat.Dense {
	l, d := x.Dims()
	h1 := mat.NewDense(l, d+1, nil)
	for i := range l {
		row := x.RawRowView(i)
		switch m.Scaling {
		case ScaleSamples:
			standardizeRow(h1.RawRowView(i)[:d], row)
		case ScaleColumns:
			for j, v := range row {
				h1.Set(i, j, (v-m.Means[j])/m.Deviations[j])
			}
		default:
			copy(h1.RawRowView(i), row)
		}
		h1.Set(i, d, m.Bias)
	}
	z := product(h1, m.FeatureWeights)
	z.Apply(func(_, j int, v float64) float64 { return (v - m.FeatureMinimum[j]) / m.FeatureRange[j] }, z)
	if m.EnhancementWeights == nil {
		return z
	}
	bias := mat.NewDense(l, 1, nil)
	bias.Apply(func(_, _ int, _ float64) float64 { return m.Bias }, bias)
	var h2, a mat.Dense
	h2.Augment(z, bias)
	h := product(&h2, m.EnhancementWeights)
	h.Apply(func(_, _ int, v float64) float64 { return math.Tanh(m.EnhancementScale * v) }, h)
	a.Augment(z, h)
	return &a
}

// Sums in another order differ by (d+1) eps times their terms, which the weights, below 100, and the
// ranges, above 0.01, multiply; the bound has a factor 1e4 for both.
func TestMaps(t *testing.T) {
	const l, d = 60, 7
	x := samples(51, l, d, d)
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, opt := range []FeatureOptions{
			{Groups: 2, GroupNodes: 3, EnhancementNodes: 9},
			{Scaling: ScaleColumns, Groups: 2, GroupNodes: 3, EnhancementNodes: 9, Enhancement: Uniform},
			{Scaling: ScaleNone, Groups: 2, GroupNodes: 3, EnhancementNodes: 9, Unscaled: true},
			{Scaling: ScaleColumns, Groups: 3, GroupNodes: 2},
			{Groups: 1, GroupNodes: 1},
		} {
			opt.Seed, opt.Backend = 3, bk
			f := mustFit(t, x, opt)
			m := f.Maps()
			want := mustTransform(t, f, x)
			if e := maxDiff(t, byMaps(m, x), want); !(e <= 1e4*(d+1)*eps) {
				t.Errorf("%+v: off by %g", opt, e)
			}
			// They are copies.
			m.FeatureWeights.Zero()
			clear(m.FeatureMinimum)
			clear(m.FeatureRange)
			clear(m.Means)
			clear(m.Deviations)
			if m.EnhancementWeights != nil {
				m.EnhancementWeights.Zero()
			}
			if !gonum.Equal(mustTransform(t, f, x), want) {
				t.Errorf("%+v: Maps gave away the numbers themselves", opt)
			}

			resolved := f.Options()
			g := mustFit(t, x, resolved)
			if g.Options() != resolved || !gonum.Equal(mustTransform(t, g, x), want) {
				t.Errorf("%+v: Options returns %+v, which give other maps", opt, resolved)
			}
			if resolved.Groups == 0 || resolved.Backend == nil || resolved.Unscaled != opt.Unscaled || resolved.Scaling != max(ScaleSamples, opt.Scaling) || resolved.Seed != opt.Seed {
				t.Errorf("%+v: Options returns %+v", opt, resolved)
			}
		}
	})
}
