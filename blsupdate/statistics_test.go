package blsupdate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/testmat"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// A weightedRows has all rows of a model with their present weights: brute force for its statistics.
type weightedRows struct {
	a, y    *mat.Dense
	weights []float64
	lambda  float64
}

// solve returns (AᵀA + lambda I)⁻¹ and W by normal equations, without row but, if that is not negative.
func (r *weightedRows) solve(but int) (q, w *mat.Dense) {
	_, k := r.a.Dims()
	scaled := dense.Copy(r.a)
	for i, weight := range r.weights {
		if i == but {
			weight = 0
		}
		for j := range k {
			scaled.Set(i, j, weight*scaled.At(i, j))
		}
	}
	var g, t, v gonummat.Dense
	g.Mul(scaled.T(), r.a)
	for i := range k {
		g.Set(i, i, g.At(i, i)+r.lambda)
	}
	t.Mul(scaled.T(), r.y)
	q = new(mat.Dense)
	if err := q.Inverse(&g); err != nil {
		panic(err)
	}
	v.Mul(q, &t)
	return q, &v
}

// residual returns y_ij - a_i W_j.
func (r *weightedRows) residual(w *mat.Dense, i, j int) float64 {
	return r.y.At(i, j) - gonummat.Dot(r.a.RowView(i), w.ColView(j))
}

// A closeTo checks numbers against brute force, with an error relative to a size.
type closeTo struct {
	*testing.T
	where string
	bound float64
}

func (c closeTo) check(what string, got, want, size float64) {
	c.Helper()
	if !(math.Abs(got-want) <= float64(c.bound*size)) {
		c.Errorf("%s: %s is %v, want %v", c.where, what, got, want)
	}
}

// checkStatistics compares all statistics of u with those of r, where known reports whether sums of
// squares are known for a target.
func checkStatistics(c closeTo, u Updater, r *weightedRows, known func(j int) bool) {
	c.Helper()
	l, k := r.a.Dims()
	_, targets := r.y.Dims()
	q, w := r.solve(-1)
	fit, err := u.Statistics()
	testutil.NoError(c, err)
	left, err := u.LeaveOneOutContext(c.Context(), r.a, r.y, r.weights)
	testutil.NoError(c, err)
	// More rows than are processed at a time, in a matrix with gaps.
	x, report := mat.NewDense(520, k+3, nil).Slice(0, 520, 0, k).(*mat.Dense), u.Report()
	for i := range 520 {
		x.SetRow(i, r.a.RawRowView(i%l))
	}
	leverage, err := u.Leverage(x)
	testutil.NoError(c, err)
	if !reflect.DeepEqual(u.Report(), report) {
		c.Errorf("%s: the report has changed", c.where)
	}

	var g, v gonummat.Dense
	g.Mul(q, q)
	v.Scale(-r.lambda, &g)
	v.Add(q, &v) // Q - lambda Q²
	n, trace := 0, 0.0
	for i, weight := range r.weights {
		h := gonummat.Inner(r.a.RowView(i), q, r.a.RowView(i))
		for j := i; j < len(leverage); j += l {
			c.check(fmt.Sprintf("the leverage of row %d", j), leverage[j], h, 1)
		}
		c.check(fmt.Sprintf("the weighted leverage of row %d", i), left.Leverage[i], weight*h, 1)
		trace += weight * h
		if weight > 0 {
			n++
		}
	}
	c.check("tr H", fit.Freedom, trace, float64(k))
	if fit.Rows != n {
		c.Errorf("%s: %d rows, want %d", c.where, fit.Rows, n)
	}
	for j := range targets {
		var sum, mean, rss, spread, press, squares float64
		for i, weight := range r.weights {
			sum += weight
			mean += weight * r.y.At(i, j)
			rss += weight * math.Pow(r.residual(w, i, j), 2)
			squares += weight * math.Pow(r.y.At(i, j), 2)
		}
		mean /= sum
		for i, weight := range r.weights {
			spread += weight * math.Pow(r.y.At(i, j)-mean, 2)
		}
		for i := range l {
			_, without := r.solve(i)
			want := r.residual(without, i, j)
			c.check(fmt.Sprintf("residual %d,%d without the row", i, j), left.Residuals.At(i, j), want, math.Sqrt(squares))
			press += r.weights[i] * want * want
		}
		c.check("PRESS", left.PRESS[j], press, squares)
		if !known(j) {
			for _, got := range []float64{fit.RSS[j], fit.R2[j], fit.Variance[j], fit.GCV[j]} {
				if !math.IsNaN(got) {
					c.Errorf("%s: target %d: %v, want NaN", c.where, j, fit)
				}
			}
			continue
		}
		rest := float64(n) - trace
		c.check("RSS", fit.RSS[j], rss, squares)
		if spread > 0 {
			c.check("R²", fit.R2[j], 1-rss/spread, squares/spread)
		} else if !math.IsNaN(fit.R2[j]) {
			c.Errorf("%s: R² of a constant is %v", c.where, fit.R2[j])
		}
		c.check("sigma²", fit.Variance[j], rss/rest, squares/rest)
		c.check("GCV", fit.GCV[j], float64(n)*rss/(rest*rest), float64(n)*squares/(rest*rest))
	}

	nodes := []int{k - 1, 0, 2}
	covariance, err := u.Covariance(nodes)
	all, err2 := u.Covariance(nil)
	testutil.NoError(c, errors.Join(err, err2))
	size := gonummat.Norm(q, 2)
	for a := range nodes {
		for b := range nodes {
			c.check("a covariance", covariance.At(a, b), v.At(nodes[a], nodes[b]), size)
			c.check("a covariance of all", all.At(nodes[a], nodes[b]), v.At(nodes[a], nodes[b]), size)
		}
	}
	errs, err := u.StandardErrors(nodes)
	variance, err2 := u.PredictionVariance(r.a)
	testutil.NoError(c, errors.Join(err, err2))
	for j := range targets {
		if !known(j) {
			continue
		}
		for a, node := range nodes {
			c.check("a standard error", errs.At(a, j), math.Sqrt(fit.Variance[j]*v.At(node, node)), math.Sqrt(fit.Variance[j]*size))
		}
		for i := range l {
			want := fit.Variance[j] * gonummat.Inner(r.a.RowView(i), &v, r.a.RowView(i))
			c.check("the variance of a prediction", variance.At(i, j), want, fit.Variance[j])
		}
	}
}

