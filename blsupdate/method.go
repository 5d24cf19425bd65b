package blsupdate

import (
	"slices"

	"blskernel/blsupdate/internal/api"
	"blskernel/internal/names"
)

// A Method is a way to bring the weights up to date. The documentation of package blsupdate compares
// them. The zero value is no method, and New refuses it.
type Method int

const (
	// Improved is the paper's Algorithm 3: A⁺ and W, in the form that Options.Form selects.
	Improved Method = iota + 1
	// Original is the paper's Algorithm 2, B = A⁺D (I + DᵀD)⁻¹.
	Original
	// RidgeInverse keeps Q = (AᵀA + lambda I)⁻¹ and W.
	RidgeInverse
	// InverseCholesky keeps the triangular F with F Fᵀ = (AᵀA + lambda I)⁻¹, and W.
	InverseCholesky
	// Gram keeps AᵀA and AᵀY, and solves for W by Cholesky.
	Gram
	// QR keeps the triangular R with RᵀR = AᵀA + lambda I, and z = R⁻ᵀAᵀY, and solves R W = z.
	QR
)

// String returns the name of m in lower case, which ParseMethod reads.
func (m Method) String() string { return names.String(api.MethodNames, m) }

// ParseMethod returns the method of the given name, in any case.
func ParseMethod(s string) (Method, error) { return names.Parse[Method](api.MethodNames, s) }

// hasInverse reports whether m is Original or Improved, which keep A⁺.
func (m Method) hasInverse() bool { return m == Original || m == Improved }

var methods = []Method{Gram, QR, RidgeInverse, InverseCholesky, Improved, Original}

// Methods returns all methods, in the order in which an error lists them.
func Methods() []Method { return slices.Clone(methods) }

// A Form says whether an update by q rows works with matrices of order q or of order k. Improved,
// RidgeInverse and InverseCholesky read it.
type Form int

const (
	// Auto takes the form that is cheaper for the sizes at hand, the same on every machine: in
	// RidgeInverse of Small and Large the one with fewer flops by Model, in Improved of Small and
	// Compressed. InverseCholesky takes Small for a single row and where 14q <= k, else Large:
	// Small is bound by memory, so that Large is faster with up to three times as many flops.
	Auto Form = iota
	// Paper takes Small for q <= k and Large for q > k, as the paper does.
	Paper
	// Small works with matrices of order q: a symmetric inverse in Improved, with an error of eps
	// κ; Woodbury's formula in RidgeInverse; row by row (Carlson) in InverseCholesky.
	Small
	// Large works with matrices of order k: a general inverse in Improved, with an error of eps κ²;
	// the inverse of Q⁻¹ + AxᵀAx in RidgeInverse; a Cholesky factorization in InverseCholesky.
	Large
	// Compressed is Small for the k rows of R in a QR factorization Ax = Q R, and B = Bk Qᵀ. Its
	// error is of eps κ. It is for Improved only, and is Small for q <= k.
	Compressed
)

var formNames = []string{"auto", "paper", "small", "large", "compressed"}

// String returns the name of f in lower case, which ParseForm reads.
func (f Form) String() string { return names.String(formNames, f) }

// ParseForm returns the form of the given name, in any case.
func ParseForm(s string) (Form, error) { return names.Parse[Form](formNames, s) }

// A CMode says when C = Axᵀ - AᵀD is computed, the part of the new rows outside the row space of A.
type CMode int

const (
	// CAuto computes C as long as A has fewer than k independent rows. For lambda > 0, where C is
	// never zero, it is CZero and requires l >= k.
	CAuto CMode = iota
	// CZero assumes C = 0, as the paper does. The result is wrong where C is not zero.
	CZero
	// CCheck computes C in every update, for 2qkl flops, keeps A, and decides the rank of C by a
	// tolerance. It requires lambda = 0.
	CCheck
)

var modeNames = []string{"auto", "zero", "check"}

// String returns the name of m in lower case.
func (m CMode) String() string { return names.String(modeNames, m) }

// A Start is a way to the first state.
type Start int

const (
	// StartCholesky is by the Cholesky factor of AᵀA + lambda I. Its error grows like eps κ².
	StartCholesky Start = iota
	// StartQR is by a Householder QR of A, or of A above sqrt(lambda) I. Its error grows like eps
	// κ.
	StartQR
	// StartSVD is the truncated singular value decomposition of an A of rank below k, or of its R
	// where l >= k. Only Original and Improved use it.
	StartSVD
)

var startNames = []string{"cholesky", "qr", "svd"}

// String returns the name of s in lower case.
func (s Start) String() string { return names.String(startNames, s) }

// An Action is a function of New or a method of an Updater.
type Action int

// The actions. The comments name the sizes of a Shape that they depend on.
const (
	ActionAdd     Action = iota // AddInputs of Q rows to L
	ActionStart                 // New from L rows
	ActionWeights               // the solution for W, in methods that solve for it
	ActionRemove                // RemoveInputs of Q rows of L
	ActionForget                // Forget
	ActionNodes                 // AddNodes of P columns to K, with L rows
	ActionMerge                 // Merge
	ActionRidge                 // SetLambda
	ActionTargets               // AddTargets of P columns to C, with L rows and K nodes
	ActionMap                   // MapTargets to P columns, likewise
)

// String returns the name of the function or method.
func (a Action) String() string { return names.String(api.ActionNames, a) }

// Supports reports whether m can do the action.
func Supports(m Method, action Action) bool {
	if action == ActionMerge || action == ActionRidge {
		return m == Gram || m == QR
	}
	return slices.Contains(methods, m)
}
