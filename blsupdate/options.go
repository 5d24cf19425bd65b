package blsupdate

import (
	"math"
	"strings"

	"blskernel"
	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/memory"
)

// Options are the settings of an Updater. The zero value is the pseudoinverse on the default backend,
// in the form that Auto takes.
type Options struct {
	// Lambda is the ridge, 0 for none.
	//
	// Original and Improved use it only for the first A⁺ = (AᵀA + Lambda I)⁻¹Aᵀ, and then treat A⁺
	// as the pseudoinverse, as the paper does. Their W then differs from the ridge solution by the
	// ratio of Lambda to the square of the smallest singular value of the first A, also after
	// RemoveInputs of a first row and AddNodes after added rows. Where the first A has dependent
	// columns, they never learn in the missing directions; with Lambda = 0 they do.
	Lambda float64
	// Form is the form of an update in Improved, RidgeInverse and InverseCholesky. RidgeInverse
	// and InverseCholesky treat Compressed as Auto. The other methods ignore it.
	Form Form
	// Solve makes Improved solve for B with a Cholesky (Small) or LU (Large) factor, not multiply
	// by an inverse. That saves 2q³/3 flops in Small and 4k³/3 in Large, and has smaller rounding
	// errors. Compressed always solves.
	Solve bool
	// C says when Original and Improved use the general formula for B.
	C CMode
	// Workspace bounds the bytes in which an update keeps D = (Ax A⁺)ᵀ, l×q, which it needs twice.
	// Rows that do not fit are computed twice, for 2qk flops each. 0 stands for DefaultWorkspace; a
	// negative number keeps nothing. Where ‖DᵀD‖ is above 1e3, an update takes as much again for a
	// QR factorization of D if all of D is kept, and else adds the batch in halves, for 4qkl more
	// flops per division.
	Workspace int64
	// Backend computes the products; nil stands for blskernel.Default().
	Backend blskernel.Backend
}

// DefaultWorkspace is the bound that Options.Workspace = 0 stands for: 4 GiB.
const DefaultWorkspace = api.DefaultWorkspace

// internal returns the options as methods see them.
func (o Options) internal() api.Options {
	return api.Options{
		Lambda: o.Lambda, Form: api.Form(o.Form), Solve: o.Solve, C: api.CMode(o.C),
		Workspace: o.Workspace, Backend: o.Backend,
	}
}

// check returns an *OptionError where a method or an option is out of range.
func (o Options) check(m Method) error {
	if err := checkLambda(o.Lambda); err != nil {
		return err
	}
	switch {
	case m <= 0 || int(m) >= len(api.MethodNames):
		return &OptionError{Option: "Method", Value: m, Want: strings.Join(api.MethodNames[1:], ", ")}
	case o.Form < Auto || o.Form > Compressed:
		return &OptionError{Option: "Form", Value: o.Form, Want: "Auto, Paper, Small, Large or Compressed"}
	case o.C < CAuto || o.C > CCheck:
		return &OptionError{Option: "C", Value: o.C, Want: "CAuto, CZero or CCheck"}
	case o.C == CCheck && o.Lambda > 0 && m.hasInverse():
		return &OptionError{Option: "C", Value: o.C, Want: "Lambda = 0, since the general formula is for the pseudoinverse itself"}
	}
	return nil
}

// checkLambda returns an *OptionError unless lambda is finite and not negative.
func checkLambda(lambda float64) error {
	if !(lambda >= 0) || math.IsInf(lambda, 1) {
		return &OptionError{Option: "Lambda", Value: lambda, Want: "a finite number that is not negative"}
	}
	return nil
}

// CheckStart returns the *RankError with which New refuses l samples for k nodes, or nil.
func CheckStart(m Method, opt Options, l, k int) error {
	inverse := m.hasInverse()
	switch {
	case l >= k || m == Gram || m == QR:
	case inverse && (opt.Lambda == 0 || opt.C == CZero):
	case !inverse && opt.Lambda > 0:
	default:
		// With a ridge, Original and Improved never leave the row space of the first samples.
		return &RankError{Samples: l, Nodes: k, Lambda: opt.Lambda}
	}
	return nil
}

// StateBytes returns the bytes of the state of a model of l samples, k nodes and c targets, or
// math.MaxInt64 where that overflows. New allocates as much beside its arguments.
//
//	Gram, RidgeInverse    4k(k+1) + 8kc
//	QR, InverseCholesky   8k² + 8kc
//	Improved, Original    8lk + 8lc + 8kc
//
// Left out are numbers that do not grow with l k or k², the factor that Weights makes in Gram, and A
// while C is computed.
//
//	panics: "blsupdate: StateBytes: negative size".
func StateBytes(m Method, l, k, c int) int64 {
	if l < 0 || k < 0 || c < 0 {
		panic("blsupdate: StateBytes: negative size")
	}
	w := memory.Floats(k, c)
	switch m {
	case Gram, RidgeInverse:
		return memory.Sum(memory.Triangle(k), w)
	case QR, InverseCholesky:
		return memory.Sum(memory.Floats(k, k), w)
	default:
		return memory.Sum(memory.Floats(l, k), memory.Floats(l, c), w)
	}
}

// checkMemory returns a *MemoryError where there is no memory for the state of a start, or for that
// with p more nodes beside the present one.
func checkMemory(m Method, l, k, c, p int) error {
	bytes := StateBytes(m, l, k+p, c)
	if p > 0 && m == RidgeInverse { // which changes a copy of Q
		bytes = memory.Sum(bytes, memory.Triangle(k))
	}
	return memory.Check(bytes, "blsupdate", state.Smaller(api.Method(m)),
		"a model by %v of %d samples, %d nodes and %d targets", m, l, k+p, c)
}