// TestStatistics compares all statistics of all methods with brute force, by leaving out each row and
// training again, after a start and after every kind of change. The columns of A have condition numbers
// below 100, so that eps κ² is below the bound.
func TestStatistics(t *testing.T) {
	everything := func(int) bool { return true }
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		for _, lambda := range v.ridges(0, 0.7) {
			rng := rand.New(rand.NewPCG(401, uint64(v.method)))
			const k, c = 5, 2
			r := &weightedRows{a: new(mat.Dense), y: new(mat.Dense), lambda: lambda}
			rows := func(q int) (x, y *mat.Dense) {
				x, y = testmat.Random(rng, q, k).Dense(), testmat.Random(rng, q, c).Dense()
				for i := range q {
					y.Set(i, 0, 3+x.At(i, 0)+y.At(i, 0)/10) // with a mean, and a better fit
				}
				return x, y
			}
			learned := func(x, y *mat.Dense, weights []float64) {
				q, _ := x.Dims()
				if weights == nil {
					weights = slices.Repeat([]float64{1}, q)
				}
				r.a, r.y, r.weights = stack(r.a, x), stack(r.y, y), append(r.weights, weights...)
			}
			x, y := rows(20)
			u, err := New(v.method, x, y, Options{Lambda: lambda, Form: v.form, Solve: v.solve, Backend: b})
			testutil.NoError(t, err)
			learned(x, y, nil)
			after := func(what string, err error, known func(int) bool) {
				t.Helper()
				do(t, u, err)
				if got := u.Lambda(); got != r.lambda {
					t.Errorf("%v, after %s: lambda is %g, want %g", v, what, got, r.lambda)
				}
				checkStatistics(closeTo{t, fmt.Sprintf("%v, lambda %g, after %s", v, lambda, what), 1e-11}, u, r, known)
			}
			after("the start", nil, everything)
			for _, q := range []int{1, 2, 4, 9, 40} {
				x, y = rows(q)
				weights := make([]float64, q)
				for i := range weights {
					weights[i] = float64(i%3) / 2 // 0, too
				}
				if q%2 == 0 {
					weights = nil
				}
				learned(x, y, weights)
				after(fmt.Sprintf("%d rows", q), u.AddInputsContext(t.Context(), x, y, weights), everything)
			}
			for _, q := range []int{3, 1, 20} {
				gone := func(m *mat.Dense) (*mat.Dense, *mat.Dense) {
					n, _ := m.Dims()
					return rowsBetween(m, n-q, n), rowsBetween(m, 0, n-q)
				}
				var goneX, goneY *mat.Dense
				goneX, r.a = gone(r.a)
				goneY, r.y = gone(r.y)
				r.weights = r.weights[:len(r.weights)-q]
				after(fmt.Sprintf("the removal of %d rows", q), u.RemoveInputs(goneX, goneY), everything)
			}
			for i := range r.weights {
				r.weights[i] *= 0.5
			}
			r.lambda *= 0.5
			after("Forget", u.Forget(0.5), everything)
			if Supports(v.method, ActionRidge) {
				for _, ridge := range []float64{1.5, 0.25, 0, 0, 0.25} {
					r.lambda = ridge
					after("SetLambda", u.SetLambda(ridge), everything)
				}
			}
			if Supports(v.method, ActionMerge) {
				x, y = rows(15)
				other, err := New(v.method, x, y, Options{Lambda: lambda, Form: v.form, Solve: v.solve, Backend: b})
				testutil.NoError(t, err)
				learned(x, y, nil)
				after("Merge", u.Merge(other), everything)
			}
			u, err = u.Clone()
			testutil.NoError(t, err)
			after("Clone", nil, everything)

			// As in the model: times the square roots of the weights.
			scale := func(m *mat.Dense) *mat.Dense {
				s := dense.Copy(m)
				s.Apply(func(i, _ int, v float64) float64 { return v * math.Sqrt(r.weights[i]) }, s)
				return s
			}
			h := testmat.Random(rng, len(r.weights), 2).Dense()
			err = u.AddNodes(scale(r.a), scale(h), scale(r.y))
			var wide mat.Dense
			wide.Augment(r.a, h)
			r.a = &wide
			after("AddNodes", err, everything)

			// -y0, a zero, and y0 + y1, whose squares are not known.
			m := mat.NewDense(c, 3, []float64{-1, 0, 1, 0, 0, 1})
			err = u.AddTargets(m)
			var mapped, y2 mat.Dense
			mapped.Mul(r.y, m)
			y2.Augment(r.y, &mapped)
			r.y = &y2
			after("AddTargets", err, func(j int) bool { return j < 4 })
		}
	})
}

