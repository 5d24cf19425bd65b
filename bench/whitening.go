package bench

import (
	"fmt"
	"iter"
	"math"

	"blskernel"
	"blskernel/internal/linalg/backend"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/factor/eigensym"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	gonum "gonum.org/v1/gonum/mat"
)

// The values of Incremental.Whitening. WhitenReference has the constants of the reference code of broad
// learning, which barely whiten pixels in [0, 1]: every row is divided by about sqrt(10), and every
// eigenvalue by about 100. WhitenUnit has constants that do whiten such pixels: eigenvalues, whose mean
// is about 1, change from D to D/(D + 0.1), so only small ones, mostly noise, stay small.
const (
	WhitenReference = "reference"
	WhitenUnit      = "unit"
)

// whitenings maps the values of Incremental.Whitening to the constants r and e. The r of WhitenUnit is
// the r of WhitenReference, scaled from pixels in [0, 255] to [0, 1].
var whitenings = map[string][2]float64{WhitenReference: {10, 100}, WhitenUnit: {10.0 / (255 * 255), 0.1}}

// A whitening whitens samples with the least change (ZCA, "zero phase components"). For a sample x, a
// row of d features, it computes
//
//	z = (x - mean(x)) / sqrt(var(x) + r)    mean and variance (divisor d-1) of the d elements
//	y = (z - m) P,    P = V diag(1/sqrt(D + e)) V'
//
// where m is the mean of the rows z of the fit, and V D V' is the eigendecomposition of their
// covariance (divisor l-1). P is symmetric; with e = 0 the rows y of the fit have the covariance I.
//
// Sources: A. J. Bell and T. J. Sejnowski, "The 'independent components' of natural scenes are edge
// filters", Vision Research 37 (1997), for ZCA; A. Coates, H. Lee and A. Y. Ng, "An analysis of
// single-layer networks in unsupervised feature learning", AISTATS 2011, for the two constants.
type whitening struct {
	r       float64
	mean    []float64 // m
	values  []float64 // the diagonal of D, ascending
	p       *mat.SymPacked
	backend blskernel.Backend
}

// newWhitening fits a whitening to the samples x (l×d), l >= 2 and d >= 2, and overwrites them.
func newWhitening(b blskernel.Backend, x *mat.Dense, r, e float64) (*whitening, error) {
	l, d := x.Dims()
	w := &whitening{r: r, mean: make([]float64, d), values: make([]float64, d), backend: backend.Or(b)}
	standardize(x, r)
	for i := range l {
		floats.Add(w.mean, x.RawRowView(i))
	}
	for j := range w.mean {
		w.mean[j] /= float64(l)
	}
	v := make([]float64, d*d)
	for panel := range w.centered(x) {
		raw := panel.RawMatrix()
		w.backend.Dsyrk(blas.Upper, blas.Trans, d, raw.Rows, 1/float64(l-1), raw.Data, raw.Stride, 1, v, d)
	}
	for i := range d {
		for j := range i {
			v[i*d+j] = v[j*d+i]
		}
	}
	if !eigensym.Syev(factor.On(w.backend), blas.Upper, true, d, block.Dense(v, d), w.values) {
		return nil, fmt.Errorf("bench: whitening of %d samples with %d pixels: the eigenvalues of the covariance did not converge", l, d)
	}
	// P = (V S)(V S)' with S = diag((D + e)^(-1/4)) is exactly symmetric, and takes half the flops.
	for j := range d {
		w.values[j] = max(w.values[j], 0) // negative only by rounding
		root := 1 / math.Sqrt(math.Sqrt(w.values[j]+e))
		for i := range d {
			v[i*d+j] *= root
		}
	}
	w.p = mat.NewSymPacked(d, nil)
	mat.SymOuterK(w.backend, w.p, 1, mat.NewDense(d, d, v), false)
	return w, nil
}

// transform whitens the rows of x in place.
func (w *whitening) transform(x *mat.Dense) {
	standardize(x, w.r)
	for panel := range w.centered(x) {
		mat.MulSym(w.backend, panel, gonum.DenseCopyOf(panel), w.p)
	}
}

// centered subtracts the mean of the fit from the standardized rows of x, and yields the rows in panels
// of 8 MiB, or of 64 rows if that is more.
func (w *whitening) centered(x *mat.Dense) iter.Seq[*mat.Dense] {
	l, d := x.Dims()
	return func(yield func(*mat.Dense) bool) {
		for from, rows := 0, max(64, (1<<20)/d); from < l; from += rows {
			panel := x.Slice(from, min(l, from+rows), 0, d).(*mat.Dense)
			for i := range panel.RawMatrix().Rows {
				floats.Sub(panel.RawRowView(i), w.mean)
			}
			if !yield(panel) {
				return
			}
		}
	}
}

// standardize replaces each row v of x with (v - mean(v)) / sqrt(var(v) + r).
func standardize(x *mat.Dense, r float64) {
	l, d := x.Dims()
	for i := range l {
		row := x.RawRowView(i)
		sum, squares := 0.0, 0.0
		for _, v := range row {
			sum += v
		}
		mean := sum / float64(d)
		for j, v := range row {
			row[j] = v - mean
			squares += float64(row[j] * row[j])
		}
		deviation := math.Sqrt(squares/float64(d-1) + r)
		for j := range row {
			row[j] /= deviation
		}
	}
}
