package dataset

import (
	"blskernel"
	"blskernel/mat"
)

// The constants of the reference code on broad learning, and such that whiten pixels in [0, 1].
const (
	ZCARows   = 10.0  // RowConstant of the reference code
	ZCAValues = 100.0 // EigenvalueConstant of the reference code

	ZCAUnitRows   = ZCARows / (255 * 255) // does to pixels in [0, 1] exactly what ZCARows does to pixels in [0, 255]
	ZCAUnitValues = 0.1
)

// ZCAOptions are the constants of [FitZCA]; the zero value stands for those of the reference code.
//
// The reference code on broad learning has ZCARows and ZCAValues, and gives it pixels in [0, 1], as
// [Images.Dense] does: there the two whiten next to nothing. The variance of a row is then at most about 1/4, so
// that every row is in effect only divided by sqrt(10); the eigenvalues of the covariance add up to at most
// about d/40, so that all of P's lie between 1/sqrt(100 + d/40) and 1/10. On random data P = I/10 to 8e-5.
// Standardizing the rows, the first step of the features, takes such a factor out again. These constants
// are for reproducing that code.
//
// To whiten pixels in [0, 1] take ZCAUnitRows and ZCAUnitValues. The first is 10 in the units of the
// pixels. The second is in the units of the rows made by step 1, whose elements have a variance near 1 whatever
// the pixels were: the mean of the eigenvalues is then about 1, those below the constant, which are
// noise for the most part, are left small, and those above it are brought near 1. Smaller values whiten more and
// amplify more noise; [ZCA.Values] shows where the eigenvalues lie.
type ZCAOptions struct {
	RowConstant        float64           // added to the variance of each row, > 0; 0 stands for ZCARows
	EigenvalueConstant float64           // added to each eigenvalue, > 0; 0 stands for ZCAValues
	Backend            blskernel.Backend // nil stands for blskernel.Default()
}

// A ZCA is a whitening of samples that leaves them as near to what they were as whitening can ("zero
// phase components"), fitted to a set of samples. For a sample x (a row of d features)
//
//	z = (x - mean(x)) / sqrt(var(x) + r)    mean and variance of the d elements, by d-1
//	y = (z - m) P,    P = V diag(1/sqrt(D + e)) V'
//
// where m is the mean of the rows z of the samples of the fit, V D V' the eigendecomposition of their
// covariance, by l-1, and r and e are RowConstant and EigenvalueConstant. P is symmetric, and with e = 0
// the covariance of the fit's y would be I. Sources: A. J. Bell and T. J. Sejnowski, "The 'independent
// components' of natural scenes are edge filters", Vision Research 37 (1997), for ZCA; A. Coates, H.
// Lee and A. Y. Ng, "An analysis of single-layer networks in unsupervised feature learning", AISTATS
// 2011, for the two steps with constants.
//
// A ZCA does not change once it is fitted; several goroutines may use it.
type ZCA struct {
	rows    float64 // RowConstant
	mean    []float64
	values  []float64
	p       *mat.SymPacked
	backend blskernel.Backend
}

// Features returns d, the number of columns that samples must have.
func (z *ZCA) Features() int { return len(z.mean) }

// Values returns the eigenvalues D of the covariance of the fit, ascending, in new storage. Those
// that rounding had made negative are 0.
func (z *ZCA) Values() []float64 { return append([]float64(nil), z.values...) }
