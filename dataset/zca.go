package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/linalg/backend"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/factor/eigensym"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// Constants of the reference code on broad learning, and constants that whiten pixels in [0, 1].
const (
	ZCARows   = 10.0  // RowConstant of the reference code
	ZCAValues = 100.0 // EigenvalueConstant of the reference code

	ZCAUnitRows   = ZCARows / (255 * 255) // ZCARows for pixels in [0, 1] instead of [0, 255]
	ZCAUnitValues = 0.1
)

// ZCAOptions are the constants of [FitZCA]. The zero value stands for the reference code's constants.
//
// The reference code applies ZCARows and ZCAValues to pixels in [0, 1], and barely whitens them. A row
// has a variance of at most about 1/4, so every row is divided by about sqrt(10). All eigenvalues of
// the matrix P of [ZCA] lie between 1/sqrt(100 + d/40) and 1/10. On random data P equals I/10 to within
// 8e-5. Use ZCARows and ZCAValues to reproduce that code.
//
// Use ZCAUnitRows and ZCAUnitValues to whiten pixels in [0, 1]. A standardized row then has a
// variance near 1, so the mean eigenvalue of the covariance is about 1. Whitening changes an
// eigenvalue D to D/(D + ZCAUnitValues): small eigenvalues, mostly noise, stay small, and larger
// ones come near 1. Smaller constants whiten more and amplify more noise. [ZCA.Values] returns the
// eigenvalues.
type ZCAOptions struct {
	RowConstant        float64           // added to the variance of each row, > 0; 0 means ZCARows
	EigenvalueConstant float64           // added to each eigenvalue, > 0; 0 means ZCAValues
	Backend            blskernel.Backend // nil means blskernel.Default()
}

// A ZCA whitens samples with the least change ("zero phase components"). For a sample x, a row of d
// features, it computes
//
//	z = (x - mean(x)) / sqrt(var(x) + r)    mean and variance (divisor d-1) of the d elements
//	y = (z - m) P,    P = V diag(1/sqrt(D + e)) V'
//
// where m is the mean of the rows z of the fit, and V D V' is the eigendecomposition of their
// covariance (divisor l-1). The constants r and e are RowConstant and EigenvalueConstant. P is
// symmetric; with e = 0 the rows y of the fit have the covariance I. Several goroutines may use a
// fitted ZCA.
//
// Sources: A. J. Bell and T. J. Sejnowski, "The 'independent components' of natural scenes are edge
// filters", Vision Research 37 (1997), for ZCA; A. Coates, H. Lee and A. Y. Ng, "An analysis of
// single-layer networks in unsupervised feature learning", AISTATS 2011, for the two constants.
type ZCA struct {
	rows    float64 // RowConstant
	mean    []float64
	values  []float64
	p       *mat.SymPacked
	backend blskernel.Backend
}

// Features returns d, the number of columns that samples must have.
func (z *ZCA) Features() int { return len(z.mean) }

// Values returns the diagonal of D, the eigenvalues of the covariance, ascending, in new storage.
func (z *ZCA) Values() []float64 { return slices.Clone(z.values) }

// FitZCA fits a ZCA to the samples X (l×d), l >= 2 and d >= 2.
//
//	reads/writes: X is neither modified nor kept.
//	cost: l·d² flops for the covariance, about 9d³ for its eigenvalues and vectors, and d³ for P.
//	memory: five d×d matrices, and 8 MB of rows.
//	errors: *blsupdate.OptionError for a constant that is negative, NaN or infinite;
//	*blsupdate.ShapeError for fewer than 2 rows or columns; *blsupdate.NotFiniteError for a NaN or
//	an infinity in X; blsupdate.ErrOverflow for an element beyond ±1e150; an error if the eigenvalue
//	iteration does not converge.
func FitZCA(x *mat.Dense, opt ZCAOptions) (*ZCA, error) {
	z := &ZCA{rows: cmp.Or(opt.RowConstant, ZCARows), backend: backend.Or(opt.Backend)}
	e := cmp.Or(opt.EigenvalueConstant, ZCAValues)
	for _, option := range []struct {
		name  string
		value float64
	}{{"RowConstant", z.rows}, {"EigenvalueConstant", e}} {
		if v := option.value; !(v > 0) || math.IsInf(v, 1) {
			return nil, &blsupdate.OptionError{Op: "dataset", Option: option.name, Value: v,
				Want: "a positive finite number, or 0 for the default"}
		}
	}
	l, d := x.Dims()
	if l < 2 || d < 2 {
		return nil, &blsupdate.ShapeError{Op: "dataset", Matrix: "X", Rows: l, Cols: d, Want: "at least 2 rows and 2 columns"}
	}
	if err := checkZCASamples(x); err != nil {
		return nil, err
	}
	v, roots := z.covariance(x), make([]float64, d)
	z.values = make([]float64, d)
	if !eigensym.Syev(factor.On(z.backend), blas.Upper, true, d, block.Dense(v, d), z.values) {
		return nil, fmt.Errorf("dataset: the eigenvalue iteration of the %d×%d covariance of X did not converge", d, d)
	}
	// P = (V S)(V S)' with S = diag((D + e)^(-1/4)) is exactly symmetric, and takes half the flops.
	for j, value := range z.values {
		z.values[j] = max(value, 0) // negative only by rounding
		roots[j] = 1 / math.Sqrt(math.Sqrt(z.values[j]+e))
	}
	for i := range d {
		for j, root := range roots {
			v[i*d+j] *= root
		}
	}
	z.p = mat.NewSymPacked(d, nil)
	mat.SymOuterK(z.backend, z.p, 1, mat.NewDense(d, d, v), false)
	return z, nil
}

