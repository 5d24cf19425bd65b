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
// of A1ᵀA1 + I, below 1e3 here, and the scaling to [0,1] by 1 over the range of a node, above 0.1:
// 1e4·(d+1)·eps.
func TestTransformAgainstReference(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, test := range []struct {
			l, d, stride int
			opt          FeatureOptions
		}{
			{50, 20, 20, FeatureOptions{Groups: 3, GroupNodes: 4, EnhancementNodes: 7, Seed: 1}},
			{50, 20, 23, FeatureOptions{Groups: 3, GroupNodes: 4, EnhancementNodes: 12, Seed: 2}},
			{33, 9, 9, FeatureOptions{Groups: 2, GroupNodes: 3, EnhancementNodes: 40, Seed: 3, Shrink: 0.5}},
			{33, 9, 9, FeatureOptions{Groups: 2, GroupNodes: 3, EnhancementNodes: 40, Seed: 3, Enhancement: Uniform}},
			{33, 9, 9, FeatureOptions{Groups: 2, GroupNodes: 3, EnhancementNodes: 5, Seed: 3, Enhancement: Uniform, Unscaled: true}},
			{40, 12, 12, FeatureOptions{Groups: 4, GroupNodes: 3, Seed: 4}},
			{20, 5, 6, FeatureOptions{Groups: 1, GroupNodes: 1, EnhancementNodes: 20, Seed: 5}},
		} {
			x := samples(7, test.l, test.d, test.stride)
			fresh := samples(8, test.l+3, test.d, test.stride+1)
			opt := test.opt
			opt.Backend = bk
			f := mustFit(t, x, opt)
			tol := 1e4 * float64(test.d+1) * eps
			for name, m := range map[string]*mat.Dense{"training set": x, "new samples": fresh} {
				if e := maxDiff(t, mustTransform(t, f, m), reference(t, bk, x, m, opt)); !(e <= tol) {
					t.Errorf("%+v: %s: A is off by %g, more than %g", test.opt, name, e, tol)
				}
			}
		}
	})
}

// More rows than two panels of any kind, so that all sums and extrema run over panels.
func TestPanels(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		const l, d = 2*4096 + 5, 4
		x := samples(1, l, d, d)
		// Three nodes a group: the rows of A1 of two are all (1, -1) or (-1, 1).
		opt := FeatureOptions{Groups: 2, GroupNodes: 3, EnhancementNodes: 3, Seed: 1, Backend: bk}
		f, a, err := FitTransformFeatures(x, opt)
		must(t, err)
		// The Gram matrix now has a condition number up to l·n1.
		if e := maxDiff(t, a, reference(t, bk, x, x, opt)); !(e <= 1e-9) {
			t.Errorf("A is off by %g", e)
		}
		if e := maxDiff(t, a, mustTransform(t, f, x)); !(e <= 1e-14) {
			t.Errorf("FitTransformFeatures and Transform differ by %g", e)
		}
		for j := range f.FeatureNodes() {
			col := a.Slice(0, l, j, j+1)
			if lo, hi := gonum.Min(col), gonum.Max(col); !(math.Abs(lo) <= 4*eps && math.Abs(hi-1) <= 4*eps) {
				t.Errorf("node %d has the range [%v, %v]", j, lo, hi)
			}
		}
	})
}

// The largest enhancement node of the first set is tanh(s); its input has relative error 2 eps from
// the scale, and the product may differ between the fit and Transform, by (N+1) eps. New samples
// may be larger, and go outside [0,1] in Z.
func TestScaleIsFrozen(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		const l, d = 60, 10
		x := samples(2, l, d, d)
		for _, n3 := range []int{5, 50} {
			for _, s := range []float64{0, 0.3, 2} {
				opt := FeatureOptions{Groups: 3, GroupNodes: 4, EnhancementNodes: n3, Shrink: s, Seed: 9, Backend: bk}
				f := mustFit(t, x, opt)
				a := mustTransform(t, f, x)
				n := f.FeatureNodes()
				want := math.Tanh(s)
				if s == 0 {
					want = math.Tanh(0.8)
				}
				if got := gonum.Max(a.Slice(0, l, n, f.Nodes())); !(math.Abs(got-want) <= 20*float64(n)*eps) {
					t.Errorf("n3=%d s=%g: largest H is %v, want %v", n3, s, got, want)
				}
				fresh := samples(3, 500, d, d)
				b := mustTransform(t, f, fresh)
				if lo, hi := gonum.Min(b.Slice(0, 500, 0, n)), gonum.Max(b.Slice(0, 500, 0, n)); !(lo < 0 && hi > 1) {
					t.Errorf("Z of new samples is in [%v, %v]: clipped, or scaled anew", lo, hi)
				}
				// That call has changed nothing.
				if e := maxDiff(t, a, mustTransform(t, f, x)); !(e <= 1e-14) {
					t.Errorf("Transform changed the maps, by %g", e)
				}
			}
		}
	})
}