// TestStatisticsOfCloseFits has a fit with R² = 1 - 1e-14, which only Gram cannot tell from 1.
func TestStatisticsOfCloseFits(t *testing.T) {
	for _, v := range variants {
		if v.method == Gram {
			continue
		}
		rng := rand.New(rand.NewPCG(402, uint64(v.method)))
		const k, noise = 6, 1e-7
		a, truth := testmat.Random(rng, 90, k).Dense(), testmat.Random(rng, k, 1).Dense()
		var y mat.Dense
		y.Mul(a, truth)
		y.Apply(func(i, _ int, v float64) float64 { return v + noise*rng.NormFloat64() }, &y)
		u, err := New(v.method, rowsBetween(a, 0, 30), rowsBetween(&y, 0, 30), Options{Lambda: 0, Form: v.form, Solve: v.solve})
		testutil.NoError(t, err)
		for from := 30; from < 90; from += 20 {
			testutil.NoError(t, u.AddInputs(rowsBetween(a, from, from+20), rowsBetween(&y, from, from+20)))
		}
		r := &weightedRows{a: a, y: &y, weights: slices.Repeat([]float64{1}, 90)}
		_, w := r.solve(-1)
		var want float64
		for i := range 90 {
			want += math.Pow(r.residual(w, i, 0), 2)
		}
		fit, err := u.Statistics()
		testutil.NoError(t, err)
		// The residuals have errors of some eps ‖Y‖.
		closeTo{t, v.String(), 1e-7}.check("RSS", fit.RSS[0], want, want)
	}
}

