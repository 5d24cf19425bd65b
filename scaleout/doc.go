// Package scaleout fits a broad learning system to more rows than one machine can read, on an engine
// that many already operate: as transforms of Apache Beam's Go SDK, which run on Flink, Spark,
// Dataflow, and on Prism within the process.
//
// # The sum
//
// With the feature maps given, as a model file has them that was trained on a sample, a fit is a sum
// over rows. A state of package blsupdate is the sum of some of them:
//
//	Gram   G = AᵀA, T = AᵀY        W = (G + lambda I)⁻¹ T         merging adds
//	QR     R with RᵀR = AᵀA, z     W = R⁻¹z, with lambda in R     merging is the QR factorization of [R1; R2]
//
// so rows on any number of machines become states that merge:
//
//	shards := scaleout.Match(s, []string{"gs://bucket/x-*.npy"}, []string{"gs://bucket/y-*.npy"})
//	batches, bad := scaleout.Read(s, shards, scaleout.ReadOptions{Model: "sample.bls"})
//	model := scaleout.FitGram(s, batches, scaleout.Options{Model: "sample.bls", Lambda: 1e-3, Bad: bad})
//	scaleout.Write(s, "gs://bucket/all.bls", model)
//
// Match lists files, Read makes batches of samples, States one state of each bundle, Merge one of all
// states, and Solve the model, whose file `blskernel predict` and `blskernel update` read; FitGram and
// FitQR are the last three together. What crosses the network is the paths and the states, 4k² bytes
// each for k nodes: batches stay in the worker that reads them, as runners fuse Read with States.
//
// # Exactly once
//
// A runner may run a bundle again, or twice at the same time, and takes the outputs of one run. A step
// of this package does nothing but its outputs, but for Write, which replaces a whole file by the same
// bytes; what a step has learned of a bundle is dropped when the next begins. So every row counts once,
// and lambda, which Solve alone adds, enters once, whatever the number of shards. No step looks at a
// clock or draws a number for what it returns: the time in a model file is that of the building of the
// pipeline. States are added in the order in which a runner has them, so the last bits of the weights
// may differ between two runs.
//
// # The model of the features
//
// Pipelines carry the path of the model file and its SHA-256. Each process reads it once, and refuses
// another file. What that model itself has learned is not part of the fit: its rows count if they are
// in the shards. Its classes, names of columns and, of a regression, the means that are subtracted from
// the targets, are those of the result.
//
// Products are computed by the default backend of the process, see package blskernel.
//
// # Errors
//
// Mistakes in the building of a pipeline panic, in Beam's manner; TryRead, TryFitGram and TryFitQR
// return what depends on files and options. An error of a running pipeline reaches the program as a
// text, through the runner: it names the file, and where it can the line and column. Read and Solve say
// what can be set aside instead.
package scaleout
