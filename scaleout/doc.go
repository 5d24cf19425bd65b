// Package scaleout fits a broad learning system to rows on many machines. [Fit] builds a pipeline of
// Apache Beam's Go SDK, which runs on Flink, Spark or Dataflow, or on Prism within the process.
//
// # The sum
//
// Given the feature maps of a base model, trained on a sample of the data, a fit is a sum over rows. A
// state of package blsupdate is the sum over some of the rows:
//
//	Gram   G = AᵀA, T = AᵀY        W = (G + lambda I)⁻¹ T         merging adds
//	QR     R with RᵀR = AᵀA, z     W = R⁻¹z, with lambda in R     merging factorizes [R1; R2]
//
// so states from any number of machines can be merged:
//
//	x, y := []string{"gs://bucket/x-*.npy"}, []string{"gs://bucket/y-*.npy"}
//	opt := scaleout.Options{Model: "gs://bucket/base.bls", Out: "gs://bucket/all.bls", Lambda: 1e-3}
//	scaleout.Fit(s, x, y, opt)
//
// The first step lists the files. The second learns their rows and makes one state of each bundle of
// files. Further steps merge the states. The last step solves for the weights and writes the model
// file, which `blskernel predict` and `blskernel update` read. Only paths, states and lists of bad rows
// pass between steps, with 4k² bytes per state for k nodes.
//
// # Exactly once
//
// A runner may run a bundle several times, even at once, and uses the outputs of one run. Steps have no
// side effects, except that the last step replaces whole files with the same bytes. Therefore
// every row counts once. The last step adds lambda, so lambda counts once, whatever the number of
// files. No output depends on a clock or on random numbers: the time in a model file is fixed when the
// pipeline is built. The runner chooses the order of the states, so the last bits of the weights may
// differ between two runs.
//
// # The base model
//
// A pipeline contains the path and the SHA-256 of the model file. Each process reads the file once, and
// fails if the file has changed. The fit does not include the rows that the base model has learned. Row
// weights and class weights are not supported: Fit rejects a model whose file says that it was trained
// with them. The result has the classes, the column names and, for regression, the means of the targets
// of the base model.
//
// With Options.KnownLabels a row with a label that the base model lacks is bad. Otherwise such a label
// becomes a new class, whose target is -1 for all earlier rows. Each state has a constant target, 1 for
// all rows; its negative is the target of classes that the state lacks. So all states can be merged.
//
// The default backend of the process computes the products (see package blskernel).
package scaleout