// TestStatisticsOfFewRows has as many rows as nodes, and fewer.
func TestStatisticsOfFewRows(t *testing.T) {
	_, a, y := problem(403, 0, 4, 4, 1)
	for _, v := range variants {
		u := v.start(t, nil, a, y, 0)
		fit, err := u.Statistics()
		if err != nil || !math.IsNaN(fit.Variance[0]) || !math.IsNaN(fit.GCV[0]) || fit.Freedom != 4 {
			t.Errorf("%v: as many rows as nodes: %v, %v", v, fit, err)
		}
		if _, err := u.LeaveOneOut(a, y); !is[*LeverageError](err) || !strings.Contains(err.Error(), "by this row (1 - leverage") {
			t.Errorf("%v: rows of leverage 1: %v", v, err)
		}
	}
	// Below full rank, A A⁺ is the identity for rows in general position.
	u := started(t, Improved, rowsBetween(a, 0, 2), rowsBetween(y, 0, 2), Options{})
	h, err := u.Leverage(rowsBetween(a, 0, 2))
	fit, err2 := u.Statistics()
	must(t, errors.Join(err, err2))
	if !(math.Abs(h[0]-1) < 1e-13 && math.Abs(h[1]-1) < 1e-13 && fit.Freedom == 2 && fit.RSS[0] < 1e-26) {
		t.Errorf("2 rows of 4 nodes: leverages %v, %v", h, fit)
	}
	for _, x := range []struct{ a, y, lambda float64 }{{1, 1e154, 1}, {1e-100, 1e60, 1e-210}} { // yᵀy overflows, or wᵀw
		same := mat.NewDense(4, 1, slices.Repeat([]float64{x.y}, 4))
		fit, err := started(t, Gram, scaled(dense.Copy(a), x.a), same, Options{Lambda: x.lambda}).Statistics()
		if err != nil || !math.IsNaN(fit.RSS[0]) {
			t.Errorf("%+v: %v, %v", x, fit, err)
		}
	}
}

// wave returns an m×n matrix of the elements scale·sin(i²(j+1) + 1).
func wave(m, n int, scale float64) *mat.Dense {
	return testmat.Func(m, n, func(i, j int) float64 { return scale * math.Sin(float64(i*i*(j+1)+1)) }).Dense()
}

// TestStatisticsOfLabels removes three of nine targets of -1, next to three of 1, which lowers the sum
// of squares about their mean by exactly 1.
func TestStatisticsOfLabels(t *testing.T) {
	a, y := wave(12, 2, 1), testmat.Func(12, 1, func(i, _ int) float64 { return float64(1 - 2*min(1, i/3)) }).Dense()
	for _, m := range Methods() {
		u := started(t, m, a, y, Options{})
		testutil.NoError(t, u.RemoveInputs(dense.RowRange(a, 9, 12), dense.RowRange(y, 9, 12)))
		got, err := u.Statistics()
		want, err2 := started(t, m, dense.RowRange(a, 0, 9), dense.RowRange(y, 0, 9), Options{}).Statistics()
		if errors.Join(err, err2) != nil || !(math.Abs(got.RSS[0]/want.RSS[0]-1) < 1e-10 && math.Abs(got.R2[0]-want.R2[0]) < 1e-10) {
			t.Errorf("%v: %+v, %v; want %+v", m, got, err, want)
		}
	}
}

