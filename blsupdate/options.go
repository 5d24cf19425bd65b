package blsupdate

import (
	"fmt"
	"math"
	"strings"

	"blskernel"
)

// A Method is a way to bring the weights up to date. The package comment compares them.
type Method int

const (
	// Improved is the paper's Algorithm 3: A⁺ and W, in the form that Options.Form selects.
	Improved Method = iota
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

var methodNames = []string{"improved", "original", "ridge-inverse", "inverse-cholesky", "gram", "qr"}

// String returns the name of m in lower case, which ParseMethod reads.
func (m Method) String() string { return name(methodNames, int(m), "Method") }

// ParseMethod returns the method of the given name, in any case.
func ParseMethod(s string) (Method, error) {
	i, err := parse(methodNames, s, "method")
	return Method(i), err
}

// A Form says whether an update by q rows works with matrices of order q or of order k. Improved,
// RidgeInverse and InverseCholesky read it.
type Form int

const (
	// Auto takes the cheaper of Small and Large, or for Improved of Small and Compressed, by the flop
	// model.
	Auto Form = iota
	// Paper takes Small for q <= k and Large for q > k, as the paper does.
	Paper
	// Small works with matrices of order q. Improved: B = Dbar (I_q + Ax Dbar)⁻¹, a q×q symmetric
	// inverse, with an error like eps κ. RidgeInverse: Q - TᵀT with q rows of T (Woodbury).
	// InverseCholesky: one row after the other (Carlson).
	Small
	// Large works with matrices of order k. Improved: B = (I_k + Dbar Ax)⁻¹ Dbar, a k×k general
	// inverse, with an error like eps κ². RidgeInverse: the inverse of Q⁻¹ + AxᵀAx. InverseCholesky: a
	// k×k Cholesky factorization.
	Large
	// Compressed, for Improved only, is Small for the k rows R of a QR factorization Ax = Q R, whose
	// error is like eps κ, and B = Bk Qᵀ. It is Small for q <= k.
	Compressed
)

var formNames = []string{"auto", "paper", "small", "large", "compressed"}

// String returns the name of f in lower case, which ParseForm reads.
func (f Form) String() string { return name(formNames, int(f), "Form") }

// ParseForm returns the form of the given name, in any case.
func ParseForm(s string) (Form, error) {
	i, err := parse(formNames, s, "form")
	return Form(i), err
}

// A CMode says what is done about C = Axᵀ - AᵀD, the part of the new rows outside the row space of A.
type CMode int

const (
	// CAuto computes C as long as A has fewer than k independent rows, and knows it to be zero from
	// then on. For lambda > 0, where A⁺ is a ridge inverse and C never zero, it is CZero and wants
	// l >= k.
	CAuto CMode = iota
	// CZero assumes C = 0 without a look, as the paper does. Where that is wrong, so is the result.
	CZero
	// CCheck computes C in every update, which takes 2qkl flops and keeps A, and decides its rank by
	// a tolerance. It needs lambda = 0.
	CCheck
)

var modeNames = []string{"auto", "zero", "check"}

// String returns the name of m in lower case.
func (m CMode) String() string { return name(modeNames, int(m), "CMode") }

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

// Resolve returns the form that Form stands for in an update of Improved by s.Q rows of a model with
// s.K nodes and s.L samples: Small, Large or Compressed. Auto takes Compressed where it has fewer flops
// by the model than Small, as for q > k it has if l is large against k; never Large, which is less
// accurate.
func Resolve(o Options, s Shape) Form {
	switch {
	case o.Form == Small || o.Form == Large:
		return o.Form
	case s.Q <= s.K:
		return Small
	case o.Form == Paper:
		return Large
	case o.Form == Auto && total(additionModel(Improved, Small, o, addedShape{Shape: s})) <= total(compressedModel(o, addedShape{Shape: s})):
		return Small
	default:
		return Compressed
	}
}

// keptRows returns how many of l rows of D, q numbers each, the workspace holds.
func keptRows(o Options, l, q int) int {
	bytes := o.Workspace
	if bytes == 0 {
		bytes = DefaultWorkspace
	}
	return int(min(int64(l), max(0, bytes)/(8*int64(q))))
}

func checkOptions(o Options, m Method) error {
	switch {
	case m < 0 || int(m) >= len(methodNames):
		return &OptionError{Option: "Method", Value: m, Want: strings.Join(methodNames, ", ")}
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

func name(names []string, i int, kind string) string {
	if i < 0 || i >= len(names) {
		return fmt.Sprintf("%s(%d)", kind, i)
	}
	return names[i]
}

func parse(names []string, s, kind string) (int, error) {
	for i, n := range names {
		if strings.EqualFold(n, s) {
			return i, nil
		}
	}
	return 0, fmt.Errorf("blsupdate: unknown %s %q; known are %s", kind, s, strings.Join(names, ", "))
}
