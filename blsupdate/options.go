package blsupdate

import (
	"math"
	"slices"

	"blskernel/blsupdate/internal/state"
	"blskernel/blsupdate/types"
	"blskernel/internal/io/memory"
	"blskernel/internal/io/names"
)

// Options are the settings of an Updater: Lambda, the ridge; Form and Solve, which select how updates
// are computed; C and Workspace, for Original and Improved; and Backend. The zero value means no ridge,
// the default backend, and the form that Auto selects. The fields are documented in package types.
type Options = types.Options

// DefaultWorkspace is the bound that Options.Workspace = 0 stands for: 4 GiB.
const DefaultWorkspace = types.DefaultWorkspace

func checkOptions(m Method, o Options) error {
	if err := checkLambda(o.Lambda); err != nil {
		return err
	}
	switch {
	case !slices.Contains(Methods(), m):
		return &OptionError{Option: "Method", Value: m, Want: "improved, original, ridge-inverse, inverse-cholesky, gram or qr"}
	case o.Form < Auto || o.Form > Compressed:
		return &OptionError{Option: "Form", Value: o.Form, Want: "Auto, Paper, Small, Large or Compressed"}
	case o.C < CAuto || o.C > CCheck:
		return &OptionError{Option: "C", Value: o.C, Want: "CAuto, CZero or CCheck"}
	case o.C == CCheck && o.Lambda > 0 && keepsInverse(m):
		return &OptionError{Option: "C", Value: o.C, Want: "CAuto or CZero for Lambda > 0, since updates with C need the exact pseudoinverse"}
	}
	return nil
}

func checkLambda(lambda float64) error {
	if !(lambda >= 0) || math.IsInf(lambda, 1) {
		return &OptionError{Option: "Lambda", Value: lambda, Want: "a finite number that is not negative"}
	}
	return nil
}

// CheckStart returns the *RankError that New would return for l samples and k nodes, or nil.
func CheckStart(m Method, opt Options, l, k int) error { return emptyState(m, opt).CheckSize(l, k) }

// StateBytes returns the size in bytes of a model's state for l samples, k nodes and c targets, or
// math.MaxInt64 if that overflows. New allocates this much in addition to its arguments.
//
//	Gram, RidgeInverse    4k(k+1) + 8kc
//	QR, InverseCholesky   8k² + 8kc
//	Improved, Original    8lk + 8lc + 8kc
//
// It omits smaller terms, the factor with which Gram solves for the weights, and the copy of A that
// Original and Improved keep while they compute C.
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

// checkMemory returns a *MemoryError if there is too little memory for the state of a start (p = 0), or
// for the state with p more nodes that AddNodes builds.
func checkMemory(m Method, l, k, c, p int) error {
	bytes := StateBytes(m, l, k+p, c)
	if p > 0 && m == RidgeInverse { // AddNodes changes a copy of Q
		bytes = memory.Sum(bytes, memory.Triangle(k))
	}
	return memory.Check(bytes, "blsupdate", state.Smaller(m),
		"a %v model of %d samples, %d nodes and %s", m, l, k+p, names.Count(c, "target"))
}