// TestStatisticsAtLimits asks for statistics after the removal of an outlier, for a row that alone
// determines a direction, and where intermediate values overflow, underflow or are negative.
func TestStatisticsAtLimits(t *testing.T) {
	for _, m := range Methods() {
		y, row := wave(20, 1, 0.01), mat.NewDense(1, 2, []float64{1, 0.3})
		y.Apply(func(_, _ int, v float64) float64 { return 1e8 + v }, y)
		u := started(t, m, wave(20, 2, 1), y, Options{})
		want, err := u.Statistics()
		testutil.NoError(t, err)
		for _, far := range []float64{1e8 + 5e4, 1e17} { // next to 1e17 nothing is left of RSS
			out := mat.NewDense(1, 1, []float64{far})
			testutil.NoError(t, errors.Join(u.AddInputs(row, out), u.RemoveInputs(row, out)))
			if got, err := u.Statistics(); err != nil || math.Abs(got.RSS[0]-want.RSS[0]) > 0.05*want.RSS[0] || math.Abs(1-got.R2[0]/want.R2[0]) > 0.05 {
				t.Errorf("%v: %+v after a removal of %g, %v; want %+v or NaN", m, got, far, err, want)
			}
		}
		if c := u.Condition(); !strings.Contains(c.Advice, "Rebuild") || c.Instead != m {
			t.Errorf("%v: %+v", m, c)
		}
		a := wave(100, 3, 1)
		a.SetCol(2, gonummat.Col(nil, 1, a))
		a.Set(0, 2, a.At(0, 2)+1e-4)
		if o, err := started(t, m, a, wave(100, 1, 1), Options{}).LeaveOneOut(dense.RowRange(a, 0, 1), mat.NewDense(1, 1, nil)); err == nil {
			t.Errorf("%v: leave-one-out of a row with leverage 1: %+v", m, o)
		}
		u = started(t, m, wave(20, 3, 1), wave(20, 1, 1), Options{})
		testutil.NoError(t, u.AddInputs(wave(1, 3, 1e8), mat.NewDense(1, 1, []float64{1e8})))
		if s, err := u.Statistics(); err == nil && math.Abs(s.RSS[0]-0.104711) > 0.005 { // Gram refuses it
			t.Errorf("%v: RSS %v after a far row; want 0.1047 or NaN", m, s.RSS)
		}
		for far := 1e4; far < 1e9 && keepsInverse(m); far *= 1.5 { // in a close fit
			rows, fit := stack(wave(4, 1, 1), wave(1, 1, far)), wave(9, 1, 1e-6).Slice(4, 9, 0, 1).(*mat.Dense)
			fit.Apply(func(i, _ int, v float64) float64 { return v + rows.At(i, 0)/3 }, fit)
			u = started(t, m, rowsBetween(rows, 0, 4), rowsBetween(fit, 0, 4), Options{})
			testutil.NoError(t, u.AddInputs(rowsBetween(rows, 4, 5), rowsBetween(fit, 4, 5)))
			want, err := started(t, m, rows, fit, Options{}).Statistics()
			got, err2 := u.Statistics()
			if errors.Join(err, err2) != nil || math.Abs(got.RSS[0]/want.RSS[0]-1) > 0.3 {
				t.Errorf("%v: RSS %v after a row of %g; want %v or NaN", m, got.RSS, far, want.RSS)
			}
		}
		for e := -270; e <= 270 && !keepsInverse(m); e += 270 { // Q² overflows or underflows, and V sigma² underflows
			u = started(t, m, ldexp(wave(20, 2, 1), e), dense.RowRange(wave(40, 1, 1e-90), 20, 40), Options{Lambda: math.Ldexp(1, 2*e)})
			v, err := u.Covariance(nil)
			s, err2 := u.StandardErrors(nil)
			if got := math.Ldexp(v.At(0, 0), 2*e); errors.Join(err, err2) != nil || math.Abs(got-0.0869884) > 1e-7 || !(math.Abs(math.Ldexp(s.At(0, 0), e)-2.05328e-91) < 1e-96) {
				t.Errorf("%v, 2^%d: variance %v, standard error %v, %v", m, e, got, math.Ldexp(s.At(0, 0), e), err)
			}
		}
		all, of := wave(20, 3, 1), dense.RowRange(wave(40, 1, 1), 20, 40)
		two, third := columnsBetween(all, 0, 2), columnsBetween(all, 2, 3)
		for _, far := range []float64{1e10, 1e17} { // the second leaves errors in W that are larger than Y
			u, out := started(t, m, two, of, Options{}), mat.NewDense(1, 1, []float64{far})
			testutil.NoError(t, errors.Join(u.AddInputs(row, out), u.RemoveInputs(row, out), u.AddNodes(two, third, of)))
			anew, err := started(t, m, all, of, Options{}).Statistics()
			s, err2 := u.Statistics()
			known := m != Gram && far < 1e17
			if errors.Join(err, err2) != nil || known == math.IsNaN(s.RSS[0]) || math.Abs(s.RSS[0]/anew.RSS[0]-1) > 1e-6 {
				t.Errorf("%v: RSS after %g and nodes is %v, and anew %v", m, far, s.RSS, anew.RSS)
			}
		}
		u = started(t, m, wave(20, 2, 1), dense.RowRange(wave(40, 1, 1e100), 20, 40), Options{})
		testutil.NoError(t, u.MapTargets(mat.NewDense(1, 1, []float64{1e-170})))
		if s, err := u.Statistics(); err != nil || math.IsNaN(s.R2[0]) {
			t.Errorf("%v: after MapTargets %+v, %v", m, s, err)
		}
	}
	_, a, y := conditioned(9, 9, 200, 5, 1, 1e8)
	if _, err := started(t, Gram, a, y, Options{}).LeaveOneOut(a, y); err != nil {
		t.Errorf("leave-one-out for a large condition number: %v", err)
	}
	one, far := mat.NewDense(1, 1, []float64{1}), mat.NewDense(1, 1, []float64{1 << 30})
	u := started(t, RidgeInverse, one, one, Options{Form: Small})
	testutil.NoError(t, u.AddInputs(far, far)) // which leaves nothing of Q
	for i, row := range []*mat.Dense{one, one, mat.NewDense(1, 1, nil)} {
		if _, err := u.LeaveOneOutContext(background, row, one, []float64{1, 0, 1}[i:i+1]); is[*LeverageError](err) != (i == 0) {
			t.Errorf("leave-one-out of row %d, of which only the first has a leverage: %v", i, err)
		}
	}
}