func TestSeeds(t *testing.T) {
	x := samples(4, 50, 8, 8)
	opt := FeatureOptions{Groups: 2, GroupNodes: 3, EnhancementNodes: 5}
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		opt.Backend = bk
		var seen []*mat.Dense
		for _, seed := range []uint64{0, 1, 2, 1 << 63, math.MaxUint64} {
			opt.Seed = seed
			f, g := mustFit(t, x, opt), mustFit(t, x, opt)
			if !gonum.Equal(f.weights, g.weights) || !gonum.Equal(f.enhancement, g.enhancement) || f.scale != g.scale {
				t.Errorf("seed %d: two fits differ", seed)
			}
			for _, w := range seen {
				if !(maxDiff(t, w, f.enhancement) > 0.1) {
					t.Errorf("seed %d: the weights of another seed", seed)
				}
			}
			seen = append(seen, f.enhancement)
		}
	})
}

// Groups and enhancement nodes draw from generators of their own.
func TestGroupsAreIndependent(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		x := samples(5, 60, 8, 8)
		few := mustFit(t, x, FeatureOptions{Groups: 2, GroupNodes: 3, EnhancementNodes: 4, Seed: 6, Backend: bk})
		many := mustFit(t, x, FeatureOptions{Groups: 5, GroupNodes: 3, EnhancementNodes: 9, Seed: 6, Backend: bk})
		const n = 6
		tol := 1e4 * 9 * eps // as in TestTransformAgainstReference
		if bk.Name() == "pure" {
			tol = 0 // an element of its Dgemm is the same sum in the same order for every number of columns
		}
		za := mustTransform(t, few, x).Slice(0, 60, 0, n).(*mat.Dense)
		zb := mustTransform(t, many, x).Slice(0, 60, 0, n).(*mat.Dense)
		if e := maxDiff(t, za, zb); !(e <= tol) {
			t.Errorf("three more groups changed the first two, by %g", e)
		}
		other := mustTransform(t, many, x).Slice(0, 60, 3, 3+n).(*mat.Dense)
		if !(maxDiff(t, za, other) > 0.01) {
			t.Error("two groups are the same")
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
	for _, n := range []int{1, 2, 3, 8} {
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

// A row of A is a function of the same row of X.
func TestRowsAreIndependent(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		const l = 300
		x := samples(7, l, 100, 100)
		f := mustFit(t, x, FeatureOptions{EnhancementNodes: 130, Seed: 2, Backend: bk})
		a := mustTransform(t, f, x)
		tol := 100 * 101 * eps // inner products of length d+1 and N+1 in another order
		if bk.Name() == "pure" {
			tol = 0
		}
		for _, part := range [][2]int{{0, 1}, {17, 18}, {5, 130}, {l - 2, l}} {
			got := mustTransform(t, f, x.Slice(part[0], part[1], 0, 100).(*mat.Dense))
			if e := maxDiff(t, got, a.Slice(part[0], part[1], 0, f.Nodes()).(*mat.Dense)); !(e <= tol) {
				t.Errorf("rows %d to %d alone differ by %g", part[0], part[1], e)
			}
		}
	})
}

func TestEdges(t *testing.T) {
	constant := samples(1, 20, 6, 6)
	for j := range 6 {
		constant.Set(3, j, 0.1)
		constant.Set(11, j, 0)
	}
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, test := range []struct {
			name string
			x    *mat.Dense
			opt  FeatureOptions
		}{
			{"constant images", constant, FeatureOptions{Groups: 2, GroupNodes: 3, EnhancementNodes: 8}},
			{"only constant images", mat.NewDense(5, 6, nil), FeatureOptions{Groups: 2, GroupNodes: 3, EnhancementNodes: 8}},
			{"one sample", samples(1, 1, 6, 6), FeatureOptions{Groups: 2, GroupNodes: 3, EnhancementNodes: 20}},
			{"one feature", samples(1, 9, 1, 1), FeatureOptions{Groups: 2, GroupNodes: 3, EnhancementNodes: 20}},
			{"one sample of one feature", samples(1, 1, 1, 1), FeatureOptions{Groups: 2, GroupNodes: 3, EnhancementNodes: 20}},
			{"one node", samples(1, 9, 4, 4), FeatureOptions{Groups: 1, GroupNodes: 1}},
			{"one and one node", samples(1, 9, 4, 4), FeatureOptions{Groups: 1, GroupNodes: 1, EnhancementNodes: 1, Unscaled: true}},
			{"more nodes of a group than inputs", samples(1, 9, 4, 4), FeatureOptions{Groups: 1, GroupNodes: 12, EnhancementNodes: 5}},
			{"defaults", samples(1, 9, 4, 4), FeatureOptions{}},
		} {
			test.opt.Backend = bk
			test.opt.Seed = 1
			f, a, err := FitTransformFeatures(test.x, test.opt)
			if err != nil {
				t.Errorf("%s: %v", test.name, err)
				continue
			}
			_, d := test.x.Dims()
			opt, _ := test.opt.resolve()
			n := opt.Groups * opt.GroupNodes
			if f.Inputs() != d || f.FeatureNodes() != n || f.EnhancementNodes() != opt.EnhancementNodes || f.Nodes() != n+opt.EnhancementNodes {
				t.Errorf("%s: %d inputs, %d + %d = %d nodes", test.name, f.Inputs(), f.FeatureNodes(), f.EnhancementNodes(), f.Nodes())
			}
			if at := firstNotFinite(a); at >= 0 {
				t.Fatalf("%s: row %d of A is not finite", test.name, at)
			}
			if e := maxDiff(t, a, reference(t, bk, test.x, test.x, test.opt)); !(e <= 1e-10) {
				t.Errorf("%s: A is off by %g", test.name, e)
			}
		}
	})
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
