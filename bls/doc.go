// Package bls is the broad learning system: a network of two layers with weights that are random, or
// nearly so, and a linear least-squares problem as the output layer.
//
// # The network
//
// X (l×d) holds one sample in each row. Two layers of nodes expand it to A = [Z, H] (l×k, k = N + n3):
//
//	Z = phi(X)                  N = n2·n1 feature nodes, n2 groups of n1
//	H = tanh(s/m [Z, 0.1] Wh)   n3 enhancement nodes
//
// phi standardises the samples to S, multiplies them by sparse weights, and scales each node to [0,1].
// Wh is random and orthonormal. With FeatureOptions.Direct A is [Z, S, H], and with
// FeatureOptions.Steps half of H are steps. The weights W of the output layer solve A W = Y in the
// sense of least squares, by package blsupdate. docs/settings.md has all equations; Features.Maps
// returns all numbers.
//
// # Models
//
// Classifier and Regressor combine feature maps, fitted to the first batch and frozen, with an Updater
// of package blsupdate, which updates W with every further batch. A model that PartialFit started keeps
// its samples while they are fewer than 200, or 10 for each class, and fits them anew with each batch.
//
//	Classifier   Y = 1, then +1 for the class of a sample, -1 for the others; class = largest of A W
//	Regressor    predictions [A, 1] W + 1·y0ᵀ, where y0 are the means of the first targets; with
//	             LogTargets the exponentials of these, times a factor
//
// Settings that are zero are chosen by Fit, on rows that it holds out of the first; Choice says how
// good they are. Fit starts again and PartialFit continues. A call that returns an error leaves the
// model unchanged. The first batch must have samples of all kinds: it fixes the maps. Improved and
// Original with a ridge, RidgeInverse and InverseCholesky without, need as many rows in it as A has
// columns. Encode writes a fitted model to the last bit; package bls/modelfile keeps models in files.
//
// # Contexts and weights
//
// A method that goes over samples, or solves for W, has two forms: Name, and NameContext with a context
// and, where samples have them, weights, nil for ones. NameContext stops when its context is done, with
// an error that wraps context.Cause(ctx). A nil context panics.
//
// # The life of a model
//
// The weights after each of these are those of a model that never knew it otherwise, with the same maps
// and lambda, but for rounding:
//
//	PartialFit with a new label   adds the class: its target is the negative of the constant target
//	PartialFitContext             counts each sample as often as its weight says
//	Remove                        unlearns samples
//	Forget                        lets all samples so far count less
//	Merge, SetLambda              another model's samples, another ridge: by the methods Gram and QR
//	Relabel                       renames, merges and adds classes
//	Refit                         learns other samples in place of all so far, with the same maps
//
// Remove is no erasure: feature maps, settings, the slope of probabilities and the means y0 come from
// the first samples and stay (docs/learning-on.md).
//
// A model can learn in parts: by Refit of clones and Merge, or by Expand and WithUpdater.
//
// # Sources
//
// C. L. P. Chen and Z. Liu, Broad learning system: an effective and efficient incremental learning
// system without the need for deep architecture, IEEE Trans. Neural Netw. Learn. Syst. 29 (2018) 10-24,
// Algorithm 1, and its authors' code.
package bls
