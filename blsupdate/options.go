package blsupdate

import (
	"fmt"
	"math"
	"strings"

	"blskernel"
)

// A Method is a way to bring the weights up to date.
type Method int

const (
	// Improved is the paper's Algorithm 3, in the form that Options.Form selects.
	Improved Method = iota
	// Original is the paper's Algorithm 2: B = A⁺D (I + DᵀD)⁻¹.
	Original
)

var methodNames = []string{"improved", "original"}

// String returns the name of m in lower case, which ParseMethod reads.
func (m Method) String() string { return name(methodNames, int(m), "Method") }

// ParseMethod returns the method of the given name, in any case.
func ParseMethod(s string) (Method, error) {
	i, err := parse(methodNames, s, "method")
	return Method(i), err
}

// A Form is a form of the matrix B in the method Improved.
type Form int

const (
	// Auto takes the form with the fewer flops by the model; they cross at q = 1.29 k. Where that
	// is Large and its matrix turns out to have a reciprocal condition number below 1e-12, as from
	// κ of about 1e7 on, it adds the batch in halves, by Small as soon as they are short enough.
	Auto Form = iota
	// Paper takes Small for q <= k and Large for q > k, as the paper does.
	Paper
	// Small is B = Dbar (I_q + Ax Dbar)⁻¹, a q×q symmetric inverse. Its error grows like eps κ.
	Small
	// Large is B = (I_k + Dbar Ax)⁻¹ Dbar, a k×k general inverse. Its error grows like eps κ².
	Large
)

var formNames = []string{"auto", "paper", "small", "large"}

// String returns the name of f in lower case, which ParseForm reads.
func (f Form) String() string { return name(formNames, int(f), "Form") }

// ParseForm returns the form of the given name, in any case.
func ParseForm(s string) (Form, error) {
	i, err := parse(formNames, s, "form")
	return Form(i), err
}

// Resolve returns the form that f stands for, Small or Large, in an update by q rows of a model with k
// nodes.
func (f Form) Resolve(q, k int) Form {
	switch f {
	case Small, Large:
		return f
	case Paper:
		if q <= k {
			return Small
		}
		return Large
	default:
		s := Shape{K: k, Q: q}
		if Total(Model(Improved, Small, s)) <= Total(Model(Improved, Large, s)) {
			return Small
		}
		return Large
	}
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
	// Lambda is the ridge of the initial A⁺ = (AᵀA + Lambda I)⁻¹Aᵀ; 0 is the pseudoinverse itself.
	// Original and Improved then go on as if A⁺ were the pseudoinverse, as in the paper, so they
	// approach the ridge solution only as far as Lambda is small against the square of the smallest
	// singular value of the first A: the relative difference is of the order of that ratio. If the
	// first A has dependent columns they never learn in the directions that it lacks; with
	// Lambda = 0 they do.
	Lambda float64
	// Form is the form of B. Only Improved reads it.
	Form Form
	// C says when the general formula for B is used.
	C CMode
	// Workspace bounds the memory, in bytes, in which an update keeps D = (Ax A⁺)ᵀ, a matrix of l
	// rows and q columns that is needed twice. Rows that do not fit are computed twice, for 2qk
	// flops each, in panels of at most 64 MB. 0 stands for DefaultWorkspace, a negative number for
	// nothing but such panels.
	Workspace int64
	// Backend computes the products; nil stands for blskernel.Default().
	Backend blskernel.Backend
}

// DefaultWorkspace is the bound on the memory for D that Options.Workspace = 0 stands for: 4 GiB.
const DefaultWorkspace int64 = 4 << 30

// keptRows returns how many of l rows of D, q numbers each, the workspace holds.
func (o Options) keptRows(l, q int) int {
	bytes := o.Workspace
	if bytes == 0 {
		bytes = DefaultWorkspace
	}
	return int(min(int64(l), max(0, bytes)/(8*int64(q))))
}

func (o Options) check(m Method) error {
	switch {
	case m != Original && m != Improved:
		return &OptionError{Option: "Method", Value: m, Want: "Improved or Original"}
	case !(o.Lambda >= 0) || math.IsInf(o.Lambda, 1):
		return &OptionError{Option: "Lambda", Value: o.Lambda, Want: "a finite number that is not negative"}
	case o.Form < Auto || o.Form > Large:
		return &OptionError{Option: "Form", Value: o.Form, Want: "Auto, Paper, Small or Large"}
	case o.C < CAuto || o.C > CCheck:
		return &OptionError{Option: "C", Value: o.C, Want: "CAuto, CZero or CCheck"}
	case o.C == CCheck && o.Lambda > 0:
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
