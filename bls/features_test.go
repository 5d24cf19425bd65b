package bls

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/faults"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// hidden returns H1 of the samples, with the scaling of the maps.
func hidden(m FeatureMaps, x *mat.Dense) *mat.Dense {
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
	return h1
}

// byMaps computes A as described in the comment on FeatureMaps.
func byMaps(m FeatureMaps, x *mat.Dense) *mat.Dense {
	z := product(hidden(m, x), m.FeatureWeights)
	z.Apply(func(_, j int, v float64) float64 { return (v - m.FeatureMinimum[j]) / m.FeatureRange[j] }, z)
	if m.EnhancementWeights == nil {
		return z
	}
	h := product(withBias(m, z), m.EnhancementWeights)
	// tansig as the authors of the method write it.
	h.Apply(func(_, _ int, v float64) float64 { return 2/(1+math.Exp(-2*m.EnhancementScale*v)) - 1 }, h)
	var a mat.Dense
	a.Augment(z, h)
	return &a
}

// withBias returns [Z, 0.1].
func withBias(m FeatureMaps, z *mat.Dense) *mat.Dense {
	l, _ := z.Dims()
	bias := mat.NewDense(l, 1, nil)
	bias.Apply(func(_, _ int, _ float64) float64 { return m.Bias }, bias)
	var h2 mat.Dense
	h2.Augment(z, bias)
	return &h2
}

// reference fits maps by Algorithm 1 step by step on whole matrices. It uses the random numbers and the
// scaling of this package, and none of its other code above a row.
func reference(t *testing.T, bk blskernel.Backend, x *mat.Dense, opt FeatureOptions) FeatureMaps {
	t.Helper()
	opt, err := opt.resolve()
	must(t, err)
	n1, n := opt.GroupNodes, opt.Groups*opt.GroupNodes
	l, d := x.Dims()
	m := FeatureMaps{Scaling: opt.Scaling, Bias: 0.1, FeatureWeights: mat.NewDense(d+1, n, nil),
		FeatureMinimum: make([]float64, n), FeatureRange: make([]float64, n), EnhancementScale: 1}
	if opt.Scaling == ScaleColumns {
		m.Means, m.Deviations, err = columnScales(t.Context(), x)
		must(t, err)
	}
	h := hidden(m, x)
	for g := range opt.Groups {
		we := mat.NewDense(d+1, n1, nil)
		uniform(stream(opt.Seed, forGroup, g), d+1, n1, we.RawMatrix().Data, n1)
		a1 := product(h, we)
		for i := range l {
			row := a1.RawRowView(i)
			if lo, hi := slices.Min(row), slices.Max(row); hi > lo {
				for j, v := range row {
					row[j] = 2*(v-lo)/(hi-lo) - 1
				}
			}
		}
		beta := gonum.DenseCopyOf(naiveADMM(product(a1.T(), a1), product(a1.T(), h), 50).T())
		m.FeatureWeights.Slice(0, d+1, g*n1, (g+1)*n1).(*mat.Dense).Copy(beta)
	}
	z := product(h, m.FeatureWeights)
	for j := range n {
		col := z.Slice(0, l, j, j+1)
		lo, hi := gonum.Min(col), gonum.Max(col)
		// 1e-12 or less occurs here only where all values are equal but for rounding.
		if m.FeatureMinimum[j], m.FeatureRange[j] = lo, hi-lo; !(hi-lo > 1e-12) {
			m.FeatureMinimum[j], m.FeatureRange[j] = 0, 1
		}
	}
	if opt.EnhancementNodes == 0 {
		return m
	}
	z = byMaps(m, x)
	m.EnhancementWeights, err = drawEnhancement(t.Context(), bk, n, opt.EnhancementNodes, opt.Enhancement, opt.Seed)
	must(t, err)
	if !opt.Unscaled {
		m.EnhancementScale = opt.Shrink / gonum.Max(product(withBias(m, z), m.EnhancementWeights))
	}
	return m
}

