package bls

import (
	"context"
	"errors"
	"math"
	"slices"

	"blskernel/blsupdate"
	"blskernel/internal/interrupt"
	"blskernel/internal/memory"
	"blskernel/lapack"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// A grid has the nodes of the rows of folds for one setting of the features except Shrink.
type grid struct {
	*folds
	features *Features
	base     float64    // the scale of the features for Shrink 1
	a        *mat.Dense // m×k, with the column of ones of an intercept
}

// checkMemory returns a *MemoryError unless there is memory for a search with the features: for the
// maps, the nodes with a copy, and the normal equations of each fold, of the others of each that is
// held out, and of the same while they are solved.
func (f *folds) checkMemory(opt FeatureOptions) error {
	opt = bounded(opt, f.most)
	m, d := f.x.Dims()
	_, c := f.y.Dims()
	n, n3 := opt.Groups*opt.GroupNodes, opt.EnhancementNodes
	k := n + n3
	if f.s.intercept {
		k++
	}
	need := memory.Sum(mapsBytes(d, n, n3), memory.Floats(2, m, k))
	for range choiceFolds + 2*(choiceFolds-f.held) {
		need = memory.Sum(need, memory.Triangle(k), memory.Floats(k, c))
	}
	const do = "take fewer nodes, fewer flops for Tune, or set Shrink and Lambda and not Validate, by which nothing is left to choose"
	return memory.Check(need, "bls", do, "a choice with %d nodes by %d samples", k, m)
}

// newGrid fits feature maps to the rows and computes the feature nodes.
func (f *folds) newGrid(ctx context.Context, opt FeatureOptions) (*grid, error) {
	if !opt.Unscaled {
		opt.Shrink = 1
	}
	features, z, err := fit(ctx, f.x, opt, true)
	if err != nil {
		return nil, err
	}
	m, k := z.Dims()
	g := &grid{folds: f, features: features, base: features.scale, a: z}
	if f.s.intercept {
		g.a = newNodes(m, k+1)
		g.a.Slice(0, m, 0, k).(*mat.Dense).Copy(z)
		for i := range m {
			g.a.Set(i, k, 1)
		}
	}
	return g, nil
}

// A path has the normal equations of a grid for one Shrink: for each fold that is held out those of
// the others. They serve every lambda.
type path struct {
	*grid
	opt  FeatureOptions
	gram []*mat.SymPacked
	t    []*mat.Dense
}

// newPath computes the nodes for the shrink, which the path shares with the grid, and the normal
// equations.
func (g *grid) newPath(ctx context.Context, shrink float64) (*path, error) {
	m, k := g.a.Dims()
	p := &path{grid: g, opt: g.features.opt}
	p.opt.Shrink = shrink
	if n3 := g.features.EnhancementNodes(); n3 > 0 && !p.opt.Unscaled {
		g.features.scale = shrink * g.base
		if err := g.features.appendEnhanced(ctx, g.a.Slice(0, m, 0, g.features.Nodes()).(*mat.Dense)); err != nil {
			return nil, err
		}
	}
	_, c := g.y.Dims()
	const n = choiceFolds
	gram, t := make([]*mat.SymPacked, n), make([]*mat.Dense, n)
	for fold := range n {
		if fold == g.held && g.held == n-1 {
			break // it is in no sum
		}
		a, y := g.weighted(g.ends[fold], g.ends[fold+1])
		gram[fold], t[fold] = mat.NewSymPacked(k, nil), mat.NewDense(k, c, nil)
		mat.SymOuterK(g.s.backend, gram[fold], 1, a, true)
		mat.MulTrans(g.s.backend, t[fold], a, true, y, false)
	}
	for held := g.held; held < n; held++ {
		sum, cross := mat.NewSymPacked(k, nil), mat.NewDense(k, c, nil)
		for fold := range n {
			if fold != held {
				total := sum.RawSymPacked().Data
				for i, v := range gram[fold].RawSymPacked().Data {
					total[i] += v
				}
				cross.Add(cross, t[fold])
			}
		}
		p.gram, p.t = append(p.gram, sum), append(p.t, cross)
	}
	return p, interrupt.Check(ctx)
}

// weighted returns the nodes and targets of some rows, times the roots of their weights.
func (g *grid) weighted(from, to int) (a, y *mat.Dense) {
	_, k := g.a.Dims()
	_, c := g.y.Dims()
	a, y = g.a.Slice(from, to, 0, k).(*mat.Dense), g.y.Slice(from, to, 0, c).(*mat.Dense)
	if g.weights == nil {
		return a, y
	}
	a, y = gonum.DenseCopyOf(a), gonum.DenseCopyOf(y)
	for i, w := range g.weights[from:to] {
		root := math.Sqrt(w)
		for _, row := range [][]float64{a.RawRowView(i), y.RawRowView(i)} {
			for j := range row {
				row[j] *= root
			}
		}
	}
	return a, y
}

// at returns the candidate of a lambda, with an infinite loss where the normal equations have no
// solution in rounded numbers. The folds are solved at once, each by itself.
func (p *path) at(lambda float64) *candidate {
	m, k := p.a.Dims()
	_, cols := p.y.Dims()
	c := &candidate{features: p.opt, method: blsupdate.Gram, lambda: lambda, scores: mat.NewDense(m, cols, nil)}
	errs := make([]error, len(p.gram))
	parallelRows(len(p.gram), k*k, func(from, to int) {
		for i := from; i < to; i++ {
			errs[i] = p.solve(c, i)
		}
	})
	p.measure(c, p.held)
	if errors.Join(errs...) != nil || math.IsNaN(c.loss) {
		c.loss = math.Inf(1)
	}
	return c
}

// solve computes the scores of the fold that is held out as number i.
func (p *path) solve(c *candidate, i int) error {
	_, k := p.a.Dims()
	_, cols := p.y.Dims()
	s := mat.NewSymPacked(k, slices.Clone(p.gram[i].RawSymPacked().Data))
	s.AddDiagonal(c.lambda)
	factor := lapack.Cholesky{Backend: p.s.backend}
	if err := factor.FactorizeInPlace(s); err != nil {
		return err
	}
	var w mat.Dense
	if err := factor.SolveTo(&w, p.t[i]); err != nil {
		return err
	}
	from, to := p.ends[p.held+i], p.ends[p.held+i+1]
	mat.Mul(p.s.backend, c.scores.Slice(from, to, 0, cols).(*mat.Dense), p.a.Slice(from, to, 0, k).(*mat.Dense), &w)
	return nil
}
