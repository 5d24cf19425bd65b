package bench

import (
	"errors"
	"math"
	"runtime"
	"time"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/lapack"
	"blskernel/mat"
)

// ridgePseudoinverse returns P = A (AᵀA + lambda I)⁻¹ and W = PᵀY for an l×k matrix A and an l×c matrix
// Y. It takes 3lk² + k³/3 + 2lkc flops. P is l×k, the transpose of the paper's A⁺, and W is k×c. Like
// the paper's formula, it uses the Cholesky factor whatever the condition of A. blsupdate.New does so
// only where that is accurate, and otherwise uses QR, with about twice the flops. The error is a
// *lapack.PivotError if AᵀA + lambda I is not positive definite to working precision.
func ridgePseudoinverse(b blskernel.Backend, a, y *mat.Dense, lambda float64) (p, w *mat.Dense, err error) {
	gram := new(mat.SymPacked)
	mat.SymOuterK(b, gram, 1, a, true)
	gram.AddDiagonal(lambda)
	factor := lapack.Cholesky{Backend: b, MaxCondition: math.Inf(1)}
	if err := factor.FactorizeInPlace(gram); err != nil {
		return nil, nil, err
	}
	p, w = new(mat.Dense), new(mat.Dense)
	if err := factor.SolveRowsTo(p, a); err != nil {
		return nil, nil, err
	}
	mat.MulTrans(b, w, p, true, y, false)
	return p, w, nil
}

// timePseudoinverse times the computation of A⁺ and W from scratch, with ridgePseudoinverse or, if the
// factorization fails, with a start of Improved. by names the start, as blsupdate.Start.String does.
func timePseudoinverse(a, y *mat.Dense, opt blsupdate.Options) (by string, seconds, flops float64, err error) {
	runtime.GC() // frees earlier matrices, which may be as large
	counter := blsupdate.NewCounter(opt.Backend)
	began := time.Now()
	_, _, err = ridgePseudoinverse(counter, a, y, opt.Lambda)
	seconds = time.Since(began).Seconds()
	var pivot *lapack.PivotError
	if errors.As(err, &pivot) {
		return timeStart(blsupdate.Improved, a, y, opt)
	}
	return blsupdate.StartCholesky.String(), seconds, counter.Flops(), err
}

// timeStart times the start of method m and the computation of its weights. by is as in
// timePseudoinverse. The flops are from the flop model, and include a cheaper start that New gave up.
func timeStart(m blsupdate.Method, a, y *mat.Dense, opt blsupdate.Options) (by string, seconds, flops float64, err error) {
	u, _, seconds, err := timed(func() (blsupdate.Updater, error) {
		return blsupdate.New(m, a, y, Variant{Method: m}.options(opt))
	})
	if err != nil {
		return "", 0, 0, err
	}
	report := u.Report()
	return report.Start.String(), seconds, report.Model() + report.Abandoned, nil
}