// The products differ from the reference in the order of their sums, by some (d+1) eps times the sizes
// of their terms. The autoencoder multiplies this by at most the condition number of A1ᵀA1 + I, below
// 1e3 in the first cases, and the scaling to [0,1] by 1 over the range of a node, above 0.1:
// 1e4·(d+1)·eps. With many rows, or constant or few samples, the error is larger.
//
// New samples are mapped with the settings of the first ones, and a row alone as among others.
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
			tol float64 // 0 for the bound of the comment
			opt FeatureOptions
		}{
			{of(50, 20), 0, FeatureOptions{Groups: 3, GroupNodes: 4, EnhancementNodes: 7, Seed: 1}},
			{of(50, 20), 0, FeatureOptions{Groups: 3, GroupNodes: 4, EnhancementNodes: 12, Seed: 2}},
			{of(60, 7), 0, FeatureOptions{Scaling: ScaleColumns, Groups: 2, GroupNodes: 3, EnhancementNodes: 9, Seed: 3, Enhancement: Uniform}},
			{of(60, 7), 0, FeatureOptions{Scaling: ScaleNone, Groups: 2, GroupNodes: 3, EnhancementNodes: 9, Seed: 3, Unscaled: true}},
			{of(33, 9), 0, FeatureOptions{Groups: 2, GroupNodes: 3, EnhancementNodes: 40, Seed: 3, Shrink: 0.5}},
			{of(33, 9), 0, FeatureOptions{Groups: 2, GroupNodes: 3, EnhancementNodes: 40, Seed: 3, Enhancement: Uniform}},
			{of(33, 9), 0, FeatureOptions{Groups: 2, GroupNodes: 3, EnhancementNodes: 5, Seed: 3, Enhancement: Uniform, Unscaled: true}},
			{of(40, 12), 0, FeatureOptions{Groups: 4, GroupNodes: 3, Seed: 4}},
			{of(20, 5), 0, FeatureOptions{Groups: 1, GroupNodes: 1, EnhancementNodes: 20, Seed: 5}},
			// More rows than two panels of any kind, so that all sums and extrema run over
			// panels, and wide enough for two threads. Three nodes a group: the rows of A1
			// of two are all (1, -1) or (-1, 1).
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
			want := mustTransform(t, f, test.x)
			maps := f.Maps()
			for name, m := range map[string]FeatureMaps{"the reference": reference(t, bk, test.x, opt), "Maps": maps} {
				for _, x := range []*mat.Dense{test.x, samples(8, l%4096+3, d, d+1)} {
					if e := maxDiff(mustTransform(t, f, x), byMaps(m, x)); !(e <= tol) {
						t.Errorf("%+v: A is off by %g from that by %s, more than %g", test.opt, e, name, tol)
					}
				}
			}
			// They are copies.
			maps.FeatureWeights.Zero()
			clear(maps.FeatureMinimum)
			clear(maps.FeatureRange)
			clear(maps.Means)
			clear(maps.Deviations)
			if maps.EnhancementWeights != nil {
				maps.EnhancementWeights.Zero()
			}
			if e := maxDiff(a, want); !(e <= 1e-14) || !gonum.Equal(mustTransform(t, f, test.x), want) {
				t.Errorf("%+v: FitTransformFeatures and Transform differ by %g, or Maps gave away the numbers", test.opt, e)
			}
			rest := 100 * float64(d+1+f.FeatureNodes()) * eps // inner products in another order
			if bk.Name() == "pure" {
				rest = 0
			}
			if e := maxDiff(mustTransform(t, f, rowsOf(test.x, l/2, l)), rowsOf(want, l/2, l)); !(e <= rest) {
				t.Errorf("%+v: half of the rows alone differ by %g", test.opt, e)
			}
			opt, _ = opt.resolve()
			if g := mustFit(t, test.x, f.Options()); f.Options() != opt || g.Options() != opt || !gonum.Equal(mustTransform(t, g, test.x), want) {
				t.Errorf("%+v: Options returns %+v", opt, f.Options())
			}
			b := encoded(t, f)
			g, err := DecodeFeatures(bytes.NewReader(b), bk)
			must(t, err)
			if g.Options() != opt || !gonum.Equal(mustTransform(t, g, test.x), want) || !bytes.Equal(encoded(t, g), b) {
				t.Errorf("%+v: other maps are decoded", opt)
			}
			if err := f.Encode(&faults.Writer{Left: len(b) - 1}); !errors.Is(err, faults.ErrFull) {
				t.Errorf("a full disk: %v", err)
			}
			n := opt.Groups * opt.GroupNodes
			if f.Inputs() != d || f.FeatureNodes() != n || f.EnhancementNodes() != opt.EnhancementNodes || f.Nodes() != n+opt.EnhancementNodes {
				t.Errorf("%+v: %d inputs, %d + %d = %d nodes", opt, f.Inputs(), f.FeatureNodes(), f.EnhancementNodes(), f.Nodes())
			}
		}
	})
}

// Results have the same bits for every number of threads if the results of Dgemm do, as on the backend
// pure. The matrices are large enough for every loop to be divided.
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

func TestNodesInWholeLines(t *testing.T) {
	for k, want := range map[int]int{1: 1, 511: 511, 512: 520, 520: 520, 521: 536, 5100: 5112, 5112: 5112} {
		a := newNodes(3, k)
		if r, c := a.Dims(); r != 3 || c != k || a.RawMatrix().Stride != want {
			t.Errorf("%d nodes: %d×%d, rows %d apart; want %d", k, r, c, a.RawMatrix().Stride, want)
		}
	}
}

// The second half of the rows finds a fault long before the first half does, and the first one counts.
func TestFirstRow(t *testing.T) {
	defer blskernel.SetThreads(0)
	blskernel.SetThreads(2)
	x := mat.NewDense(200000, 3, nil)
	x.Set(99999, 2, math.NaN())
	x.Set(100000, 0, math.NaN())
	var e *NotFiniteError
	if _, err := FitFeatures(x, FeatureOptions{}); !errors.As(err, &e) || e.Row != 99999 || e.Col != 2 {
		t.Errorf("with NaN at (99999,2) and (100000,0): %v", err)
	}
}
