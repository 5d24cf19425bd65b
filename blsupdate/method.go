package blsupdate

import (
	"slices"

	"blskernel/blsupdate/internal/state"
	"blskernel/blsupdate/types"
)

// A Method is an algorithm that updates the weights. The documentation of package blsupdate compares
// the methods. The zero value is not a method, and New rejects it.
type Method = types.Method

const (
	// Improved is the paper's Algorithm 3. It keeps A⁺ and W, and Options.Form selects its form.
	Improved Method = types.Improved
	// Original is the paper's Algorithm 2, with B = A⁺D (I + DᵀD)⁻¹ for D = (Ax A⁺)ᵀ.
	Original Method = types.Original
	// RidgeInverse keeps Q = (AᵀA + lambda I)⁻¹ and W.
	RidgeInverse Method = types.RidgeInverse
	// InverseCholesky keeps the triangular F with F Fᵀ = (AᵀA + lambda I)⁻¹, and W.
	InverseCholesky Method = types.InverseCholesky
	// Gram keeps AᵀA and AᵀY, and solves for W with a Cholesky factor.
	Gram Method = types.Gram
	// QR keeps the triangular R with RᵀR = AᵀA + lambda I, and z = R⁻ᵀAᵀY, and solves R W = z.
	QR Method = types.QR
)

// ParseMethod returns the method with the given name, ignoring case, or an error that lists the names.
func ParseMethod(s string) (Method, error) { return types.ParseMethod(s) }

// Methods returns all methods: Gram, QR, RidgeInverse, InverseCholesky, Improved and Original.
func Methods() []Method { return types.Methods() }

// A Form selects whether an update by q rows works with matrices of order q or of order k. Improved,
// RidgeInverse and InverseCholesky use it.
type Form = types.Form

const (
	// Auto selects the cheaper form for the given sizes, the same one on every machine.
	// RidgeInverse takes Small or Large, and Improved Small or Compressed, whichever takes fewer
	// flops in Model. InverseCholesky takes Small for a single row and for 14q <= k, otherwise
	// Large, which is then faster even with three times the flops, since Small is memory-bound.
	Auto Form = types.Auto
	// Paper takes Small for q <= k and Large for q > k, as the paper does.
	Paper Form = types.Paper
	// Small works with matrices of order q: a symmetric inverse in Improved, with an error of eps
	// κ; Woodbury's formula in RidgeInverse; Carlson's formula, row by row, in InverseCholesky.
	Small Form = types.Small
	// Large works with matrices of order k: a general inverse in Improved, with an error of eps κ²;
	// the inverse of Q⁻¹ + AxᵀAx in RidgeInverse; a Cholesky factorization in InverseCholesky.
	Large Form = types.Large
	// Compressed factorizes Ax = Q R, applies Small to the k rows of R, and expands the result Bk
	// to B = Bk Qᵀ. The error is eps κ. Only Improved has this form; for q <= k it equals Small.
	Compressed Form = types.Compressed
)

// ParseForm returns the form with the given name, ignoring case, or an error that lists the names.
func ParseForm(s string) (Form, error) { return types.ParseForm(s) }

// A CMode selects when Original and Improved compute C = Axᵀ - AᵀD, the part of the new rows outside
// the row space of A.
type CMode = types.CMode

const (
	// CAuto computes C while A has fewer than k independent rows. With a ridge C is never exactly
	// zero, but CAuto assumes C = 0 as CZero does, and requires l >= k.
	CAuto CMode = types.CAuto
	// CZero assumes C = 0, as the paper does. The result is wrong if C is not zero.
	CZero CMode = types.CZero
	// CCheck computes C in every update, at 2qkl flops, keeps A, and decides the rank of C with a
	// tolerance. It requires lambda = 0.
	CCheck CMode = types.CCheck
)

// A Start is the algorithm by which New computes the first state.
type Start = types.Start

const (
	// StartCholesky uses the Cholesky factor of AᵀA + lambda I. Its error grows like eps κ².
	StartCholesky Start = types.StartCholesky
	// StartQR uses a Householder QR factorization of A, or of [A; sqrt(lambda) I]. Its error grows
	// like eps κ.
	StartQR Start = types.StartQR
	// StartSVD uses a truncated singular value decomposition: of R from A = Q R if l >= k,
	// otherwise of A. Only Original and Improved use it, if the rank of A is below k.
	StartSVD Start = types.StartSVD
)

// An Action stands for New or a method of an Updater.
type Action = types.Action

// The actions. Each comment names the sizes of a Shape on which the flops of the action depend.
const (
	ActionAdd     Action = types.ActionAdd     // AddInputs of Q rows to L
	ActionStart   Action = types.ActionStart   // New from L rows
	ActionWeights Action = types.ActionWeights // the solution for W, in methods that solve for it
	ActionRemove  Action = types.ActionRemove  // RemoveInputs of Q rows of L
	ActionForget  Action = types.ActionForget  // Forget
	ActionNodes   Action = types.ActionNodes   // AddNodes of P columns to K, with L rows
	ActionMerge   Action = types.ActionMerge   // Merge
	ActionRidge   Action = types.ActionRidge   // SetLambda
	ActionTargets Action = types.ActionTargets // AddTargets of P columns to C, with L rows and K nodes
	ActionMap     Action = types.ActionMap     // MapTargets to P columns, with L rows and K nodes
)

// Supports reports whether m supports the action. Only Gram and QR support ActionMerge and ActionRidge;
// every method supports all other actions.
func Supports(m Method, action Action) (can bool) {
	s := emptyState(m, Options{})
	switch action {
	case ActionMerge:
		_, can = s.(state.Merger)
	case ActionRidge:
		_, can = s.(state.Ridger)
	default:
		can = slices.Contains(Methods(), m) && ActionAdd <= action && action <= ActionMap
	}
	return can
}

// keepsInverse reports whether m is Original or Improved, which keep A⁺.
func keepsInverse(m Method) bool {
	_, keeps := emptyState(m, Options{}).(state.Pseudoinverter)
	return keeps
}
