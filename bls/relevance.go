package bls

import (
	"cmp"
	"context"
	"math"
	"slices"

	"blskernel/bls/internal/choice"
	"blskernel/internal/io/interrupt"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/floats"
	"blskernel/internal/linalg/workers"
	"blskernel/mat"
)

const (
	maxRounds    = 3    // the largest value of Relevance
	minRelevance = 1e-3 // the smallest weight of a column; the mean square over the columns is 1
	gradients    = 4096 // derivatives to average, samples × targets; more if there are over 64 targets
)

// weighColumns multiplies column j of S by weights[j]. It does nothing if weights is nil.
func (f *Features) weighColumns(weights []float64) {
	for j, w := range weights {
		if f.ranks == nil {
			if f.deviations[j] == constantDeviation {
				continue
			}
			f.deviations[j] = varies(max(smallestNormal, min(math.MaxFloat64, f.deviations[j]/w)))
			continue
		}
		for i := range f.ranks[j].scores {
			f.ranks[j].scores[i] *= w
		}
	}
}

// shareOut divides numbers by their sum. If the sum is not positive and finite, it sets all to 1/n.
func shareOut(numbers []float64) {
	var sum float64
	for _, v := range numbers {
		sum += v
	}
	for j := range numbers {
		if sum > 0 && !math.IsInf(sum, 1) {
			numbers[j] /= sum
		} else {
			numbers[j] = 1 / float64(len(numbers))
		}
	}
}

// correlationRatios sorts the given rows by each column of S into eight groups. For each column it
// returns the between-group fraction of the targets' squares, each square divided by the spread of its
// target, less twice the fraction expected by chance, but at least 0. Such a ratio also detects even
// functions, which a nearly linear model misses.
//
//	cost: sorting the rows for each column.
func (t *trials) correlationRatios(s *mat.Dense, rows []int) []float64 {
	const groups, nanoseconds = 8, 100
	n, c := len(rows), t.y.RawMatrix().Cols
	_, d := s.Dims()
	weights := t.folds.Weights()
	y, w := block.PickRows(t.y, rows), make([]float64, n)
	for i, row := range rows {
		w[i] = floats.Weight(weights, row)
	}
	y = deviations(y, columnMeans(y, w))
	var total float64
	for i := range n {
		for k, v := range y.RawRowView(i) {
			total += float64(w[i]*float64(v*v)) / floats.Weight(t.spreads, k)
		}
	}
	out := make([]float64, d)
	workers.Default.Rows(d, n*nanoseconds, func(from, to int) {
		order := factor.Indices(n)
		for j := from; j < to; j++ {
			value := func(i int) float64 { return s.At(rows[i], j) }
			slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(value(a), value(b)), a-b) })
			between, used := 0.0, 0
			for i := 0; i < n; {
				sums, weight, group := make([]float64, c), 0.0, i*groups/n
				for ; i < n && (i*groups/n == group || value(order[i]) == value(order[i-1])); i++ {
					weight += w[order[i]]
					for k, v := range y.RawRowView(order[i]) {
						sums[k] += float64(w[order[i]] * v)
					}
				}
				for k, v := range sums {
					if weight > 0 {
						between += float64(v*v) / weight / floats.Weight(t.spreads, k)
					}
				}
				used++
			}
			if total > 0 && n > 1 {
				out[j] = max(0, between/total-float64(2*(used-1))/float64(n-1))
			}
		}
	})
	return out
}

