// Package bls is the broad learning system: a network without depth whose first two layers are drawn at
// random, or nearly so, and whose output layer is a linear least-squares problem.
//
// # The expanded input matrix
//
// X (l×d) holds one sample in each row. Two layers of nodes expand it to A = [Z, H] (l×k, k = N + n3):
//
//	Z = phi(X)                  N = n2·n1 feature nodes, n2 groups of n1
//	H = tanh(s/m [Z, 0.1] Wh)   n3 enhancement nodes
//
// and the weights W of the output layer solve A W = Y in the sense of least squares, which is the
// matter of package blsupdate. This file describes the way from X to A, Algorithm 1 of the broad
// learning system.
//
// # Feature nodes
//
// Samples are standardised to S, of which FeatureOptions.Scaling has three kinds:
//
//	ScaleSamples  s = (x - mean(x)) / std(x)                     the paper's: each sample by itself, for images
//	ScaleColumns  s[j] = (x[j] - mean of column j) / its std     by the first training set, for tables
//	ScaleNone     s = x
//
// where std divides by N-1, d-1 or l-1. A sample whose features are all equal becomes zeros in the
// first, a column whose elements are all equal in the second. With a last column 0.1, that carries a
// bias, it is H1 (l×(d+1)).
//
// Each group i draws (d+1)×n1 weights We uniform on [-1,1), and scales each row of H1 We to
// [-1,1]: that is A1. A sparse autoencoder then looks for weights that bring A1 back to H1,
//
//	min over w of ½‖A1 w - H1‖² + 1e-3 ‖w‖₁    (w is n1×(d+1)),
//
// by 50 iterations of the alternating direction method of multipliers (ADMM) with penalty 1, and their
// transpose replaces We: beta_i = wᵀ. The group's nodes are the columns of H1 beta_i, each mapped to
// [0,1] by its minimum and maximum over the first training set. New samples are mapped by the stored
// settings and are not clipped. Features.Maps returns all these numbers, with the equations that use them.
//
// # Enhancement nodes
//
// The weights Wh ((N+1)×n3) are uniform on [-1,1) and then, unless the options say otherwise, made
// orthonormal: WhᵀWh = I where N >= n3, and WhWhᵀ = I where N < n3. The factor s/m, where m is the
// largest element of [Z, 0.1] Wh over the first training set, makes the largest enhancement node of
// that set tanh(s).
//
// # Departures that the literature left open
//
// The paper prints neither the orthonormal weights nor the factor s/m; its authors' code has both.
// FeatureOptions has the choice. A row of H1 We, or a node, that is constant (or so nearly that scaling
// would multiply it by more than 1e14) has no range to be scaled to and passes unchanged, as in that
// code. A group of a single node has only such rows. ScaleColumns and ScaleNone are not the paper's.
//
// # Repeatability
//
// All random numbers come from PCG generators, one for each group and one for the enhancement
// nodes, which depend on the seed and on what they are for and on nothing else: another group or
// other enhancement nodes do not change what a group draws. The same options and samples give the
// same maps, whatever the number of threads of this package's own loops; the products have the
// repeatability of their backend's Dgemm. A Dgemm may sum in another order for another number of
// rows, so a row of A may differ in its last bits between one batch and another; with a backend in
// which it does not, the row is the same to the bit.
//
// # Models
//
// Classifier and Regressor put the two parts together: feature maps, fitted to the first batch and
// frozen, and an Updater of package blsupdate, which brings W up to date with every further batch.
//
//	Classifier   Y = +1 for the class of a sample, -1 for the others; class = largest element of A W
//	Regressor    predictions [A, 1] W + 1·y0ᵀ, where y0 are the means of the first targets
//
// Fit starts anew and PartialFit goes on. A call that returns an error leaves the model as it was.
// Predictions are computed in panels of rows, and any number of goroutines may ask for them at once.
// What may take long has a form with a context, FitContext for example, that stops when the context is
// done.
//
// Encode writes a fitted model, the state of the output layer included, and DecodeClassifier and
// DecodeRegressor read it: a model that is written, read and goes on is to the last bit the one that
// did not stop. Package bls/modelfile keeps models in files.
//
// A model can also learn in parts: Expand returns the rows that PartialFit would give the output layer,
// from which output layers are made anywhere, by blsupdate.New; those of the methods Gram and QR merge
// into one of all samples; and WithUpdater returns a model that has it. Where the parts have no ridge
// and the sum gets one by SetLambda, the weights are those of one model that has seen all samples, but
// for rounding, however they are divided.
//
// The frozen maps make the first batch important: it should have samples of all kinds, and with a ridge
// lambda > 0 it must have at least as many as there are columns.
//
// The standardisation of each sample by itself, ScaleSamples, makes x, 2x and x+1 the same to a model,
// which suits images. For tables, whose columns are of different kinds, there is ScaleColumns. With it
// and with ScaleNone a sample may be so large that a node is beyond float64, which is an
// *OverflowError.
//
// # Sources
//
// C. L. P. Chen and Z. Liu, Broad learning system: an effective and efficient incremental learning system
// without the need for deep architecture, IEEE Trans. Neural Netw. Learn. Syst. 29 (2018) 10-24,
// Algorithm 1, and the code published by its authors. S. Boyd et al., Distributed
// optimization and statistical learning via the alternating direction method of multipliers,
// Found. Trends Mach. Learn. 3 (2011) 1-122, section 6.4, for the autoencoder.
package bls
