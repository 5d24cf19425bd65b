package dataset

import (
	"blskernel"
	"blskernel/mat"
)

// Constants of the reference code on broad learning, and others that whiten pixels in [0, 1].
const (
	ZCARows   = 10.0  // RowConstant of the reference code
	ZCAValues = 100.0 // EigenvalueConstant of the reference code

	ZCAUnitRows   = ZCARows / (255 * 255) // for pixels in [0, 1] what ZCARows is for pixels in [0, 255]
	ZCAUnitValues = 0.1
)

// ZCAOptions are the constants of [FitZCA]; the zero value is those of the reference code.
//
// The reference code applies ZCARows and ZCAValues to pixels in [0, 1], where they hardly whiten: the
// variance of a row is at most about 1/4, so that every row is divided by about sqrt(10), and all
// eigenvalues of P lie between 1/sqrt(100 + d/40) and 1/10. On random data P = I/10 to 8e-5. Use them
// to reproduce that code.
//
// Use ZCAUnitRows and ZCAUnitValues to whiten pixels in [0, 1]. After the first step the elements of a
// row have a variance near 1, and so the mean eigenvalue is about 1. Eigenvalues below the second
// constant, mostly noise, stay small; those above it come near 1. Smaller constants whiten more and
// amplify more noise; [ZCA.Values] returns the eigenvalues.
type ZCAOptions struct {
	RowConstant        float64           // added to the variance of each row, > 0; 0 means ZCARows
	EigenvalueConstant float64           // added to each eigenvalue, > 0; 0 means ZCAValues
	Backend            blskernel.Backend // nil means blskernel.Default()
}

// A ZCA whitens samples with the least change ("zero phase components"). For a sample x, a row of d
// features, it computes
//
//	z = (x - mean(x)) / sqrt(var(x) + r)    mean and variance of the d elements, by d-1
//	y = (z - m) P,    P = V diag(1/sqrt(D + e)) V'
//
// where m is the mean of the rows z of the fit, V D V' the eigendecomposition of their covariance, by
// l-1, and r and e are RowConstant and EigenvalueConstant. P is symmetric; with e = 0 the covariance of
// the fit's y is I. Several goroutines may use a fitted ZCA.
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

// Values returns the eigenvalues D of the covariance of the fit, ascending, in new storage, with 0 for
// those that rounding made negative.
func (z *ZCA) Values() []float64 { return append([]float64(nil), z.values...) }
