package bench

import (
	"errors"
	"fmt"
	"math"

	"blskernel/blsupdate"
	"blskernel/lapack"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// A Check compares the weights of one method with others that should be nearly the same. Errors are
// ‖W - W1‖/‖W1‖ in Frobenius norms.
type Check struct {
	// Condition is κ, the largest singular value at any step, of the rows so far, over the smallest
	// that is not zero to working precision; for a method that solves the ridge problem those of
	// [A; sqrt(lambda) I].
	Condition float64 `json:"condition"`
	// Bound bounds OneShotError, which rounding causes: see weightsBound. It does not hold while
	// the rank grows.
	Bound float64 `json:"bound"`
	// OneShotError is the error against the solution by QR, from all rows at once, of the problem
	// that the method stands for: the ridge problem, or for Original and Improved with lambda > 0
	// least squares with the rows of the start A + lambda (A⁺)ᵀ, whose pseudoinverse is the ridge
	// inverse of A.
	OneShotError float64 `json:"one_shot_error"`
	// RidgeDifference is the error against the ridge solution from all rows at once. In Original
	// and Improved it is the bias that the update has for lambda > 0, of the order of lambda over
	// the square of the smallest singular value of the start.
	RidgeDifference float64 `json:"ridge_difference"`
	// FirstMethodError is the error against the weights of the experiment's first method.
	FirstMethodError float64 `json:"first_method_error"`
}

// checker keeps what the checks of an experiment need from step to step.
type checker struct {
	shift  *mat.Dense // lambda (A⁺)ᵀ of the start; nil for lambda = 0
	direct spread     // of the rows with the shift
	ridge  spread     // of [rows; sqrt(lambda) I]
	large  []bool     // by method: whether it has used the Large form
}

// spread has the extreme singular values at any step.
type spread struct{ largest, smallest float64 }

// add takes in singular values, in descending order, and returns the ratio of the extremes.
func (s *spread) add(values []float64) float64 {
	least := values[len(values)-1]
	if s.largest == 0 {
		s.smallest = least
	}
	s.largest, s.smallest = max(s.largest, values[0]), min(s.smallest, least)
	return s.largest / s.smallest
}

// compare adds a check to the rows of a step, where a and y are all rows of A and Y so far.
func (c *checker) compare(variants []Variant, rows []Row, weights []*mat.Dense, a, y *mat.Dense, opt blsupdate.Options) error {
	if c.large == nil {
		var err error
		if c.shift, err = startShift(a, y, opt); err != nil {
			return err
		}
		c.large = make([]bool, len(rows))
	}
	for i := range rows {
		c.large[i] = c.large[i] || rows[i].Form == blsupdate.Large.String()
	}
	implied := gonummat.DenseCopyOf(a)
	if c.shift != nil {
		l, _ := c.shift.Dims()
		start := head(implied, l)
		start.Add(start, c.shift)
	}
	direct, values, err := solve(implied, y, 0, opt)
	if err != nil {
		return err
	}
	directKappa := c.direct.add(values)
	ridge, ridgeKappa := direct, directKappa
	if opt.Lambda > 0 {
		if ridge, values, err = solve(a, y, opt.Lambda, opt); err != nil {
			return err
		}
		ridgeKappa = c.ridge.add(values)
	}
	l, _ := a.Dims()
	for i, v := range variants {
		check := Check{
			Condition: ridgeKappa, RidgeDifference: distance(weights[i], ridge),
			FirstMethodError: distance(weights[i], weights[0]),
		}
		check.OneShotError = check.RidgeDifference
		switch v.Method {
		case blsupdate.Original, blsupdate.Improved:
			check.Condition, check.OneShotError = directKappa, distance(weights[i], direct)
		}
		check.Bound = weightsBound(v.Method, c.large[i], l, check.Condition)
		rows[i].Check = &check
	}
	return nil
}

// startShift returns lambda (A⁺)ᵀ, or nil for lambda = 0: (AᵀA + lambda I)⁻¹Aᵀ is the pseudoinverse of
// A + lambda (A⁺)ᵀ.
func startShift(a, y *mat.Dense, opt blsupdate.Options) (*mat.Dense, error) {
	lambda := opt.Lambda
	if lambda == 0 {
		return nil, nil
	}
	opt.Lambda = 0
	u, err := blsupdate.New(blsupdate.Original, a, y, opt)
	if err != nil {
		return nil, err
	}
	shift := new(mat.Dense)
	shift.Scale(lambda, u.(blsupdate.Pseudoinverter).Pseudoinverse().T())
	return shift, nil
}

// solve returns the W of least norm that minimises ‖A W - Y‖² + lambda ‖W‖², by QR of [A;
// sqrt(lambda) I], with the singular values of that matrix in descending order, without those that
// are rounding noise.
func solve(a, y *mat.Dense, lambda float64, opt blsupdate.Options) (w *mat.Dense, values []float64, err error) {
	l, k := a.Dims()
	_, c := y.Dims()
	stacked, right := mat.NewDense(l+k, k, nil), mat.NewDense(l+k, c, nil)
	stacked.Slice(0, l, 0, k).(*mat.Dense).Copy(a)
	right.Slice(0, l, 0, c).(*mat.Dense).Copy(y)
	for i := range k {
		stacked.Set(l+i, i, math.Sqrt(lambda))
	}
	qr := lapack.QR{Backend: opt.Backend}
	if err := qr.FactorizeInPlace(stacked); err != nil {
		return nil, nil, fmt.Errorf("bench: solving from scratch: %w", err)
	}
	var r mat.Dense
	qr.RTo(&r)
	var svd gonummat.SVD
	if !svd.Factorize(&r, gonummat.SVDNone) {
		return nil, nil, errNoSVD
	}
	values = svd.Values(nil)
	rank := 0
	for rank < k && values[rank] > float64(max(l, k))*eps*values[0] {
		rank++
	}
	switch {
	case rank == 0:
		return nil, nil, errors.New("bench: solving from scratch: all nodes are zero on all samples")
	case rank < k:
		w, err = solveDeficient(&qr, &r, right, rank, opt)
	default:
		w = new(mat.Dense)
		err = qr.SolveTo(w, right)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("bench: solving from scratch: %w", err)
	}
	return w, values[:rank], nil
}

const eps = 0x1p-52

var errNoSVD = errors.New("bench: the singular values of the features did not converge")

// solveDeficient returns V diag(1/s) Uᵀ Qᵀ Y with the first rank singular values and vectors of R.
// It takes over the storage of qr.
func solveDeficient(qr *lapack.QR, r, y *mat.Dense, rank int, opt blsupdate.Options) (*mat.Dense, error) {
	var svd gonummat.SVD
	if !svd.Factorize(r, gonummat.SVDThin) {
		return nil, errNoSVD
	}
	var u, v, projected, scaled mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	k, _ := r.Dims()
	mat.MulTrans(opt.Backend, &projected, qr.QInPlace(), true, y, false)
	mat.MulTrans(opt.Backend, &scaled, u.Slice(0, k, 0, rank).(*mat.Dense), true, &projected, false)
	for i, s := range svd.Values(nil)[:rank] {
		row := scaled.RawRowView(i)
		for j := range row {
			row[j] /= s
		}
	}
	w := new(mat.Dense)
	mat.Mul(opt.Backend, w, v.Slice(0, k, 0, rank).(*mat.Dense), &scaled)
	return w, nil
}

// distance returns ‖got - want‖/‖want‖ in Frobenius norms.
func distance(got, want *mat.Dense) float64 {
	var diff mat.Dense
	diff.Sub(got, want)
	return diff.Norm(2) / want.Norm(2)
}

// weightsBound bounds ‖W - W0‖/‖W0‖ after l rows, where κ is the largest 2-norm condition number of [A;
// sqrt(lambda) I] at any step. With u = sqrt(l) eps κ it is
//
//	10 u      QR, InverseCholesky
//	10 u κ    Gram, RidgeInverse, and Improved once an update was in the form Large
//	50 u      Original, and Improved otherwise
//
// some ten times the largest errors on 225 random matrices: 3.6 eps κ, 0.64 eps κ² and 37 eps κ.
func weightsBound(m blsupdate.Method, large bool, l int, kappa float64) float64 {
	unit := math.Sqrt(float64(l)) * eps * kappa
	switch m {
	case blsupdate.Gram, blsupdate.RidgeInverse:
		return 10 * unit * kappa
	case blsupdate.Original, blsupdate.Improved:
		if large {
			return max(50*unit, 10*unit*kappa)
		}
		return 50 * unit
	default:
		return 10 * unit
	}
}
