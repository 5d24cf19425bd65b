// Package spec holds the declarations and constants that the generators of all architectures share.
package spec

// A Function is the declaration of an assembly function: its signature, and its comment after the name.
// Package kernel gives the equation.
type Function struct{ Signature, Comment string }

// Functions maps names to functions. Most names are fields of Kernel.
var Functions = map[string]Function{
	"Peak": {"(n int, x, y float64) float64", "is Kernel.Peak. The reference is dpeakGeneric."},
	"Gemm": {"(m, n, k int, alpha float64, a *float64, rowA, colA int, b *float64, rowB, panelB int, " +
		"store uint8, c *float64, ldc int)", "is Kernel.Gemm. The reference is dgemmGeneric_2x4."},
	"Solve":    {triangle, "is Kernel.Solve. The reference is dtrsmGeneric."},
	"Multiply": {triangle, "is Kernel.Multiply. The reference is dtrmmGeneric."},
	"Copy": {"(m, n int, src *float64, lds, stepS int, dst *float64, ldd, stepD int)",
		"is Kernel.Copy. The reference is dcopyGeneric."},
	"Transpose": {"(m, n int, src *float64, lds, step int, dst *float64, ldd int)",
		"is Kernel.Transpose of multiples of a vector. The reference is dtransposeGeneric."},
	"Tanh":   {"(dst, src *float64, n int, table *float64)", "is Kernel.Tanh of n elements, by tanhTable. The reference is dtanhGeneric."},
	"Dot":    {"(n int, x, y *float64) float64", "is Kernel.Dot. The reference is ddotGeneric."},
	"Axpy":   {"(n int, alpha float64, x, y *float64)", "is Kernel.Axpy. The reference is daxpyGeneric."},
	"Scal":   {"(n int, alpha float64, x *float64)", "is Kernel.Scal. The reference is dscalGeneric."},
	"Rot":    {"(n int, h11, h12, h21, h22 float64, x, y *float64)", "is Kernel.Rot. The reference is drotGeneric."},
	"AbsMax": {"(n int, x *float64) (at int, size float64)", "is Kernel.AbsMax. The reference is dabsMaxGeneric."},
	"AddAbs": {"(n int, x, y *float64) float64", "is Kernel.AddAbs. The reference is daddAbsGeneric."},
	"GemvN": {"(m, n int, alpha float64, a *float64, lda int, x *float64, beta float64, y *float64, incY int)",
		"is Kernel.GemvN. The reference is dgemvNGeneric."},
	"GemvT": {"(m, n int, alpha float64, a *float64, lda int, x *float64, incX int, beta float64, y *float64)",
		"is Kernel.GemvT. The reference is dgemvTGeneric."},
	"Ger": {"(m, n int, alpha float64, x *float64, incX int, y, a *float64, lda int)",
		"is Kernel.Ger. The reference is dgerGeneric."},
	"Dotxaxpyf": {"(m, n int, alpha float64, a *float64, lda, step int, x, u, y, v *float64)",
		"is Kernel.Dotxaxpyf. The reference is ddotxaxpyfGeneric."},
	"SymvUpper": {symv, "is Kernel.Symv of eight rows. The reference is dsymvGeneric."},
	"SymvLower": {symv, "is Kernel.Symv of eight rows. The reference is dsymvGeneric."},
	"pause":     {"()", "executes the instruction of Pause."},
}

const (
	triangle = "(m, n int, t *float64, rowT, colT int, d *float64, x *float64, ldx int)"
	symv     = "(alpha float64, a *float64, lda, step int, x, y *float64)"
)

// The rows of tanhTable.
const (
	TanhClamp = iota
	TanhBreak
	TanhLog
	TanhShift
	TanhHi
	TanhLo
	TanhP3
	TanhP0 = iota + 2
	TanhA3
	TanhOne = iota + 4
	TanhTwo
	TanhSign
	TanhRows
)

// The values of kernel.Store.
const (
	StoreOverwrite = iota
	StoreAdd
	StoreAddPacked
	StoreContinue
)
