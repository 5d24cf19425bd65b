package choice

import (
	"context"
	"errors"
	"math"
	"slices"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/interrupt"
	"blskernel/internal/memory"
	"blskernel/internal/workers"
	"blskernel/lapack"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// qrAdvantage is the largest loss by QR, relative to that by Gram, for which QR pays.
const qrAdvantage = 0.8

// Equations are the normal equations of nodes A (m×k) and targets Y (m×c) of the rows of a choice: for
// each fold that is held out, those of the other folds. They serve every ridge.
type Equations struct {
	folds   *Folds
	backend blskernel.Backend
	a, y    *mat.Dense
	shrink  float64 // of the nodes
	gram    []*mat.SymPacked
	cross   []*mat.Dense
}

// Bytes returns the memory that Equations of k nodes and c targets take, with those that are solved at
// the same time.
func (f *Folds) Bytes(k, c int) int64 {
	var need int64
	for range numFolds + 2*f.heldFolds() {
		need = memory.Sum(need, memory.Triangle(k), memory.Floats(k, c))
	}
	return need
}

// Flops returns the floating-point operations of Equations of k nodes and c targets for so many
// ridges.
func (f *Folds) Flops(k, c, ridges int) float64 {
	n, folds := float64(k), float64(f.heldFolds())
	held := float64(len(f.rows) - f.ends[f.firstHeld])
	solve := n*n*n/3 + float64(2*held/folds*n*float64(c))
	return float64(float64(len(f.rows))*n*n) + float64(folds*float64(ridges)*solve)
}

// newEquations computes the normal equations. It keeps a and y.
func (s *Search) newEquations(ctx context.Context, a *mat.Dense, shrink float64) (*Equations, error) {
	f := s.Folds
	e := &Equations{folds: f, backend: s.Backend, a: a, y: s.Y, shrink: shrink}
	_, k := a.Dims()
	_, c := e.y.Dims()
	gram, cross := make([]*mat.SymPacked, numFolds), make([]*mat.Dense, numFolds)
	for fold := range numFolds {
		if fold == f.firstHeld && f.heldFolds() == 1 {
			break // it is in no sum
		}
		a, y := e.weighted(f.ends[fold], f.ends[fold+1])
		gram[fold], cross[fold] = mat.NewSymPacked(k, nil), mat.NewDense(k, c, nil)
		mat.SymOuterK(e.backend, gram[fold], 1, a, true)
		mat.MulTrans(e.backend, cross[fold], a, true, y, false)
	}
	for held := f.firstHeld; held < numFolds; held++ {
		sum, t := mat.NewSymPacked(k, nil), mat.NewDense(k, c, nil)
		for fold := range numFolds {
			if fold != held {
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

// rows returns the nodes and the targets of some rows, without a copy.
func (e *Equations) rows(from, to int) (a, y *mat.Dense) {
	_, k := e.a.Dims()
	_, c := e.y.Dims()
	return e.a.Slice(from, to, 0, k).(*mat.Dense), e.y.Slice(from, to, 0, c).(*mat.Dense)
}

// weighted returns the nodes and the targets of some rows, times the roots of their weights.
func (e *Equations) weighted(from, to int) (a, y *mat.Dense) {
	a, y = e.rows(from, to)
	if e.folds.weights == nil {
		return a, y
	}
	a, y = gonum.DenseCopyOf(a), gonum.DenseCopyOf(y)
	for i, w := range e.folds.weights[from:to] {
		root := math.Sqrt(w)
		for _, row := range [][]float64{a.RawRowView(i), y.RawRowView(i)} {
			for j := range row {
				row[j] *= root
			}
		}
	}
	return a, y
}

// At returns the result of a ridge, with an infinite loss where the normal equations have no solution
// in rounded numbers. The folds are solved at once, each by itself.
func (e *Equations) At(lambda float64) *Result {
	m, k := e.a.Dims()
	_, cols := e.y.Dims()
	scores := mat.NewDense(m, cols, nil)
	errs := make([]error, len(e.gram))
	workers.Default.Rows(len(e.gram), k*k, func(from, to int) {
		for i := from; i < to; i++ {
			errs[i] = e.solve(scores, lambda, i)
		}
	})
	r := e.result(lambda, scores, e.folds.firstHeld)
	if errors.Join(errs...) != nil || math.IsNaN(r.Loss) {
		r.Loss = math.Inf(1)
	}
	return r
}

// result measures scores by the rows from a fold on.
func (e *Equations) result(lambda float64, scores *mat.Dense, fold int) *Result {
	r := &Result{Shrink: e.shrink, Method: blsupdate.Gram, Lambda: lambda, folds: e.folds, scores: scores}
	r.Loss, r.Score = e.folds.measure(scores, e.y, fold)
	r.HeldOut = len(e.folds.rows) - e.folds.ends[fold]
	return r
}

// solve computes the scores of the fold that is held out as number i.
func (e *Equations) solve(scores *mat.Dense, lambda float64, i int) error {
	_, k := e.a.Dims()
	_, cols := e.y.Dims()
	s := mat.NewSymPacked(k, slices.Clone(e.gram[i].RawSymPacked().Data))
	s.AddDiagonal(lambda)
	factor := lapack.Cholesky{MaxCondition: math.Inf(1), Backend: e.backend}
	if err := factor.FactorizeInPlace(s); err != nil {
		return err
	}
	var w mat.Dense
	if err := factor.SolveTo(&w, e.cross[i]); err != nil {
		return err
	}
	from, to := e.folds.ends[e.folds.firstHeld+i], e.folds.ends[e.folds.firstHeld+i+1]
	a, _ := e.rows(from, to)
	mat.Mul(e.backend, scores.Slice(from, to, 0, cols).(*mat.Dense), a, &w)
	return nil
}

// byQR returns the better result by QR with a ridge that is too small for Gram, or r, whose ridge is
// the smallest for Gram, if none is clearly better on the last fold.
func (e *Equations) byQR(ctx context.Context, r *Result) (*Result, error) {
	const last = numFolds - 1
	from, m := e.folds.ends[last], e.folds.ends[numFolds]
	_, cols := e.y.Dims()
	a, y := e.weighted(0, from)
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
		a, _ := e.rows(from, m)
		mat.Mul(e.backend, scores.Slice(from, m, 0, cols).(*mat.Dense), a, w)
		if by := e.result(lambda, scores, last); by.Loss < least {
			by.Method = blsupdate.QR
			best, least = by, by.Loss
		}
	}
	return best, nil
}
