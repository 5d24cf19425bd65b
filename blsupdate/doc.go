// Package blsupdate keeps the weights of a linear least-squares model up to date while samples arrive,
// such as the output layer of a broad learning system (BLS).
//
// # The problem
//
// A (l×k) is the expanded input matrix, with a row for each sample and a column for each node of the
// network. Y (l×c) holds the targets. The weights are
//
//	W = argmin ‖A W - Y‖² + lambda ‖W‖² = (AᵀA + lambda I)⁻¹ AᵀY    (k×c),
//
// and for lambda = 0 the solution of least norm, A⁺Y. When q rows Ax (q×k) with targets Ya (q×c)
// arrive, an update is cheaper than a new start. New starts a model by one of six methods. All of them
// are Updaters.
//
// # Methods
//
//	method            keeps                     flops of an update by q rows            error of W
//	Gram              AᵀA, AᵀY                  qk² + 2cqk, and k³/3 + 2ck² for W       eps κ²
//	QR                R: RᵀR = AᵀA + lambda I,  2qk² + 4cqk, and ck² for W              eps κ
//	                  z: Rᵀz = AᵀY
//	RidgeInverse      Q = (AᵀA + lambda I)⁻¹    3qk² + 2q²k + q³/3 + 4cqk + cq², q < k  eps κ²
//	InverseCholesky   F: F Fᵀ = Q               2qk² + 2k³/3 + 4cqk, or 3.5qk² + 4cqk   eps κ
//	Improved          A⁺ (the paper)            6qkl + 3q²k + q³ + 4cqk, q < k          eps κ
//	Original          A⁺ (the paper)            6qkl + q²l + q³ + 2q²k + 4cqk           eps κ
//
// κ is the 2-norm condition number of [A; sqrt(lambda) I]. For a few rows QR uses rotations, 3qk² +
// 6cqk. RidgeInverse takes batches in blocks of k/4 rows, so that 2q²k becomes qk²/2. Model has the
// exact steps.
//
// Where W is wanted after every batch, Gram is fastest for many rows and RidgeInverse for a few. QR
// takes up to twice as long, and keeps its digits where κ² has used up the digits of the others. Plan
// chooses by the rates of this machine and explains why. Updater.Condition says how many digits are
// left, and when Gram should give way to QR.
//
// The time and memory of Original and Improved grow with all samples, since A⁺ is as large as A. They
// are for the paper's algorithms and for A⁺ itself. From q = k/6 on, a new start from AᵀA costs less
// than their update.
//
// # Other changes
//
// Every method weights samples (AddInputsContext), removes them (RemoveInputs), forgets exponentially
// (Forget), and adds nodes from the data of all samples (AddNodes). Every method appends targets that
// are linear in those so far (AddTargets), such as a class that no sample had, and maps targets
// (MapTargets). Gram and QR merge models of shards (Merge) and change the ridge (SetLambda). For other
// methods that is an *UnsupportedError, which names those that can.
//
// # Statistics
//
// Every model knows its residual sums of squares, R², sigma², degrees of freedom and GCV (Statistics),
// leverages and residuals of rows that are left out (Leverage, LeaveOneOut), and the variances of
// weights and predictions (StandardErrors, Covariance, PredictionVariance), after every change. No step
// of a Report counts the products with new rows that keep the sums, 2cqk flops in Original and Improved
// and 2clk at a start.
//
// # The paper's methods
//
// With A⁺, which for lambda > 0 starts as (AᵀA + lambda I)⁻¹Aᵀ,
//
//	Dᵀ = Ax A⁺                              (q×l)
//	A⁺ := [A⁺ - B Dᵀ, B]                    (k×(l+q))
//	W  := W + B (Ya - Ax W)
//
// and the methods differ in B (k×q). Original is Algorithm 2 of the paper, B = A⁺D (I + DᵀD)⁻¹.
// Improved is its Algorithm 3, which never multiplies Dᵀ by D. With Dbar = A⁺D:
//
//	Small       B = Dbar (I + Ax Dbar)⁻¹     a q×q symmetric inverse, by packed LDLᵀ
//	Large       B = (I + Dbar Ax)⁻¹ Dbar     a k×k general inverse, by LU
//	Compressed  B = Bk Qaᵀ                   Ax = Qa Ra by QR, and Small for the k rows of Ra
//
// The paper takes Small for q <= k, and else Large, which loses eps κ². Auto takes the cheaper of Small
// and Compressed, with an error of about eps κ in A⁺. New rows with a norm of DᵀD above 1e3 would lose
// as much in the inverse. For them B comes from a QR factorization of [D; I], or the batch is added in
// halves where D is not kept. Options.Solve solves for B with a factor in place of an inverse.
//
// These formulas hold if C = Axᵀ - AᵀD is zero: if the new rows lie in the row space of A, as they do
// once A has k independent rows. If C has full column rank, B = (C⁺)ᵀ. Otherwise the batch is added in
// two parts: as many rows as the rank of C, which span the new directions, and then the others.
// Options.C says when C is computed; by default as long as the rank of A is below k, so that A⁺ is the
// pseudoinverse for any rank, l, k and q.
//
// (A⁺)ᵀ is kept, l×k in blocks of rows, so that new samples append rows and nothing moves.
//
// # Flops and times
//
// Model lists the steps of an action with their flops by the paper's convention, and a Counter counts
// what a backend was asked for. The Report of every update has both, and the time of each step, which
// Rates.Seconds predicts.
//
// # Errors and cancellation
//
// A call that returns an error leaves the state unchanged, bit for bit. What can take seconds has two
// forms: Name, and NameContext with a context, and with weights where rows have them. NameContext stops
// when its context is done, with an error that wraps its cause; a nil context panics. Every form checks
// the context before it begins. NewContext and AddInputsContext check it also between the steps of a
// method as long as nothing is overwritten, and between panels of rows: 4096 of them in Gram and QR, 16
// to 4096 in Original and Improved; in the form Small k/4 in RidgeInverse and 4 to 64 in
// InverseCholesky. With k = 5000 a panel takes 0.1 TFLOP in Gram and 0.2 in QR.
//
// QR factorizations of all rows in Original and Improved check it before each block of 64 columns,
// 256qk flops. Other factorizations, solutions and inverses, of order k or of order q, are not
// interrupted, nor is the last pass of Original and Improved, which changes A⁺ in place. For more rows
// than a panel, and a context that can be done, Gram, QR and InverseCholesky work on a copy of the
// state. Results do not depend on the context.
//
// # Encoding
//
// Encode writes the whole state of a model. What Decode returns goes on to the bit with the same
// backend on the same kind of machine, and as accurately on any other. docs/file-format.md has the
// layout. Only package blskernel/bls/modelfile has checksums.
//
// # Sources
//
// H. Zhu, Z. Liu, C. L. P. Chen and Y. Liang, "An Efficient Implementation to Compute the Pseudoinverse
// for the Incremental Broad Learning System on Added Inputs", arXiv:1910.07755: Algorithms 2 and 3,
// Table 1. Successors by the first author: arXiv:1911.07292 (added inputs with Q and F),
// arXiv:1911.04872 (added nodes), arXiv:1912.13169 (removal). B = (C⁺)ᵀ: T. N. E. Greville, "Some
// applications of the pseudoinverse of a matrix", SIAM Review 2 (1960), for one row. The row form of
// InverseCholesky: N. A. Carlson, "Fast triangular formulation of the square root filter", AIAA Journal
// 11 (1973). QR by rows: G. H. Golub and C. F. Van Loan, Matrix Computations, fourth edition, section
// 6.5.
package blsupdate
