package choice

import (
	"context"
	"errors"
	"math"
	"slices"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/io/interrupt"
	"blskernel/internal/io/memory"
	"blskernel/internal/linalg/floats"
	"blskernel/internal/linalg/workers"
	"blskernel/lapack"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// QR is chosen if its loss on the last fold is below qrAdvantage times the loss with Gram.
const qrAdvantage = 0.8

// Equations are the normal equations of nodes A (m×k) and targets Y (m×c), for the rows of each
// training set of a choice. They can be solved for any ridge.
type Equations struct {
	folds   *Folds
	backend blskernel.Backend
	a       []*mat.Dense // one for all training sets, or one for each
	y       *mat.Dense
	log     bool
	shrink  float64 // of the nodes
	gram    []*mat.SymPacked
	cross   []*mat.Dense
}

// Bytes returns the size in bytes of Equations of k nodes and c targets, with concurrent solutions.
func (f *Folds) Bytes(k, c int) int64 {
	var need int64
	for range numFolds + f.Trainings() + f.heldFolds() {
		need = memory.Sum(need, memory.Triangle(k), memory.Floats(k, c))
	}
	return need
}

// Flops returns the number of floating-point operations to compute Equations of k nodes and c targets
// and solve them for the given number of ridges.
func (f *Folds) Flops(k, c, ridges int) float64 {
	n, folds := float64(k), float64(f.heldFolds())
	held := float64(len(f.rows) - f.ends[f.firstHeld])
	solve := n*n*n/3 + float64(2*held/folds*n*float64(c))
	return float64(float64(len(f.rows))*n*n) + float64(folds*float64(ridges)*solve)
}

// Equations returns the normal equations for the nodes of maps at the given shrink.
func (s *Search) Equations(ctx context.Context, maps Maps, shrink float64) (*Equations, error) {
	f := s.Folds
	e := &Equations{folds: f, backend: s.Backend, y: s.Y, log: s.Log, shrink: shrink}
	for i := range maps.Maps() {
		a, err := maps.Nodes(ctx, i, shrink)
		if err != nil {
			return nil, err
		}
		e.a = append(e.a, a)
	}
	if len(e.a) > 1 {
		for i := range e.a {
			gram, cross := e.products(e.training(i))
			e.gram, e.cross = append(e.gram, gram), append(e.cross, cross)
		}
		return e, interrupt.Check(ctx)
	}
	gram, cross := make([]*mat.SymPacked, numFolds), make([]*mat.Dense, numFolds)
	for fold := range numFolds {
		if fold == f.firstHeld && f.heldFolds() == 1 {
			break // this fold is in no sum
		}
		gram[fold], cross[fold] = e.products(e.weighted(e.a[0], f.ends[fold], f.ends[fold+1]))
	}
	_, k := e.a[0].Dims()
	_, c := e.y.Dims()
	for i := range f.Trainings() {
		sum, t := mat.NewSymPacked(k, nil), mat.NewDense(k, c, nil)
		for fold := range numFolds {
			if fold != f.firstHeld+i {
				total := sum.RawSymPacked().Data
				for i, v := range gram[fold].RawSymPacked().Data {
					total[i] += v
				}
				t.Add(t, cross[fold])
			}
		}
		e.gram, e.cross = append(e.gram, sum), append(e.cross, t)
	}
	return e, interrupt.Check(ctx)
}

func (e *Equations) products(a, y *mat.Dense) (gram *mat.SymPacked, cross *mat.Dense) {
	_, k := a.Dims()
	_, c := y.Dims()
	gram, cross = mat.NewSymPacked(k, nil), mat.NewDense(k, c, nil)
	mat.SymOuterK(e.backend, gram, 1, a, true)
	mat.MulTrans(e.backend, cross, a, true, y, false)
	return gram, cross
}

func (e *Equations) nodes(i int) *mat.Dense { return e.a[min(i, len(e.a)-1)] }

// training returns nodes and targets of training set i, each row times the square root of its weight.
func (e *Equations) training(i int) (a, y *mat.Dense) {
	from, to := e.folds.held(i)
	a, y = e.weighted(e.nodes(i), 0, from)
	if m := len(e.folds.rows); to < m {
		b, z := e.weighted(e.nodes(i), to, m)
		if from == 0 {
			return b, z
		}
		var both, targets mat.Dense
		both.Stack(a, b)
		targets.Stack(y, z)
		return &both, &targets
	}
	return a, y
}

func rowsOf(m *mat.Dense, from, to int) *mat.Dense {
	_, cols := m.Dims()
	return m.Slice(from, to, 0, cols).(*mat.Dense)
}

// weighted returns the rows [from, to) of nodes and targets, each times the square root of its weight.
func (e *Equations) weighted(nodes *mat.Dense, from, to int) (a, y *mat.Dense) {
	if from == to {
		return &mat.Dense{}, &mat.Dense{}
	}
	a, y = rowsOf(nodes, from, to), rowsOf(e.y, from, to)
	if e.folds.weights == nil {
		return a, y
	}
	a, y = gonum.DenseCopyOf(a), gonum.DenseCopyOf(y)
	Weigh(e.folds.weights[from:to], a, y)
	return a, y
}

// At returns the result for the ridge lambda, with an infinite loss if the normal equations are
// singular to working precision. The folds are solved concurrently.
func (e *Equations) At(lambda float64) *Result {
	m, k := e.a[0].Dims()
	_, cols := e.y.Dims()
	scores := mat.NewDense(m, cols, nil)
	held := e.folds.heldFolds()
	errs := make([]error, held)
	workers.Default.Rows(held, k*k, func(first, end int) {
		for i := first; i < end; i++ {
			w, err := e.solve(lambda, e.gram[i], e.cross[i])
			if errs[i] = err; err == nil {
				from, to := e.folds.held(i)
				mat.Mul(e.backend, rowsOf(scores, from, to), rowsOf(e.nodes(i), from, to), w)
			}
		}
	})
	r := e.result(lambda, scores, e.folds.firstHeld)
	if errors.Join(errs...) != nil || math.IsNaN(r.Loss) {
		r.Loss = math.Inf(1)
	}
	return r
}

// result returns the Result for lambda with the given scores, measured on fold and all later folds.
func (e *Equations) result(lambda float64, scores *mat.Dense, fold int) *Result {
	r := &Result{Shrink: e.shrink, Method: blsupdate.Gram, Lambda: lambda, folds: e.folds, scores: scores, equations: e}
	r.measure(fold)
	return r
}

// Weights returns the weights of the output layer, k×c, for each of the last n training sets.
func (r *Result) Weights(n int) (all []*mat.Dense, err error) {
	e := r.equations
	for i := len(e.gram) - n; i < len(e.gram); i++ {
		w, err := e.solve(r.Lambda, e.gram[i], e.cross[i])
		if err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	return all, nil
}

// solve returns (AᵀA + lambda I)⁻¹ B for gram = AᵀA.
func (e *Equations) solve(lambda float64, gram *mat.SymPacked, b gonum.Matrix) (*mat.Dense, error) {
	k := gram.SymmetricDim()
	s := mat.NewSymPacked(k, slices.Clone(gram.RawSymPacked().Data))
	s.AddDiagonal(lambda)
	factor := lapack.Cholesky{MaxCondition: math.Inf(1), Backend: e.backend}
	if err := factor.FactorizeInPlace(s); err != nil {
		return nil, err
	}
	var w mat.Dense
	err := factor.SolveTo(&w, gonum.DenseCopyOf(b))
	return &w, err
}

// MinRest is the smallest 1 - h for which the leave-one-out prediction at leverage h is accurate.
const MinRest = 1e-6

// LeftOut returns the indices of the rows that r holds out, their targets, scores and leverages. Each
// row is predicted by a model of all other rows, with the maps of the training set without its fold. If
// a model of all rows gives a row of targets y and weight w the scores s and the leverage h, the row
// gets the scores y - (y - s)/(1 - w h) and the leverage h/(1 - w h). The whole fold is left out
// instead if 1 - w h < MinRest for one of its rows, or if the model of all rows is nearly singular.
func (r *Result) LeftOut() (rows []int, y, scores *mat.Dense, leverages []float64, err error) {
	e, f := r.equations, r.equations.folds
	start, m := f.ends[f.firstHeld], len(f.rows)
	scores = gonum.DenseCopyOf(rowsOf(r.scores, start, m))
	for i := range f.heldFolds() {
		from, to := f.held(i)
		of, err := e.leftOut(r.Lambda, i, rowsOf(scores, from-start, to-start))
		if err != nil {
			return nil, nil, nil, nil, err
		}
		leverages = append(leverages, of...)
	}
	return f.rows[start:], rowsOf(e.y, start, m), scores, leverages, nil
}

func (e *Equations) leftOut(lambda float64, i int, scores *mat.Dense) ([]float64, error) {
	from, to := e.folds.held(i)
	nodes := rowsOf(e.nodes(i), from, to)
	gram, cross := e.products(e.weighted(e.nodes(i), from, to))
	for j, v := range e.gram[i].RawSymPacked().Data {
		gram.RawSymPacked().Data[j] += v
	}
	cross.Add(cross, e.cross[i])
	out, err := e.leverages(lambda, gram, nodes)
	rests := make([]float64, len(out))
	for j, h := range out {
		rests[j] = 1 - float64(floats.Weight(e.folds.weights, from+j)*h)
	}
	if err != nil || !(slices.Min(rests) >= MinRest) { // a heavy row may take all digits
		return e.leverages(lambda, e.gram[i], nodes)
	}
	w, err := e.solve(lambda, gram, cross)
	if err != nil {
		return nil, err
	}
	mat.Mul(e.backend, scores, nodes, w)
	for j, rest := range rests {
		out[j] /= rest
		row := scores.RawRowView(j)
		for t, s := range row {
			y := e.y.At(from+j, t)
			row[t] = y - (y-s)/rest
		}
	}
	return out, nil
}

func (e *Equations) leverages(lambda float64, gram *mat.SymPacked, nodes *mat.Dense) ([]float64, error) {
	q, err := e.solve(lambda, gram, nodes.T())
	if err != nil {
		return nil, err
	}
	l, k := nodes.Dims()
	out := make([]float64, l)
	for j := range out {
		out[j] = e.backend.Ddot(k, nodes.RawRowView(j), 1, q.RawMatrix().Data[j:], q.RawMatrix().Stride)
	}
	return out, nil
}

// byQR tries smaller ridges than Gram allows, with QR. r is the result for the smallest ridge of Gram.
// byQR returns the best result on the last fold, or r if none is clearly better.
func (e *Equations) byQR(ctx context.Context, r *Result) (*Result, error) {
	const last = numFolds - 1
	from, m := e.folds.ends[last], e.folds.ends[numFolds]
	nodes := e.nodes(last - e.folds.firstHeld)
	a, y := e.weighted(nodes, 0, from)
	u, err := blsupdate.NewContext(ctx, blsupdate.QR, a, y, blsupdate.Options{Lambda: r.Lambda, Backend: e.backend})
	if err != nil {
		return nil, err
	}
	best, least := r, float64(qrAdvantage*e.result(r.Lambda, r.scores, last).Loss)
	for _, step := range []float64{1e-2, 1e-4} {
		lambda := float64(r.Lambda * step)
		if err := u.SetLambda(lambda); err != nil {
			return nil, err
		}
		w, err := u.Weights()
		if err != nil {
			continue // the matrix is singular to working precision
		}
		scores := gonum.DenseCopyOf(r.scores)
		mat.Mul(e.backend, rowsOf(scores, from, m), rowsOf(nodes, from, m), w)
		if by := e.result(lambda, scores, last); by.Loss < least {
			by.Method = blsupdate.QR
			best, least = by, by.Loss
		}
	}
	return best, nil
}
