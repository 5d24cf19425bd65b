package bls

import (
	"context"
	"fmt"
	"math"
	"sync"

	"blskernel"
	"blskernel/internal/io/interrupt"
	"blskernel/internal/linalg/workers"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// FitFeatures draws and fine-tunes the feature maps of Algorithm 1 on the samples X, the first training
// set. docs/settings.md has the equations.
//
//	shapes: X l×d, one sample per row, l and d at least 1.
//	reads/writes: reads X three times, six times with ScaleColumns, four times with ScaleRanks.
//	cost: about 4l(d+1)N + n2(2l(d+1)n1 + l n1² + 100 n1²(d+1)) + 2l(N+1)n3 flops.
//	memory: the maps, 8lN bytes for Z, 8ld for S with Direct, and panels of rows of some 10 MB.
//	errors: *OptionError for an option out of range; *ShapeError for X without rows or columns;
//	*NotFiniteError for a NaN or an infinity in X; *MemoryError, before any work; *ScaleError if no
//	input of the enhancement nodes is positive, since s/m needs m > 0; *OverflowError, with
//	ScaleColumns and ScaleNone, if a result overflows.
//	source: Chen and Liu 2018, Algorithm 1, and their code.
func FitFeatures(x *mat.Dense, opt FeatureOptions) (*Features, error) {
	f, _, err := fitUnsupervised(x, opt, false)
	return f, err
}

// FitTransformFeatures is FitFeatures followed by Transform of the same X, but computes Z only once. A
// (l×k) is new storage. It returns the errors of FitFeatures.
func FitTransformFeatures(x *mat.Dense, opt FeatureOptions) (f *Features, a *mat.Dense, err error) {
	return fitUnsupervised(x, opt, true)
}

func fitUnsupervised(x *mat.Dense, opt FeatureOptions, keep bool) (*Features, *mat.Dense, error) {
	if opt.Relevance > 0 {
		return nil, nil, &OptionError{Op: "bls", Option: "Relevance", Value: opt.Relevance, Want: "0 or None, since there are no targets"}
	}
	return fit(context.Background(), x, opt, nil, keep, false)
}

// fit fits the maps, with the columns of S multiplied by the weights in columns; nil stands for ones.
// It returns the maps and the nodes of x, with H only if keep is true. If intercept is true, a column
// of ones follows. It checks ctx before each panel of rows and each iteration of an autoencoder.
func fit(ctx context.Context, x *mat.Dense, opt FeatureOptions, columns []float64, keep, intercept bool) (*Features, *mat.Dense, error) {
	opt, err := opt.resolve()
	if err != nil {
		return nil, nil, err
	}
	if err := checkSamples(x, 0); err != nil {
		return nil, nil, err
	}
	l, d := x.Dims()
	f := &Features{opt: opt, scale: 1}
	n, n3 := opt.Groups*opt.GroupNodes, opt.EnhancementNodes
	nodes := opt.nodes(d)
	if !keep {
		nodes -= n3
	}
	if err := checkMemory(mapsBytes(d, n, n3), l, nodes); err != nil {
		return nil, nil, err
	}
	if n3 > 0 {
		// This comes first, because it is cheap and can fail.
		if f.enhancement, err = drawEnhancement(ctx, opt.Backend, n, n3-opt.steps(), opt.Enhancement, opt.Seed); err != nil {
			return nil, nil, err
		}
	}
	switch opt.Scaling {
	case ScaleColumns:
		f.means, f.deviations, err = columnScales(ctx, x)
	case ScaleRanks:
		f.ranks, err = columnRanks(ctx, x)
	}
	if err != nil {
		return nil, nil, err
	}
	f.weighColumns(columns)
	if f.weights, err = f.fineTune(ctx, x); err != nil {
		return nil, nil, err
	}

	rows := newRows(l, nodes, intercept)
	a := rows.Slice(0, l, 0, nodes).(*mat.Dense)
	z := a.Slice(0, l, 0, n).(*mat.Dense)
	if err := f.project(ctx, a, x); err != nil {
		return nil, nil, err
	}
	if err := f.checkNodes(a.Slice(0, l, 0, opt.nodes(d)-n3).(*mat.Dense)); err != nil {
		return nil, nil, err
	}
	if p := opt.steps(); p > 0 {
		f.steps = drawSteps(opt.Seed, p, a.Slice(0, l, n, n+d).(*mat.Dense), columns)
	}
	f.offset, f.gain = minMaxColumns(z)
	applyMinMax(z, f.offset, f.gain)
	if n3 > 0 && !opt.Unscaled {
		if f.scale, err = f.enhancementScale(ctx, z); err != nil {
			return nil, nil, err
		}
	}
	if keep {
		// Repeat the products with the scale, so that the rows equal the result of Transform.
		if err := f.appendEnhanced(ctx, a); err != nil {
			return nil, nil, err
		}
	}
	if err := f.checkNodes(a); err != nil {
		return nil, nil, err
	}
	return f, rows, nil
}

// fineTune returns the weights of all groups, beta_1 to beta_n2 side by side, (d+1)×N.
//
// The groups differ only in random numbers, so one product with the (d+1)×N random weights and one with
// all A1 replace 2·n2 narrow ones. Products for the autoencoders are summed over panels of rows.
func (f *Features) fineTune(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
	bk, opt := f.opt.Backend, f.opt
	l, d := x.Dims()
	n1, n := opt.GroupNodes, opt.Groups*opt.GroupNodes
	w := mat.NewDense(d+1, n, nil)
	for g := range opt.Groups {
		uniform(stream(opt.Seed, forGroup, g), d+1, n1, w.RawMatrix().Data[g*n1:], n)
	}

	grams := make([]*mat.SymPacked, opt.Groups)
	for g := range grams {
		grams[g] = mat.NewSymPacked(n1, nil)
	}
	cross := mat.NewDense(n, d+1, nil)
	rows := min(l, panelRows(max(d+1, n)))
	h1, a1 := mat.NewDense(rows, d+1, nil), mat.NewDense(rows, n, nil)
	err := interrupt.EachPanel(ctx, l, rows, func(from, to int) error {
		q := to - from
		h, a := h1.Slice(0, q, 0, d+1).(*mat.Dense), a1.Slice(0, q, 0, n).(*mat.Dense)
		if err := f.standardizeTo(h, x, from, to); err != nil {
			return err
		}
		mat.Mul(bk, a, h, w)
		scaleGroups(a, n1)
		rh, ra, rc := h.RawMatrix(), a.RawMatrix(), cross.RawMatrix()
		bk.Dgemm(blas.Trans, blas.NoTrans, n, d+1, q, 1, ra.Data, ra.Stride, rh.Data, rh.Stride, 1,
			rc.Data, rc.Stride)
		for g, gram := range grams {
			blskernel.Packed(bk).Dsprk(blas.Trans, n1, q, 1, ra.Data[g*n1:], ra.Stride, 1, gram.RawSymPacked().Data)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}

	for g, gram := range grams {
		beta, err := autoencoder(ctx, bk, gram, cross.Slice(g*n1, (g+1)*n1, 0, d+1).(*mat.Dense), admmIterations)
		if err != nil {
			return nil, err
		}
		w.Slice(0, d+1, g*n1, (g+1)*n1).(*mat.Dense).Copy(beta.T())
	}
	return w, nil
}

// checkNodes returns an *OverflowError for the first row of nodes that is not finite. It does nothing
// with ScaleSamples, since the nodes then cannot overflow.
func (f *Features) checkNodes(a *mat.Dense) error {
	if f.opt.Scaling == ScaleSamples {
		return nil
	}
	if i := firstNotFinite(a); i >= 0 {
		return &OverflowError{What: "the nodes", Row: i, Col: -1}
	}
	return nil
}

// scaleGroups scales the n1 elements of each group, in every row of a, to [-1,1] as scaleRow does.
func scaleGroups(a *mat.Dense, n1 int) {
	rows, n := a.Dims()
	raw := a.RawMatrix()
	workers.Default.Rows(rows, n, func(from, to int) {
		for i := from; i < to; i++ {
			for j := 0; j < n; j += n1 {
				scaleRow(raw.Data[i*raw.Stride+j : i*raw.Stride+j+n1])
			}
		}
	})
}

// enhancementScale returns s/m for the feature nodes z of the first training set. It returns an error
// unless m is positive and finite, and s/m is finite.
func (f *Features) enhancementScale(ctx context.Context, z *mat.Dense) (float64, error) {
	largest, err := f.largestInput(ctx, z)
	switch {
	case err != nil:
		return 0, err
	case math.IsNaN(largest - largest):
		return 0, &OverflowError{What: "the input of the enhancement nodes", Row: -1, Col: -1}
	case !(largest > 0):
		return 0, &ScaleError{Max: largest}
	}
	scale := f.opt.Shrink / largest
	if math.IsInf(scale, 1) {
		want := fmt.Sprintf("a smaller number, since Shrink divided by the largest input of the enhancement nodes, %v, overflows float64", largest)
		return 0, &OptionError{Op: "bls", Option: "Shrink", Value: f.opt.Shrink, Want: want}
	}
	return scale, nil
}

// withShrink returns a copy of f, with the given Shrink if f uses one. It shares the weights of f.
func (f *Features) withShrink(shrink float64) *Features {
	g := *f
	if g.EnhancementNodes() > 0 && !g.opt.Unscaled {
		g.opt.Shrink, g.scale = shrink, float64(f.scale*(shrink/f.opt.Shrink))
	}
	return &g
}

// largestInput returns the largest element of [Z, 0.1] Wh, computed one panel of rows at a time.
//
//	cost: 2lN·n3 flops.
func (f *Features) largestInput(ctx context.Context, z *mat.Dense) (float64, error) {
	l, n := z.Dims()
	_, n3 := f.enhancement.Dims()
	wh, bias := f.enhancement.Slice(0, n, 0, n3).(*mat.Dense), f.enhancement.RawRowView(n)
	rows := min(l, panelRows(n+n3))
	work := mat.NewDense(rows, n3, nil)
	largest := math.Inf(-1)
	var mu sync.Mutex
	err := interrupt.EachPanel(ctx, l, rows, func(from, to int) error {
		mat.Mul(f.opt.Backend, work.Slice(0, to-from, 0, n3).(*mat.Dense), z.Slice(from, to, 0, n).(*mat.Dense), wh)
		workers.Default.Rows(to-from, n3, func(first, end int) {
			part := math.Inf(-1)
			for i := first; i < end; i++ {
				for j, v := range work.RawRowView(i) {
					part = max(part, v+float64(biasInput*bias[j]))
				}
			}
			mu.Lock()
			largest = max(largest, part)
			mu.Unlock()
		})
		return nil
	})
	return largest, err
}
