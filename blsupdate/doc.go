// Package blsupdate learns from new rows: it keeps the weights of a linear least-squares model, such as
// the output layer of a broad learning system (BLS), up to date while samples arrive.
//
// # The problem
//
// A (l×k) is the expanded input matrix, one row for each sample and one column for each node of the
// network, and Y (l×c) holds the targets. The weights are
//
//	W = argmin ‖A W - Y‖² + lambda ‖W‖² = (AᵀA + lambda I)⁻¹ AᵀY    (k×c),
//
// and for lambda = 0 the solution of least norm, A⁺Y. When q rows Ax (q×k) with targets Ya (q×c) arrive,
// nobody wants to start over. New starts a model by one of six methods; all are an Updater.
//
// # Methods
//
//	method            keeps                   flops of an update by q rows            error of W
//	Gram              AᵀA, AᵀY                qk² + 2cqk, and k³/3 + 2ck² for W       eps κ²
//	QR                R, z: RᵀR, Rᵀz the same 2qk² + 4cqk, and ck² for W              eps κ
//	RidgeInverse      Q = (AᵀA + lambda I)⁻¹  3qk² + 2q²k + q³/3 + 4cqk + cq², q < k  eps κ²
//	InverseCholesky   F: F Fᵀ = Q             2qk² + 2k³/3 + 4cqk, or 3.5qk² + 4cqk   eps κ
//	Improved          A⁺ (the paper)          6qkl + 3q²k + q³ + 4cqk, q < k          eps κ
//	Original          A⁺ (the paper)          6qkl + q²l + q³ + 2q²k + 4cqk           eps κ
//
// (For a few rows QR uses rotations, 3qk² + 6cqk, which are faster at memory speed, and RidgeInverse takes batches
// in blocks of k/4 rows, so that 2q²k becomes qk²/2: Model has what is really done.)
//
// κ is the 2-norm condition number of [A; sqrt(lambda) I]. Where W is wanted after every batch of many rows, Gram
// is the fastest, and for a few rows at a time RidgeInverse; QR takes up to twice as long and keeps its digits
// where κ² has eaten those of the others. Plan chooses by the rates of the machine at hand and
// explains why; Updater.Condition says how many digits are left, and when Gram should give way to QR.
//
// The cost of Original and Improved grows with all samples ever seen, and so does their memory: A⁺ is
// as large as A. They are for those who want A⁺ itself, or the paper's algorithms: from q = k/6 on,
// starting over from AᵀA costs less than they do.
//
// # What else can change
//
// Every method takes weights of samples (AddWeightedInputs), unlearns samples (RemoveInputs), forgets
// exponentially (Forget), and learns new nodes (AddNodes) from the data of all samples. Gram and QR merge models of
// shards (Merge) and change the ridge without revisiting data (SetLambda). What a method cannot do is an
// *UnsupportedError that names those that can.
//
// # The paper's methods
//
// With A⁺ at hand (which with lambda > 0 is (AᵀA + lambda I)⁻¹Aᵀ at the start),
//
//	Dᵀ = Ax A⁺                              (q×l)
//	A⁺ := [A⁺ - B Dᵀ, B]                    (k×(l+q))
//	W  := W + B (Ya - Ax W)
//
// and the methods differ in how they find B (k×q). Original is Algorithm 2 of the paper, B = A⁺D (I +
// DᵀD)⁻¹. Improved is its Algorithm 3, which never multiplies Dᵀ by D. With Dbar = A⁺D:
//
//	Small       B = Dbar (I + Ax Dbar)⁻¹     a q×q symmetric inverse, by packed LDLᵀ
//	Large       B = (I + Dbar Ax)⁻¹ Dbar     a k×k general inverse, by LU
//	Compressed  B = Bk Qaᵀ                   Ax = Qa Ra by QR, and Small for the k rows of Ra
//
// The paper takes Small for q <= k and Large beyond, which loses eps κ². Auto takes the cheaper of Small and
// Compressed, which have an error of about eps κ in A⁺. New rows that are large as A sees them, with a norm
// of DᵀD above 1e3, would lose as much in the inverse; then B is found by a QR factorization of [D; I], or the
// batch is added in halves where D is not kept. Options.Solve solves for B with a factor in place of an inverse.
//
// The formulas above hold if C = Axᵀ - AᵀD is zero: if the new rows lie in the row space of A, as they
// always do once A has k independent rows. If C has full column rank instead, B = (C⁺)ᵀ. Otherwise
// the batch is added in two parts: first as many rows as the rank of C, which span what is new,
// then the others, which by then lie in the row space. Options.C says when C is looked at. Its zero value
// does so as long as the rank of A is below k, so that A⁺ is the true pseudoinverse for any rank and
// any l, k and q.
//
// (A⁺)ᵀ is kept, l×k in blocks of rows, so that new samples append rows and nothing is moved. An update
// runs over it block by block.
//
// # Flops and times
//
// Model lists the steps of an action with their flops by the paper's convention, Counter counts
// what a backend was really asked to do, LAPACK-level routines by their formula, and the Report of
// every update has both, with the time of each step. MeasureRates measures how fast this machine does
// each kind of operation in each shape, and Rates.Seconds predicts times from that.
//
// # Failure
//
// A call that returns an error leaves the state bit for bit as it was.
//
// # Cancellation
//
// NewContext, Updater.AddInputsContext and AddWeightedInputsContext stop when their context is done, with an error that
// wraps its cause, and the model is bit for bit what it was. They look at the context between the steps of the method as
// long as nothing of the state has been overwritten, and between panels of rows:
//
//	sums over the rows of a batch or a start   4096 rows; with k = 5000 0.1 TFLOP in Gram, 0.2 in QR
//	InverseCholesky, Small                     4 to 64 rows, some 0.1 s
//	RidgeInverse, Small                        k/4 rows, and no fewer than 64
//	a pass of Original and Improved over A⁺    4096 rows of it, fewer for more than 4096 new rows
//
// Not interrupted are factorizations, solutions and inverses of order k, or of order q where q <= k; the QR factorization
// of all rows in a start of Original and Improved and in the form Compressed, 4lk² or 4qk² flops; and the last pass of
// these two, which changes A⁺ in place.
//
// Where an update of Gram, QR or InverseCholesky has more rows than one panel and a context that can be done, it works on
// a copy of the state: 4k² bytes in Gram, 8k² in the others. Results do not depend on the context.
//
// # Keeping models
//
// Encode writes the whole state of a model and Decode reads it: a model that is kept and read again goes on to the bit as
// if it had never stopped, with the same backend on the same kind of machine, and with another one as accurately. What
// an encoding consists of, in words of 8 bytes, little end first, floating-point numbers as their bits:
//
//	"blsstate", version 1, the method
//	Lambda, Form, Solve, C, Workspace                          the options
//	k, c, l
//	samples added last, Form, Start, rank of C, Abandoned      the report
//	the largest 1/(1-h) of a removal
//	the state, beginning with lambda
//
// Symmetric matrices and triangles are written by the rows of one triangle, k(k+1)/2 numbers, all others row by row;
// (A⁺)ᵀ follows a table of its blocks, the rows of each and the number up to which rows are appended to it. Samples that
// Original and Improved know by their bits are hashes (XXH64), so that RemoveInputs finds them on any machine. A change
// of any of this is a new version.
//
// Decode trusts nothing: sizes, settings and numbers are checked, NaN is refused, and it allocates as the numbers
// arrive, not by what is claimed. It cannot know whether a number was changed to another one that can be; package
// blskernel/bls/modelfile has checksums.
//
// # Sources
//
// H. Zhu, Z. Liu, C. L. P. Chen and Y. Liang, "An Efficient Implementation to Compute the
// Pseudoinverse for the Incremental Broad Learning System on Added Inputs", arXiv:1910.07755:
// Algorithms 2 and 3, Table 1. Successors by the first author: arXiv:1911.07292 (added inputs with Q and F),
// arXiv:1911.04872 (added nodes), arXiv:1912.13169 (removal). B = (C⁺)ᵀ: T. N. E. Greville, "Some
// applications of the pseudoinverse of a matrix", SIAM Review 2 (1960), for one row. The row form of
// InverseCholesky: N. A. Carlson, "Fast triangular formulation of the square root filter", AIAA Journal 11
// (1973). QR by rows: G. H. Golub and C. F. Van Loan, Matrix Computations, fourth edition, section 6.5.
package blsupdate
