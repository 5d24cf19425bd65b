// Package blsupdate learns from new rows: it keeps the weights of a linear least-squares model, such as
// the output layer of a broad learning system (BLS), up to date while samples arrive.
//
// # The problem
//
// A (l×k) is the expanded input matrix, one row for each sample and one column for each node of the
// network, and Y (l×c) holds the targets. The weights are
//
//	W = A⁺ Y    (k×c),
//
// where A⁺ is the pseudoinverse of A or, for a ridge lambda > 0, (AᵀA + lambda I)⁻¹Aᵀ. When q rows Ax
// (q×k) with targets Ya (q×c) arrive, nobody wants to start over:
//
//	Dᵀ = Ax A⁺                              (q×l)
//	A⁺ := [A⁺ - B Dᵀ, B]                    (k×(l+q))
//	W  := W + B (Ya - Ax W)
//
// and the methods differ in how they find B (k×q).
//
// # Methods
//
// Original is Algorithm 2 of the paper, B = A⁺D (I + DᵀD)⁻¹, the update of the first broad learning
// system. Improved is its Algorithm 3, which never multiplies Dᵀ by D and has two forms, with
// Dbar = A⁺D:
//
//	Small   B = Dbar (I + Ax Dbar)⁻¹     a q×q symmetric inverse, by packed LDLᵀ
//	Large   B = (I + Dbar Ax)⁻¹ Dbar     a k×k general inverse, by LU
//
// The paper takes Small for q <= k. By the flop counts they cross at q = 1.29 k, which is what Auto does.
// Small keeps the accuracy of Original, an error of about eps κ in A⁺ where κ is the condition number
// of A; Large loses eps κ². New rows that are large as A sees them, with a norm of DᵀD above
// 1e4, would lose as much in the inverse; then Original and Small refine B once, and beyond 1e12 they add
// the batch in halves.
//
// # When B is something else
//
// The formulas above hold if C = Axᵀ - AᵀD is zero: if the new rows lie in the row space of A, as they
// always do once A has k independent rows. If C has full column rank instead, B = (C⁺)ᵀ. Otherwise
// the batch is added in two parts: first as many rows as the rank of C, which span what is new,
// then the others, which by then lie in the row space. Options.C says when C is looked at. Its zero value
// does so as long as the rank of A is below k, so that A⁺ is the true pseudoinverse for any rank and
// any l, k and q.
//
// # State, memory and failure
//
// (A⁺)ᵀ is kept, l×k in blocks of rows, so that new samples append rows and nothing is moved. An update
// runs over it block by block. A call that returns an error leaves the state as it was.
//
// A⁺ is as large as A and an update costs 6qkl flops, more with every sample that was ever seen. Where
// only the weights are wanted, that is more than starting over costs unless q is well below k/6.
//
// # Flops
//
// Model lists the steps of an update with their flops by the paper's convention, Counter counts
// what a backend was really asked to do, LAPACK-level routines by their formula, and the Report of
// every update has both, with the time of each step.
//
// # Source
//
// H. Zhu, Z. Liu, C. L. P. Chen and Y. Liang, "An Efficient Implementation to Compute the
// Pseudoinverse for the Incremental Broad Learning System on Added Inputs", arXiv:1910.07755:
// Algorithms 2 and 3, Table 1. B = (C⁺)ᵀ: T. N. E. Greville, "Some applications of the
// pseudoinverse of a matrix", SIAM Review 2 (1960), for one row.
package blsupdate
