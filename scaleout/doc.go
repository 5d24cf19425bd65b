// Package scaleout fits a broad learning system to more rows than one machine can read. It consists of
// transforms for Apache Beam's Go SDK, which run on Flink, Spark and Dataflow, and on Prism within the
// process.
//
// # The sum
//
// With the feature maps of a model that was trained on a sample of the data, a fit is a sum over rows.
// A state of package blsupdate is the sum over some of them:
//
//	Gram   G = AᵀA, T = AᵀY        W = (G + lambda I)⁻¹ T         merging adds
//	QR     R with RᵀR = AᵀA, z     W = R⁻¹z, with lambda in R     merging factorizes [R1; R2]
//
// so states of rows on any number of machines merge:
//
//	base := "gs://bucket/base.bls"
//	shards := scaleout.Match(s, []string{"gs://bucket/x-*.npy"}, []string{"gs://bucket/y-*.npy"})
//	batches, bad := scaleout.Read(s, shards, scaleout.ReadOptions{Model: base})
//	model := scaleout.FitGram(s, batches, scaleout.Options{Model: base, Lambda: 1e-3, Bad: bad})
//	scaleout.Write(s, "gs://bucket/all.bls", model)
//
// Match lists files, Read makes batches of samples, States makes one state of each bundle, Merge one of
// all states, and Solve the model file, which `blskernel predict` and `blskernel update` read. FitGram
// and FitQR are the last three together. Only paths and states cross the network, 4k² bytes a state for
// k nodes: runners fuse Read with States, so that batches stay in their worker.
//
// # Exactly once
//
// A runner may run a bundle several times, even at once, and uses the outputs of one run. Steps have no
// effects but their outputs; Write replaces a whole file by the same bytes. So every row counts once.
// Solve adds lambda, so lambda counts once, whatever the number of shards. No output depends on a clock
// or on random numbers: the time in a model file is that of the construction of the pipeline. The
// runner chooses the order of the states, so the last bits of the weights may differ between two runs.
//
// # The model of the features
//
// A pipeline has the path of the model file and its SHA-256. Each process reads the file once, and
// refuses another one. The fit does not include what that model has learned. The result has its
// classes, names of columns and, for a regression, the means that are subtracted from the targets.
//
// A label that the model does not have is a new class. Its target is -1 for all rows before, the
// negative of a target that is 1 for all rows, so states of different classes merge.
// ReadOptions.KnownLabels makes such labels bad rows.
//
// The default backend of the process computes the products, see package blskernel.
//
// # Errors
//
// The construction of a pipeline panics for wrong arguments and for a model file that cannot be read,
// with an error as the value, as Beam's own functions do. An error of a running pipeline reaches the
// program as text, through the runner: it names the file and, if known, the line and column or the
// sample. Read and Solve document what can be set aside.
package scaleout