// relevances returns, for each training set of folds, the weights of the columns of S, computed from W,
// the output weights of at. The weight of a column is proportional to the root mean square derivative
// of the predictions [Z, S, H] W with respect to the unweighted column. The mean is over samples and
// targets, with squares divided by spreads. The weights have a mean square of 1 over the columns; in
// the first round, the correlation ratio of a column is added to its share of that mean square. A model
// with these weights follows the target more closely in relevant columns, and its derivatives separate
// these columns better from the others: a few rounds select the columns.
//
//	cost: 2·4096·N·n3 flops for 4096 derivatives.
//	source: Radhakrishnan, Beaglehole, Pandit and Belkin, Mechanism for feature learning in neural
//	networks and backpropagation-free machine learning models, Science 383 (2024) 1461-1467: the
//	diagonal of the average gradient outer product, for random features in place of kernels.
func (t *trials) relevances(ctx context.Context, folds *choice.Folds, maps trialMaps, at *choice.Result) ([][]float64, error) {
	n := folds.Trainings() // the last n training sets of at are the training sets of folds
	weights, err := at.Weights(n)
	if err != nil {
		return nil, err
	}
	first := len(maps) == 1
	m, d := t.x.Dims()
	var s *mat.Dense // S, which is in z with Direct only
	if of := maps[0]; first && of.features.opt.Direct > 0 {
		_, all := of.z.Dims()
		s = of.z.Slice(0, m, all-d, all).(*mat.Dense)
	} else if first {
		bordered := newNodes(m, d+1)
		if err := of.features.standardizeTo(bordered, t.x, 0, m); err != nil {
			return nil, err
		}
		s = bordered.Slice(0, m, 0, d).(*mat.Dense)
	}
	out := make([][]float64, n)
	for i := range out {
		of := maps[min(i, len(maps)-1)]
		if out[i], err = t.relevance(of, at.Shrink, weights[i], folds.Training(i, max(64, gradients/len(t.targets)))); err != nil {
			return nil, err
		}
		if first {
			for j, v := range t.correlationRatios(s, folds.Training(i, m)) {
				out[i][j] += v
			}
			shareOut(out[i])
		}
		for j, v := range out[i] {
			out[i][j] = max(minRelevance, math.Sqrt(v*float64(len(out[i]))))
		}
		if err := interrupt.Check(ctx); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// relevance returns the share of each column of S in the mean square of the derivatives at the given
// rows. of holds the maps, and w the weights of the output layer.
func (t *trials) relevance(of fittedMaps, shrink float64, w *mat.Dense, rows []int) ([]float64, error) {
	f, bk := of.features.withShrink(shrink), t.backend
	d, n, n3 := f.Inputs(), f.FeatureNodes(), f.EnhancementNodes()
	q := len(rows)
	a := mat.NewDense(q, f.Nodes(), nil)
	for i, row := range rows {
		copy(a.RawRowView(i), of.z.RawRowView(row))
	}
	if err := f.appendEnhanced(background, a); err != nil {
		return nil, err
	}
	squares := make([]float64, d)
	slope, byZ, byS := mat.NewDense(q, max(n3, 1), nil), mat.NewDense(q, n, nil), mat.NewDense(q, d, nil)
	for _, c := range t.targets {
		if byZ.Zero(); n3 > 0 {
			for i := range q {
				row := slope.RawRowView(i)
				for j, h := range a.RawRowView(i)[f.Nodes()-n3:] {
					row[j] = float64(f.scale*(1-float64(h*h))) * w.At(f.Nodes()-n3+j, c)
				}
			}
			mat.MulTrans(bk, byZ, slope, false, f.enhancement.Slice(0, n, 0, n3).(*mat.Dense), true)
		}
		for i := range q {
			row := byZ.RawRowView(i)
			for j := range row {
				row[j] = (row[j] + w.At(j, c)) * f.gain[j]
			}
		}
		mat.MulTrans(bk, byS, byZ, false, f.weights.Slice(0, d, 0, n).(*mat.Dense), true)
		for i := range q {
			for j, v := range byS.RawRowView(i) {
				if f.opt.Direct > 0 {
					v += w.At(n+j, c)
				}
				squares[j] += float64(v*v) / floats.Weight(t.spreads, c)
			}
		}
	}
	for j := range squares {
		if of.columns != nil { // with respect to the unweighted column
			squares[j] *= float64(of.columns[j] * of.columns[j])
		}
	}
	shareOut(squares)
	return squares, nil
}

// rank weights the columns in up to the given number of rounds, beginning with start. Only the first
// round tries all shrinks. If all is true, rank returns the last candidate, and otherwise the candidate
// with the smallest loss, which may be start.
func (t *trials) rank(ctx context.Context, s *choice.Search, shrinks []float64, start candidate, rounds int, all bool) (candidate, error) {
	by := *s
	by.Folds = s.Folds.ForLabels()
	last := start
	last.Result = start.On(by.Folds)
	best := last
	for round := 1; round <= rounds && last.Solved(); round++ {
		columns, err := t.relevances(ctx, by.Folds, last.maps, last.Result)
		if err != nil {
			return start, err
		}
		features := start.features
		features.Relevance = round
		maps, err := t.fit(ctx, features, columns)
		if unscalable(err) && !all {
			break
		}
		if err != nil {
			return start, err
		}
		if round > 1 {
			shrinks = []float64{last.Shrink}
		}
		r, err := by.Coarse(ctx, maps, shrinks, last.Result)
		if err != nil {
			return start, err
		}
		better := r.Better(last.Result)
		last = candidate{Result: r, trials: t, maps: maps, features: features, columns: columns}
		if all || r.Better(best.Result) {
			best = last
		} else if !better {
			break
		}
	}
	if best.features.Relevance == 0 {
		return start, nil
	}
	return best, nil
}
