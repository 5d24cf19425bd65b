// Package scaleout fits a broad learning system to rows on many machines. [Fit] is a pipeline of Apache
// Beam's Go SDK, which runs on Flink, Spark and Dataflow, and on Prism within the process.
//
// # The sum
//
// With the feature maps of a model that was trained on a sample of the data, a fit is a sum over rows.
// A state of package blsupdate is the sum over some of the rows:
//
//	Gram   G = AᵀA, T = AᵀY        W = (G + lambda I)⁻¹ T         merging adds
//	QR     R with RᵀR = AᵀA, z     W = R⁻¹z, with lambda in R     merging factorizes [R1; R2]
//
// so states of rows on any number of machines merge:
//
//	x, y := []string{"gs://bucket/x-*.npy"}, []string{"gs://bucket/y-*.npy"}
//	opt := scaleout.Options{Model: "gs://bucket/base.bls", Out: "gs://bucket/all.bls", Lambda: 1e-3}
//	scaleout.Fit(s, x, y, opt)
//
// One step lists the files, and one learns their rows and makes one state of each bundle of files.
// Further steps merge the states. The last solves for the weights and writes the model file, which
// `blskernel predict` and `blskernel update` read. Only paths and states cross the network, 4k² bytes
// per state for k nodes.
//
// # Exactly once
//
// A runner may run a bundle several times, even at once, and uses the outputs of one run. Steps have no
// effects but their outputs; the last one replaces a whole file with the same bytes. Therefore every
// row counts once. The last step adds lambda, so lambda counts once, whatever the number of files. No
// output depends on a clock or on random numbers: the time in a model file is fixed when the pipeline
// is built. The runner chooses the order of the states, so the last bits of the weights may differ
// between two runs.
//
// # The model of the features
//
// A pipeline contains the path of the model file and its SHA-256. Each process reads the file once, and
// fails if the file has changed. The fit does not include the rows that this model has learned. It
// supports no row weights and class weights, and refuses a model whose file says that it was trained
// with them. The result has the model's classes and column names and, for regression, its means of the
// targets.
//
// A label that the model lacks becomes a new class. Its target is -1 for all earlier rows, the negative
// of a target that is 1 for all rows, so states with different classes merge. Options.KnownLabels makes
// rows with such labels bad rows.
//
// The default backend of the process computes the products (see package blskernel).
package scaleout
