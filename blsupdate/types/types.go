// Package types has the settings and errors that package blsupdate shares with the packages of its
// methods. Programs import only blsupdate, which exports most of these names unchanged and documents
// the constants.
package types

import (
	"blskernel"
	"blskernel/internal/io/names"
)

// A Method is an algorithm that updates the weights.
type Method int

const (
	Improved Method = iota + 1
	Original
	RidgeInverse
	InverseCholesky
	Gram
	QR
)

var methodNames = []string{"", "improved", "original", "ridge-inverse", "inverse-cholesky", "gram", "qr"}

func (m Method) String() string { return names.String(methodNames, m) }

// ParseMethod returns the method with the given name, ignoring case, or an error that lists the names.
func ParseMethod(s string) (Method, error) { return names.Parse[Method]("blsupdate", methodNames, s) }

// Methods returns all methods: Gram, QR, RidgeInverse, InverseCholesky, Improved and Original.
func Methods() []Method { return []Method{Gram, QR, RidgeInverse, InverseCholesky, Improved, Original} }

// A Form selects whether an update by q rows works with matrices of order q or of order k.
type Form int

const (
	Auto Form = iota
	Paper
	Small
	Large
	Compressed
)

var formNames = []string{"auto", "paper", "small", "large", "compressed"}

func (f Form) String() string { return names.String(formNames, f) }

// ParseForm returns the form with the given name, ignoring case, or an error that lists the names.
func ParseForm(s string) (Form, error) { return names.Parse[Form]("blsupdate", formNames, s) }

// A CMode selects when Original and Improved compute C = Axᵀ - AᵀD, the part of the new rows outside
// the row space of A.
type CMode int

const (
	CAuto CMode = iota
	CZero
	CCheck
)

var modeNames = []string{"auto", "zero", "check"}

func (m CMode) String() string { return names.String(modeNames, m) }

// A Start is the algorithm by which New computes the first state.
type Start int

const (
	StartCholesky Start = iota
	StartQR
	StartSVD
)

var startNames = []string{"cholesky", "qr", "svd"}

func (s Start) String() string { return names.String(startNames, s) }

// An Action stands for New or a method of an Updater.
type Action int

const (
	ActionAdd Action = iota
	ActionStart
	ActionWeights
	ActionRemove
	ActionForget
	ActionNodes
	ActionMerge
	ActionRidge
	ActionTargets
	ActionMap
)

var actionNames = []string{"AddInputs", "New", "Weights", "RemoveInputs", "Forget", "AddNodes", "Merge", "SetLambda", "AddTargets", "MapTargets"}

func (a Action) String() string { return names.String(actionNames, a) }

// Options are the settings of an Updater. The zero value means no ridge, the default backend, and the
// form that Auto selects.
type Options struct {
	// Lambda is the ridge, 0 for none.
	//
	// Original and Improved use it for the first A⁺ = (AᵀA + Lambda I)⁻¹Aᵀ and in AddNodes. Updates
	// by rows treat A⁺ as the pseudoinverse, as the paper does. Once rows have been added, the
	// relative difference of W from the ridge solution is about Lambda/σ², where σ is the smallest
	// singular value of the first A. Neither removing the first rows nor AddNodes changes this.
	// With Lambda above 0, neither method ever learns outside the row space of the first A.
	Lambda float64
	// Form is the form of an update in Improved, RidgeInverse and InverseCholesky. RidgeInverse and
	// InverseCholesky treat Compressed as Auto. The other methods ignore Form.
	Form Form
	// Solve makes Improved solve for B with a Cholesky (Small) or LU (Large) factor instead of
	// multiplying by an inverse. That saves 2q³/3 flops in Small and 4k³/3 in Large, and reduces
	// rounding errors. Compressed always solves.
	Solve bool
	// C selects when Original and Improved compute C, whose rank decides the formula for B.
	C CMode
	// Workspace bounds the bytes in which an update keeps D = (Ax A⁺)ᵀ, l×q, which it needs twice.
	// Rows of D that do not fit are computed twice, at 2qk flops each. 0 stands for
	// DefaultWorkspace; a negative number keeps nothing. If ‖DᵀD‖ is above 1e3, an update
	// factorizes D by QR, which takes as much memory again. If not all of D is kept, it adds the
	// batch in halves instead, at 4qkl more flops per division.
	Workspace int64
	// Backend computes the products; nil stands for blskernel.Default().
	Backend blskernel.Backend
}

// DefaultWorkspace is the bound in bytes that Options.Workspace = 0 stands for.
const DefaultWorkspace int64 = 4 << 30

// A Shape holds the sizes that the flops of an action depend on.
type Shape struct {
	L int // samples before the action; for ActionStart the samples of the start
	K int // nodes before the action
	Q int // samples added or removed
	C int // targets
	P int // nodes added, or columns of T

	Start Start // for ActionStart
	Rank  int   // the rank of A, if Start is StartSVD
}
