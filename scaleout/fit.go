package scaleout

import "github.com/apache/beam/sdks/v2/go/pkg/beam"

// Fit fits the output layer of a model to all samples of the files that match patterns, which are globs
// on Beam's file systems. The pipeline writes a model file with the feature maps, names and classes of
// opt.Model. The file includes the state of the output layer, so the model can learn more. Up to
// rounding the result equals a fit in one process to the same samples, with the same feature maps and
// ridge. The division into files, bundles and workers does not matter, nor how often a bundle runs.
//
// The n-th file that targets match has the labels or targets of the n-th file that patterns match.
// Patterns keep the given order, and the files of each pattern are sorted by name. Package
// dataset/stream reads the files: idx, .npy, .npz and CSV, plain or gzipped. Words, missing cells and
// numbers are read as in the training of the model. The counters [MetricUnknown], [MetricFilled] and
// [MetricDropped] count unknown words, cells filled in and rows left out. A file without samples adds
// nothing. Beam reads remote files once from beginning to end, so remote .npz files cannot be read.
//
//	cost: for each sample bls.Features.Transform, and k² + 2ck flops for the state with Gram, 2k² +
//	4ck with QR; n-1 merges for n states, each of k²/2 additions with Gram and 2k³/3 flops with QR;
//	once, k³/3 + 2ck² flops with Gram, 2k³/3 + ck² with QR.
//	memory: in a worker, the model once and, for each running bundle, the state (4k² bytes with
//	Gram, 8k² with QR) and a batch with its nodes (8(d+k) bytes per row). In the last step, about
//	four times the state.
//	panics: with an error for invalid options, a model that CheckModel rejects, or a scheme whose
//	file system is not linked into the program; with a string for an empty pattern, or for none.
//	errors: the runner returns the error of the pipeline as text: the errors of Shards; the first
//	file that cannot be opened, is cut off, has a wrong checksum or does not fit the inputs of the
//	model; the first bad row beyond opt.SkipBad, with its file, line and column; more than 4096
//	classes; no samples or, without a ridge, fewer samples than nodes; nodes that are dependent to
//	working precision; a fault of the file system of opt.Out. A row is also bad if its nodes
//	overflow, or if its target is not positive and the model learns logarithms. After an error an
//	existing opt.Out is unchanged.
func Fit(s beam.Scope, patterns, targets []string, opt Options) {
	opt = opt.resolve()
	s = s.Scope("scaleout.Fit")
	with := useModel(opt.Model)
	opt.Batch = opt.rows(with.base.FittedFeatures().Inputs())
	states, bad := beam.ParDo2(s.Scope("Learn"), &learnFn{withModel: with, Options: opt}, match(s.Scope("Match"), patterns, targets))
	sum := merge(s.Scope("Merge"), states, opt.States)
	beam.ParDo0(s.Scope("Solve"), &solveFn{withModel: with, Options: opt}, beam.Impulse(s),
		beam.SideInput{Input: sum}, beam.SideInput{Input: bad})
}
