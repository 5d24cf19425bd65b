// Package bench contains the experiments of the paper, for a program, a test or the command blskernel
// to run and print. The experiments use data files or synthetic data.
//
// # Incremental
//
// An Incremental is the experiment of the paper's Tables 2 to 9. The feature maps and the output
// weights W are fitted to the first l samples, and then batches of q samples arrive. Every method
// updates its own state and W from the same rows of A. The results of a step therefore differ only by
// the method:
//
//	e := &bench.Incremental{Train: train, Test: test, Initial: 10000, Batch: 1000, Updates: 50,
//		Features: bls.FeatureOptions{EnhancementNodes: 1000},
//		Variants: bench.Variants(blsupdate.Original, blsupdate.Improved)}
//	err := e.Run(ctx, func(row bench.TableRow) error { ...; return nil }, nil)
//
// The time of a step covers its features, the update, and the weights where a method solves for them;
// it excludes the test. Flops exclude the features, and are given both by the model and as counted by
// the backend. Total times, like the paper's, are sums over all steps, including the start.
//
// The start of A⁺ is the same for Original and Improved. It is not always the paper's inverse of AᵀA +
// lambda I: see blsupdate.New. Retraining, if measured, computes A⁺ by the paper's formula. If AᵀA +
// lambda I is not positive definite to working precision, it uses the start of Improved. The paper's
// rule for the form of B is blsupdate.Paper; the zero value of Options decides by flops.
//
// Accuracy hides errors: weights may be wrong by many percent before an argmax changes. Each cell of a
// row therefore has the distance of its weights from the first method's weights.
//
// # Source
//
// H. Zhu, Z. Liu, C. L. P. Chen and Y. Liang, "An Efficient Implementation to Compute the
// Pseudoinverse for the Incremental Broad Learning System on Added Inputs", arXiv:1910.07755, the
// numerical experiments.
package bench
