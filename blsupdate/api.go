package blsupdate

import (
	"context"

	"blskernel"
	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/coder"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/rates"
	"blskernel/internal/memory"
)

type (
	Method             = api.Method
	Form               = api.Form
	CMode              = api.CMode
	Options            = api.Options
	Action             = api.Action
	Start              = api.Start
	Shape              = cost.Shape
	Step               = cost.Step
	StepFlops          = cost.StepFlops
	Counter            = cost.Counter
	Rates              = rates.Rates
	Key                = rates.Key
	CacheError         = rates.CacheError
	ConditionError     = api.ConditionError
	StateError         = api.StateError
	ShapeError         = api.ShapeError
	NotFiniteError     = api.NotFiniteError
	OptionError        = api.OptionError
	RankError          = api.RankError
	LeverageError      = api.LeverageError
	UnknownRowError    = api.UnknownRowError
	ForgottenRowsError = api.ForgottenRowsError
	UnsupportedError   = api.UnsupportedError
	MemoryError        = memory.Error
	FormatError        = coder.FormatError
)

const (
	Improved        = api.Improved
	Original        = api.Original
	RidgeInverse    = api.RidgeInverse
	InverseCholesky = api.InverseCholesky
	Gram            = api.Gram
	QR              = api.QR

	Auto       = api.Auto
	Paper      = api.Paper
	Small      = api.Small
	Large      = api.Large
	Compressed = api.Compressed

	CAuto  = api.CAuto
	CZero  = api.CZero
	CCheck = api.CCheck

	ActionAdd     = api.ActionAdd
	ActionStart   = api.ActionStart
	ActionWeights = api.ActionWeights
	ActionRemove  = api.ActionRemove
	ActionForget  = api.ActionForget
	ActionNodes   = api.ActionNodes
	ActionMerge   = api.ActionMerge
	ActionRidge   = api.ActionRidge

	StartCholesky = api.StartCholesky
	StartQR       = api.StartQR
	StartSVD      = api.StartSVD

	DefaultWorkspace = api.DefaultWorkspace
	EnvCache         = rates.EnvCache
)

var (
	ErrOverflow      = api.ErrOverflow
	ErrNoConvergence = api.ErrNoConvergence
)

func Methods() []Method                                { return api.Methods() }
func ParseMethod(s string) (Method, error)             { return api.ParseMethod(s) }
func ParseForm(s string) (Form, error)                 { return api.ParseForm(s) }
func Supports(m Method, action Action) bool            { return api.Supports(m, action) }
func CheckStart(m Method, opt Options, l, k int) error { return api.CheckStart(m, opt, l, k) }
func Resolve(opt Options, s Shape) Form                { return cost.Resolve(opt, s) }
func Model(m Method, action Action, opt Options, s Shape) []StepFlops {
	return cost.Model(m, action, opt, s)
}
func Total(steps []StepFlops) float64             { return cost.Total(steps) }
func NewCounter(b blskernel.Backend) *Counter     { return cost.NewCounter(b) }
func ConstantRates(flops, numbers float64) *Rates { return rates.ConstantRates(flops, numbers) }
func MeasureRates(ctx context.Context, b blskernel.Backend, progress func(done float64)) (*Rates, error) {
	return rates.Measure(ctx, b, progress)
}
func RatesFor(ctx context.Context, b blskernel.Backend, progress func(done float64)) (*Rates, error) {
	return rates.For(ctx, b, progress)
}
func LoadRates(b blskernel.Backend) (*Rates, error) { return rates.Load(b) }
