package bls

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/floats"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// DefaultRepeats is the number of permutations if ImportanceOptions.Repeats is 0.
const DefaultRepeats = 10

// ImportanceOptions hold the column groups, the repeats, the seed and the sample weights of Importance.
type ImportanceOptions struct {
	// Groups lists groups of columns of X, numbered from 0, such as the inputs of one categorical
	// column. The values of a group are permuted together; nil makes each column a group.
	Groups  [][]int
	Repeats int       // the number of permutations; 0 stands for DefaultRepeats
	Seed    uint64    // of the permutations
	Weights []float64 // of the samples; nil stands for ones
}

// Importances measure how much the score on given samples depends on each group of columns.
type Importances struct {
	Score  float64   // the score of the samples before any permutation
	Mean   []float64 // for each group, the mean decrease of Score over the repeats
	Spread []float64 // for each group, the standard deviation (n-1) of that decrease
}

// Importance permutes the values of each group of columns among the samples X, and returns by how much
// the accuracy falls: the mean and the standard deviation (n-1) over the repeats. A column that does
// not matter has a mean of about 0, and so does a column that others duplicate. Samples of weight 0
// keep their values.
//
//	shapes: X l×d, labels l. Samples that the model has not learned show what matters for new ones.
//	reads/writes: reads X and labels, and holds a copy of X while it runs.
//	cost: (1 + repeats × groups) calls to Score.
//	errors: as ScoreContext; *OptionError for a column outside 0 to d-1 or Repeats < 0.
//	source: L. Breiman, Random forests, Machine Learning 45 (2001), section 10.
func (c *Classifier) Importance(x *mat.Dense, labels []int, opt ImportanceOptions) (*Importances, error) {
	return c.ImportanceContext(background, x, labels, opt)
}

// ImportanceContext is like Importance but stops when ctx is done.
func (c *Classifier) ImportanceContext(ctx context.Context, x *mat.Dense, labels []int, opt ImportanceOptions) (*Importances, error) {
	return importances(x, opt, func(x *mat.Dense) (float64, error) { return c.ScoreContext(ctx, x, labels, opt.Weights) })
}

// Importance is Classifier.Importance for the R² of the targets Y (l×c).
func (r *Regressor) Importance(x, y *mat.Dense, opt ImportanceOptions) (*Importances, error) {
	return r.ImportanceContext(background, x, y, opt)
}

// ImportanceContext is like Importance but stops when ctx is done.
func (r *Regressor) ImportanceContext(ctx context.Context, x, y *mat.Dense, opt ImportanceOptions) (*Importances, error) {
	return importances(x, opt, func(x *mat.Dense) (float64, error) { return r.ScoreContext(ctx, x, y, opt.Weights) })
}

func importances(x *mat.Dense, opt ImportanceOptions, score func(x *mat.Dense) (float64, error)) (*Importances, error) {
	full, err := score(x)
	if err != nil {
		return nil, err
	}
	l, d := x.Dims()
	groups, repeats := opt.Groups, cmp.Or(opt.Repeats, DefaultRepeats)
	if groups == nil {
		groups = slices.Collect(slices.Chunk(factor.Indices(d), 1))
	}
	for _, j := range slices.Concat(groups...) {
		if j < 0 || j >= d {
			return nil, &OptionError{Op: "bls", Option: "a column of the groups", Value: j, Want: fmt.Sprintf("0 to %d", d-1)}
		}
	}
	if repeats < 1 {
		return nil, &OptionError{Op: "bls", Option: "Repeats", Value: repeats, Want: "a positive number, or 0 for the default"}
	}
	var rows []int // a sample of weight 0 must not give its values to others
	for i := range l {
		if floats.Weight(opt.Weights, i) > 0 {
			rows = append(rows, i)
		}
	}
	out := &Importances{Score: full, Mean: make([]float64, len(groups)), Spread: make([]float64, len(groups))}
	work := gonum.DenseCopyOf(x)
	for n := range repeats {
		order := rand.New(rand.NewPCG(opt.Seed, uint64(n))).Perm(len(rows))
		for g, group := range groups {
			for i, from := range order {
				for _, j := range group {
					work.Set(rows[i], j, x.At(rows[from], j))
				}
			}
			permuted, err := score(work)
			if err != nil {
				return nil, err
			}
			for _, j := range group {
				work.SetCol(j, gonum.Col(nil, j, x))
			}
			// Welford's recurrence
			fall := full - permuted
			before := fall - out.Mean[g]
			out.Mean[g] += before / float64(n+1)
			out.Spread[g] += float64(before * (fall - out.Mean[g]))
		}
	}
	for g, squares := range out.Spread {
		out.Spread[g] = math.Sqrt(squares / float64(max(1, repeats-1)))
	}
	return out, nil
}
