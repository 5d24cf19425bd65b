// Package blsupdate keeps the weights of a linear least-squares model, such as the output layer of a
// broad learning system (BLS), up to date while samples arrive.
//
// # The problem
//
// A (l×k) is the expanded input matrix, with a row for each sample and a column for each node of the
// network. Y (l×c) holds the targets. The weights are
//
//	W = argmin ‖A W - Y‖² + lambda ‖W‖² = (AᵀA + lambda I)⁻¹ AᵀY    (k×c),
//
// and for lambda = 0 the minimum-norm solution A⁺Y. When q rows Ax (q×k) with targets Ya (q×c)
// arrive, an update can be far cheaper than a new start. New starts an Updater by one of six methods.
//
// # Methods
//
//	method            keeps                     flops of an update by q rows            error of W
//	Gram              AᵀA, AᵀY                  qk² + 2cqk, and k³/3 + 2ck² for W       eps κ²
//	QR                R: RᵀR = AᵀA + lambda I,  2qk² + 4cqk, and ck² for W              eps κ
//	                  z: Rᵀz = AᵀY
//	RidgeInverse      Q = (AᵀA + lambda I)⁻¹    3qk² + 2q²k + q³/3 + 4cqk + cq², q < k  eps κ²
//	InverseCholesky   F: F Fᵀ = Q               2qk² + 2k³/3 + 4cqk                     eps κ
//	Improved          A⁺ (the paper)            6qkl + 3q²k + q³ + 4cqk, q < k          eps κ
//	Original          A⁺ (the paper)            6qkl + q²l + q³ + 2q²k + 4cqk           eps κ
//
// κ is the 2-norm condition number of [A; sqrt(lambda) I]. For a few rows QR uses rotations (3qk² +
// 6cqk), and InverseCholesky adds them one by one (3.5qk² + 4cqk). RidgeInverse adds a batch in blocks
// of up to max(k/4, 64) rows: 2q²k becomes qk²/2.
//
// For weights after every batch, Gram is fastest for many rows and RidgeInverse for a few. QR takes up
// to twice as long as Gram, but keeps digits where eps κ² leaves none. Plan chooses a method;
// Updater.Condition reports the digits left. The time and memory of Original and Improved grow
// with the number of samples. docs/choosing-a-method.md has formulas and sources.
//
// # Other changes and statistics
//
// Every method can weight samples (AddInputsContext), remove them (RemoveInputs), forget exponentially
// (Forget), add nodes from the data of all samples (AddNodes), and append and map targets (AddTargets,
// MapTargets). Gram and QR can merge models of shards (Merge) and change the ridge (SetLambda); other
// methods return an *UnsupportedError. Statistics, Leverage, LeaveOneOut, StandardErrors, Covariance
// and PredictionVariance work whenever Weights does, except in Original and Improved with a ridge.
//
// # Flops and times
//
// Model lists the steps of an action with their flops by the paper's convention, and a Counter counts
// the flops requested from a backend. The Report of every update has both, and the time of each
// step; Rates.Seconds predicts these times. Products that maintain the statistics are not counted.
//
// # Errors and cancellation
//
// A call that returns an error leaves the state unchanged, bit for bit. Most functions and methods that
// can take seconds have two forms: Name and, with a context, NameContext. AddInputsContext,
// RemoveInputsContext and LeaveOneOutContext also take weights of rows. NameContext checks the context
// before it starts; NewContext, RebuildContext and AddInputsContext also check it while they work. The
// error for a context that is done wraps its cause. A nil context causes a panic.
//
// # Encoding
//
// Encode writes the state of a model. A decoded model gives bit-identical results: with the backend
// pure on any 64-bit machine, with openblas on the same kind of machine. See docs/file-format.md.
//
// # Sources
//
// H. Zhu, Z. Liu, C. L. P. Chen and Y. Liang, "An Efficient Implementation to Compute the
// Pseudoinverse for the Incremental Broad Learning System on Added Inputs", arXiv:1910.07755.
package blsupdate