// covariance sets z.mean to the mean of the standardized rows of x and returns their d×d covariance.
// Rows are centered before they are multiplied, so that a large mean causes no cancellation.
func (z *ZCA) covariance(x *mat.Dense) []float64 {
	l, d := x.Dims()
	z.mean = make([]float64, d)
	row := make([]float64, d)
	for i := range l {
		z.standardize(row, x.RawRowView(i))
		for j, v := range row {
			z.mean[j] += v
		}
	}
	for j := range z.mean {
		z.mean[j] /= float64(l)
	}
	s := make([]float64, d*d)
	z.eachPanel(x, func(_ int, panel *mat.Dense) {
		raw := panel.RawMatrix()
		z.backend.Dsyrk(blas.Upper, blas.Trans, d, raw.Rows, 1/float64(l-1), raw.Data, d, 1, s, d)
	})
	for i := range d {
		for j := range i {
			s[i*d+j] = s[j*d+i]
		}
	}
	return s
}

// Transform replaces the rows of X (l×d) with whitened rows. Each depends only on its own row, up to
// the rounding of the product.
//
//	cost: 2ld² flops; memory: 8 MB of rows.
//	errors: *blsupdate.NotFiniteError for a NaN or an infinity in X, blsupdate.ErrOverflow for an
//	element beyond ±1e150; X is then unchanged.
//	panics: if X is empty or does not have d columns.
func (z *ZCA) Transform(x *mat.Dense) error {
	_, d := x.Dims()
	if d != len(z.mean) {
		panic(panicZCASamples)
	}
	if err := checkZCASamples(x); err != nil {
		return err
	}
	z.eachPanel(x, func(from int, panel *mat.Dense) {
		rows := x.Slice(from, from+panel.RawMatrix().Rows, 0, d).(*mat.Dense)
		mat.MulSym(z.backend, rows, panel, z.p)
	})
	return nil
}

const panicZCASamples = "dataset: ZCA: X does not have as many columns as the fitted samples"

// zcaPanel returns the number of rows of d elements in a panel: as many as fit in 8 MB, at least 64.
func zcaPanel(d int) int { return max(64, (1<<20)/d) }

// eachPanel calls f with consecutive panels of rows of x, copied to a buffer, standardized and
// centered. from is the index in x of a panel's first row. f may overwrite the panel's rows in x.
func (z *ZCA) eachPanel(x *mat.Dense, f func(from int, panel *mat.Dense)) {
	l, d := x.Dims()
	data := make([]float64, min(l, zcaPanel(d))*d)
	for from := 0; from < l; from += zcaPanel(d) {
		rows := min(l-from, zcaPanel(d))
		for i := range rows {
			row := data[i*d : (i+1)*d]
			z.standardize(row, x.RawRowView(from+i))
			for j, m := range z.mean {
				row[j] -= m
			}
		}
		f(from, mat.NewDense(rows, d, data[:rows*d]))
	}
}

// standardize sets dst = (x - mean(x)) / sqrt(var(x) + r), where r is RowConstant.
func (z *ZCA) standardize(dst, x []float64) {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	mean := sum / float64(len(x))
	squares := 0.0
	for j, v := range x {
		dst[j] = v - mean
		squares += float64(dst[j] * dst[j])
	}
	deviation := math.Sqrt(squares/float64(len(x)-1) + z.rows)
	for j := range dst {
		dst[j] /= deviation
	}
}

// maxZCA is the largest magnitude of an element. The squares of 10⁸ such elements have a finite sum.
const maxZCA = 1e150

// checkZCASamples returns an error for the first element of x that is NaN, infinite or beyond ±maxZCA.
func checkZCASamples(x *mat.Dense) error {
	l, _ := x.Dims()
	for i := range l {
		for j, v := range x.RawRowView(i) {
			switch {
			case v-v != 0:
				return &blsupdate.NotFiniteError{Op: "dataset", Matrix: "X", Row: i, Col: j, Value: v}
			case math.Abs(v) > maxZCA:
				return fmt.Errorf("dataset: element (%d,%d) of X is %v, beyond ±%v: %w", i, j, v, maxZCA, blsupdate.ErrOverflow)
			}
		}
	}
	return nil
}