// TestStatisticsOfDependentNodes adds nodes of which one depends on the others, since there are fewer
// samples than nodes or since it is a combination of others. Then a ridge, or more rows, determine W.
func TestStatisticsOfDependentNodes(t *testing.T) {
	for _, l := range []int{5, 20} { // fewer samples than nodes; node 5 depends on nodes 2 and 4
		rng := rand.New(rand.NewPCG(405, uint64(l)))
		all, y := testmat.Random(rng, l, 6).Dense(), testmat.Random(rng, l, 1).Dense()
		for i := range l {
			y.Set(i, 0, all.At(i, 0)+y.At(i, 0)/1000) // Y itself is much longer than its residual
			if l == 20 {
				all.Set(i, 5, all.At(i, 2)-all.At(i, 4))
			}
		}
		u := started(t, QR, columnsBetween(all, 0, 4), y, Options{})
		must(t, u.AddNodes(columnsBetween(all, 0, 4), columnsBetween(all, 4, 6), y))
		checkReport(t, u)
		ridge, err := u.Clone()
		ax, ya := testmat.Random(rng, 20, 6).Dense(), testmat.Random(rng, 20, 1).Dense()
		must(t, errors.Join(err, ridge.SetLambda(0.1), u.AddInputs(ax, ya)))
		var more, moreY gonummat.Dense
		more.Stack(all, ax)
		moreY.Stack(y, ya)
		for of, anew := range map[Updater]Updater{
			ridge: started(t, QR, all, y, Options{Lambda: 0.1}), u: started(t, QR, &more, &moreY, Options{}),
		} {
			got, err := of.Statistics()
			want, err2 := anew.Statistics()
			must(t, errors.Join(err, err2))
			where := fmt.Sprintf("%d rows, lambda %v", l, of.Lambda())
			closeTo{t, where, 1e-9}.check("RSS", got.RSS[0], want.RSS[0], want.RSS[0])
		}
	}
}

// TestLeaveOneOutAfterRemovals adds and removes rows that outweigh all others, which leaves errors in
// the leverage of a row that alone determines a direction: it must still be refused.
func TestLeaveOneOutAfterRemovals(t *testing.T) {
	for _, m := range Methods() {
		for seed := range uint64(40) {
			rng := rand.New(rand.NewPCG(seed, 406))
			a, y := testmat.Random(rng, 11, 2).Dense(), testmat.Random(rng, 11, 1).Dense()
			for i := range 10 {
				a.Set(i, 1, 0)
			}
			u := started(t, m, a, y, Options{})
			for range 5 {
				heavy := scaled(testmat.Random(rng, 1, 2).Dense(), 3000)
				ya := testmat.Random(rng, 1, 1).Dense()
				if err := u.AddInputs(heavy, ya); err == nil {
					_ = u.RemoveInputs(heavy, ya) // if refused, the row is not alone, and its leverage below 1
				}
			}
			left, err := u.LeaveOneOut(rowsBetween(a, 10, 11), rowsBetween(y, 10, 11))
			if err == nil && u.Samples() == 11 {
				t.Errorf("%v, seed %d: leverage %v", m, seed, left.Leverage)
			}
		}
	}
}
