// Package bls implements the broad learning system: a network of two layers with random, or nearly
// random, weights, and an output layer that solves a linear least-squares problem.
//
// # The network
//
// X (l×d) holds one sample in each row. Two layers of nodes expand it to A = [Z, H] (l×k, k = N + n3):
//
//	Z = phi(X)                  N = n2·n1 feature nodes, n2 groups of n1
//	H = tanh(s/m [Z, 0.1] Wh)   n3 enhancement nodes
//
// phi standardizes the samples to S, multiplies S by sparse weights, and maps each node to [0,1]. Wh is
// random and orthonormal, s is FeatureOptions.Shrink, and m is the largest element of [Z, 0.1] Wh. The
// first batch determines m and the ranges of the nodes. With Direct, A is [Z, S, H]; with Steps, half
// of the columns of H are steps. Package blsupdate computes the output weights W, the least-squares
// solution of A W = Y. docs/settings.md has the equations; Features.Maps returns the parameters.
//
// # Models
//
// Classifier and Regressor combine feature maps, fitted to the first batch and frozen, with an Updater
// of package blsupdate, which updates W with every further batch. A model that PartialFit started keeps
// its samples, and is refitted to them, until there are 200, or 10 per class if that is more.
//
//	Classifier   class = argmax A W; targets are 1, then +1 for the class and -1 for the others
//	Regressor    predictions [A, 1] W + 1·y0ᵀ, where y0 are the means of the first targets; with
//	             LogTargets, the exponentials of these predictions times a factor
//
// Fit chooses the settings that are zero, most of them on held-out rows (see Choice). Fit starts a new
// model, and PartialFit continues one. A call that returns an error leaves the model unchanged. The
// first batch fixes the maps, so it must be representative. For Improved and Original with a ridge, and
// for RidgeInverse and InverseCholesky without one, it needs at least as many rows as A has columns.
// Encode writes a fitted model bit for bit; package bls/modelfile stores it in a file.
//
// # Contexts and weights
//
// Most methods that process samples or solve for W have two forms, Name and NameContext. NameContext
// also takes a context and, if samples can be weighted, weights; nil means all ones. When the context
// is done, NameContext returns an error that wraps context.Cause(ctx). It panics for a nil context.
//
// # Changing a model
//
// Each call below yields, up to rounding, the weights of a fresh fit to the resulting samples with the
// model's maps and lambda. Original and Improved with a ridge only approximate them.
//
//	PartialFit with a new label   adds the class, with the target -1 for all samples so far
//	PartialFitContext             multiplies the squared error of each sample by its weight
//	Remove                        unlearns samples
//	Forget                        scales down the weights of all samples so far, and lambda
//	Merge                         adds the samples of another model (Gram and QR only)
//	SetLambda                     changes the ridge (Gram and QR only)
//	Relabel                       renames, merges and adds classes
//	Refit                         replaces all samples so far, with the same maps
//
// Remove leaves traces once the maps are fixed: the maps, the settings, the slope of probabilities and
// the means y0 come from the first samples (docs/learning-on.md).
//
// A model can learn in parts: by Refit and Merge of clones, or by Expand and WithUpdater.
//
// # Sources
//
// C. L. P. Chen and Z. Liu, Broad learning system: an effective and efficient incremental learning
// system without the need for deep architecture, IEEE Trans. Neural Netw. Learn. Syst. 29 (2018) 10-24,
// Algorithm 1, and its authors' code.
package bls
