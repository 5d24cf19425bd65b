package dataset

import (
	"fmt"
	"math"

	"blskernel/blsupdate"
	"blskernel/internal/backend"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonum "gonum.org/v1/gonum/mat"
)

// FitZCA fits a ZCA to the samples X (l×d), l >= 2 and d >= 2.
//
//	reads/writes: X is neither modified nor kept.
//	cost: l·d² flops for the covariance, 9d³ for gonum's mat.EigenSym, mostly unblocked on one
//	thread, and d³ for P: on an AMD EPYC 3 s at d = 512, 17 s at d = 1024, and 2 minutes at d =
//	2048, the features of a pair of small NORB images.
//	memory: four d×d matrices, and rows of 8 MB.
//	errors: *blsupdate.OptionError for a constant that is negative, NaN or infinite;
//	*blsupdate.ShapeError for fewer than 2 rows or columns; *blsupdate.NotFiniteError for a NaN or
//	an infinity in X; blsupdate.ErrOverflow for an element beyond ±1e150; an error if the
//	eigenvalues do not converge.
func FitZCA(x *mat.Dense, opt ZCAOptions) (*ZCA, error) {
	z := &ZCA{rows: opt.RowConstant, backend: backend.Or(opt.Backend)}
	if z.rows == 0 {
		z.rows = ZCARows
	}
	e := opt.EigenvalueConstant
	if e == 0 {
		e = ZCAValues
	}
	for _, option := range []struct {
		name  string
		value float64
	}{{"RowConstant", z.rows}, {"EigenvalueConstant", e}} {
		if v := option.value; !(v > 0) || math.IsInf(v, 1) {
			return nil, &blsupdate.OptionError{Op: "dataset", Option: option.name, Value: v, Want: "a finite number above 0, or 0 for the default"}
		}
	}
	l, d := x.Dims()
	if l < 2 || d < 2 {
		return nil, &blsupdate.ShapeError{Op: "dataset", Matrix: "X", Rows: l, Cols: d, Want: "at least 2 rows and 2 columns"}
	}
	if err := checkZCASamples(x); err != nil {
		return nil, err
	}
	cov := z.covariance(x)
	var eig gonum.EigenSym
	if !eig.Factorize(cov, true) {
		return nil, fmt.Errorf("dataset: the eigenvalues of the %d×%d covariance of X do not converge", d, d)
	}
	z.values = eig.Values(nil)
	for i, v := range z.values {
		z.values[i] = max(v, 0) // only rounding makes one negative
	}
	var v mat.Dense
	eig.VectorsTo(&v)
	// P = (V S)(V S)' with S = diag((D + e)^(-1/4)): exactly symmetric, at half the flops.
	raw := v.RawMatrix()
	scale := make([]float64, d)
	for j, value := range z.values {
		scale[j] = 1 / math.Sqrt(math.Sqrt(value+e))
	}
	for i := range d {
		row := raw.Data[i*raw.Stride : i*raw.Stride+d]
		for j := range row {
			row[j] *= scale[j]
		}
	}
	z.p = mat.NewSymPacked(d, nil)
	mat.SymOuterK(z.backend, z.p, 1, &v, false)
	return z, nil
}

// covariance sets the mean of the standardized rows of x and returns their covariance. Rows are
// centered before they are multiplied, so that a large mean loses no digits.
func (z *ZCA) covariance(x *mat.Dense) *gonum.SymDense {
	l, d := x.Dims()
	z.mean = make([]float64, d)
	panel := make([]float64, zcaPanel(d)*d)
	eachZCAPanel(l, d, func(from, to int) {
		for i := from; i < to; i++ {
			row := panel[:d]
			z.standardize(row, x.RawRowView(i))
			for j, v := range row {
				z.mean[j] += v
			}
		}
	})
	for j := range z.mean {
		z.mean[j] /= float64(l)
	}
	s := make([]float64, d*d)
	eachZCAPanel(l, d, func(from, to int) {
		z.center(panel, x, from, to)
		z.backend.Dsyrk(blas.Upper, blas.Trans, d, to-from, 1/float64(l-1), panel, d, 1, s, d)
	})
	return gonum.NewSymDense(d, s)
}
