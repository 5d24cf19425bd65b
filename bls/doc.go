// Package bls is the broad learning system: a network of two layers with weights that are random, or
// nearly so, and an output layer that is a linear least-squares problem.
//
// # The expanded input matrix
//
// X (l×d) holds one sample in each row. Two layers of nodes expand it to A = [Z, H] (l×k, k = N + n3):
//
//	Z = phi(X)                  N = n2·n1 feature nodes, n2 groups of n1
//	H = tanh(s/m [Z, 0.1] Wh)   n3 enhancement nodes
//
// The weights W of the output layer solve A W = Y in the sense of least squares, by package blsupdate.
// With FeatureOptions.Direct A is [Z, S, H], where S are the standardised samples, and with
// FeatureOptions.Steps the last columns of H are steps. The way from X to A is else Algorithm 1 of the
// broad learning system.
//
// # Feature nodes
//
// FeatureOptions.Scaling standardises samples to S in one of four ways:
//
//	ScaleSamples  s = (x - mean(x)) / std(x)                  the paper's: by sample, for images
//	ScaleColumns  s[j] = (x[j] - mean of column j) / its std  by the first training set, for tables
//	ScaleRanks    s[j] = Φ⁻¹(rank of x[j] / n)                by the first training set, for skew
//	ScaleNone     s = x
//
// where std divides by d-1 or l-1, and a rank is that among n rows, with lines between quantiles.
// ScaleSamples maps a sample of equal features to zeros, ScaleColumns and ScaleRanks a column of equal
// elements. S and a last column 0.1, for the bias, are H1 (l×(d+1)).
//
// Each group i draws (d+1)×n1 weights We uniform on [-1,1), and scales each row of H1 We to [-1,1]:
// that is A1. A sparse autoencoder then finds weights that map A1 back to H1,
//
//	min over w of ½‖A1 w - H1‖² + 1e-3 ‖w‖₁    (w is n1×(d+1)),
//
// by 50 iterations of the alternating direction method of multipliers (ADMM) with penalty 1, and their
// transpose replaces We: beta_i = wᵀ. The group's nodes are the columns of H1 beta_i, each mapped to
// [0,1] by its minimum and maximum over the first training set. New samples use the same settings and
// are not clipped. Features.Maps returns all these numbers, with the equations that use them.
//
// # Enhancement nodes
//
// The weights Wh ((N+1)×n3) are uniform on [-1,1) and then, unless the options say otherwise, made
// orthonormal: WhᵀWh = I for N >= n3, and WhWhᵀ = I for N < n3. The factor s/m, where m is the largest
// element of [Z, 0.1] Wh over the first training set, makes the largest enhancement node of that set
// tanh(s).
//
// # Differences from the paper
//
// The orthonormal weights and the factor s/m are in the authors' code and not in the paper;
// FeatureOptions has both forms. A row of H1 We, or a node, that is constant, or so nearly that scaling
// would multiply it by more than 1e14, passes unchanged, as in that code. A group of a single node has
// only such rows. ScaleColumns, ScaleRanks and ScaleNone are not the paper's.
//
// # Repeatability
//
// All random numbers come from PCG generators, one for each group and one for the enhancement nodes.
// Each depends on the seed and on its purpose only, so one more group or node does not change what the
// others draw. The same options and samples give the same maps, whatever the number of threads, on a
// backend whose Dgemm does. If the Dgemm of a backend sums in another order for another number of rows,
// a row of A may differ in its last bits from one batch to another; with the pure backend it does not.
//
// # Models
//
// Classifier and Regressor combine feature maps, fitted to the first batch and frozen, with an Updater
// of package blsupdate, which updates W with every further batch.
//
//	Classifier   Y = 1, then +1 for the class of a sample, -1 for the others; class = largest of A W
//	Regressor    predictions [A, 1] W + 1·y0ᵀ, where y0 are the means of the first targets; with
//	             LogTargets the exponentials of these, times a factor
//
// Settings that are zero are chosen by Fit, on rows that it holds out of the first; Choice says how
// good they are. Fit starts again and PartialFit continues. A call that returns an error leaves the
// model unchanged. The first batch must have samples of all kinds: it fixes the maps. Some methods need
// at least as many rows in it as A has columns: Improved and Original with a ridge, RidgeInverse and
// InverseCholesky without.
//
// Encode writes a fitted model to the last bit; package bls/modelfile keeps models in files.
//
// # Contexts and weights
//
// What goes over samples, or solves for the weights W, has two forms: Name, and NameContext with a
// context and, where samples have them, with weights, nil for ones. NameContext stops when its context
// is done, with an error that wraps context.Cause(ctx), and the model stays as it was. It checks the
// context before each panel of rows, and while it learns as package blsupdate says. A nil context
// panics where it is looked at. What takes no longer than a copy of the model has one form.
//
// # The life of a model
//
// What a model has learned can change in more ways than by PartialFit. In each the weights become
// those of a model that never knew it otherwise, with the same feature maps and lambda, to the rounding
// of the method:
//
//	PartialFit with a new label   adds the class: its target is the negative of the constant target
//	PartialFitContext             counts each sample as often as its weight says
//	Remove                        unlearns samples
//	Forget                        lets all samples so far count less
//	Merge, SetLambda              another model's samples, another ridge: by the methods Gram and QR
//	Relabel                       renames, merges and adds classes
//	Refit                         learns other samples in place of all so far, with the same maps
//
// Remove is no erasure of what samples have told: the scaling of the columns, the feature maps and the
// settings that Fit chose come from the first samples and stay, whether these are removed or not. To
// erase samples of the first batch fit a model anew without them. The slope of the probabilities stays
// too, and the means y0 of a Regressor.
//
// Classifier.PredictProba gives probabilities. Fit sets their slope by the rows that it holds out to
// choose settings; Calibrate sets it by rows that the model has not learned.
//
// A model can also learn in parts. Refit of clones and Merge are one way; output layers alone are
// another, which needs less memory. Expand returns the rows that PartialFit gives the output layer;
// blsupdate.New makes output layers of them anywhere; those of the methods Gram and QR merge into one
// of all samples; and WithUpdater returns a model with it. If the parts have no ridge and SetLambda
// gives one to the sum, the weights are those of one model that has seen all samples, but for rounding.
//
// # Sources
//
// C. L. P. Chen and Z. Liu, Broad learning system: an effective and efficient incremental learning
// system without the need for deep architecture, IEEE Trans. Neural Netw. Learn. Syst. 29 (2018) 10-24,
// Algorithm 1, and the code published by its authors. S. Boyd et al., Distributed optimization and
// statistical learning via the alternating direction method of multipliers, Found. Trends Mach. Learn.
// 3 (2011) 1-122, section 6.4, for the autoencoder.
package bls
