package api

import (
	"math"
	"strings"

	"blskernel"
)

// Options are the settings of an Updater. The zero value is the true pseudoinverse on the default
// backend, in the form that takes the fewest flops.
type Options struct {
	// Lambda is the ridge, 0 for none.
	//
	// To Original and Improved it is the ridge of the initial A⁺ = (AᵀA + Lambda I)⁻¹Aᵀ alone; 0 is the
	// pseudoinverse itself. They then go on as if A⁺ were the pseudoinverse, as in the paper, so they
	// approach the ridge solution only as far as Lambda is small against the square of the smallest
	// singular value of the first A: the relative difference is of the order of that ratio. If the
	// first A has dependent columns they never learn in the directions that it lacks; with Lambda = 0
	// they do. RemoveInputs of a first row is off by the same ratio, since to them the first rows were those of
	// A + Lambda (A⁺)ᵀ, and so is AddNodes after added rows; AddNodes to a start without updates gives the exact
	// ridge A⁺ and W. What was added later is removed exactly.
	Lambda float64
	// Form is the form of B in Improved, and of the update in RidgeInverse and InverseCholesky, to which
	// Compressed is Auto and Paper the same rule as to Improved. The other methods have no forms and do not read it.
	Form Form
	// Solve lets Improved solve for B with a Cholesky (Small) or LU (Large) factorization instead of
	// multiplying by an inverse by LDLᵀ or LU. That saves 2q³/3 flops in the form Small and 4k³/3 in
	// Large, and rounding errors in both. Compressed always does so. Only Improved reads it.
	Solve bool
	// C says when the general formula for B is used, in Original and Improved.
	C CMode
	// Workspace bounds the memory, in bytes, in which an update keeps D = (Ax A⁺)ᵀ, a matrix of l rows
	// and q columns that is needed twice. Rows that do not fit are computed twice, for 2qk flops each,
	// in panels of at most 64 MB. 0 stands for DefaultWorkspace, a negative number for nothing but such
	// panels. New rows that are large as A sees them, with ‖DᵀD‖ above 1e3, take as much again where D
	// is kept, for a QR factorization of D in place of DᵀD, and are added in halves, at 4qkl flops more
	// for each division, where it is not.
	Workspace int64
	// Backend computes the products; nil stands for blskernel.Default().
	Backend blskernel.Backend
}

// DefaultWorkspace is the bound on the memory for D that Options.Workspace = 0 stands for: 4 GiB.
const DefaultWorkspace int64 = 4 << 30

func CheckOptions(o Options, m Method) error {
	switch {
	case m < 0 || int(m) >= len(MethodNames):
		return &OptionError{Option: "Method", Value: m, Want: strings.Join(MethodNames, ", ")}
	case !(o.Lambda >= 0) || math.IsInf(o.Lambda, 1):
		return &OptionError{Option: "Lambda", Value: o.Lambda, Want: "a finite number that is not negative"}
	case o.Form < Auto || o.Form > Compressed:
		return &OptionError{Option: "Form", Value: o.Form, Want: "Auto, Paper, Small, Large or Compressed"}
	case o.C < CAuto || o.C > CCheck:
		return &OptionError{Option: "C", Value: o.C, Want: "CAuto, CZero or CCheck"}
	case o.C == CCheck && o.Lambda > 0 && (m == Original || m == Improved):
		return &OptionError{Option: "C", Value: o.C, Want: "Lambda = 0, since the general formula is for the pseudoinverse itself"}
	}
	return nil
}
