package docs

import (
	"context"
	"go/ast"
	"go/token"
	gotypes "go/types"
	"io"
	"path"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"blskernel"
	"blskernel/bench"
	"blskernel/bench/report"
	"blskernel/bench/result"
	"blskernel/bench/speed"
	"blskernel/bls"
	"blskernel/bls/metrics"
	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/blsupdate/types"
	"blskernel/dataset"
	"blskernel/dataset/stream"
	"blskernel/internal/testutil"
	"blskernel/lapack"
	"blskernel/mat"
)

// zeros has a pointer to a zero value of each exported type with methods.
var zeros = []any{
	&blskernel.UnavailableError{},
	&mat.SymPacked{},
	&lapack.Cholesky{}, &lapack.ConditionError{}, &lapack.ElementError{}, &lapack.GrowthError{}, &lapack.LDLT{}, &lapack.LeastSquares{},
	&lapack.LU{}, &lapack.PivotError{}, &lapack.QR{}, &lapack.Implementation{},
	new(types.Action), new(types.CMode), &types.ConditionError{}, &types.ForgottenRowsError{}, new(types.Form), &types.LeverageError{},
	new(types.Method), &types.RankError{}, new(types.Start), &types.UnknownRowError{},
	&blsupdate.Candidate{}, &blsupdate.Choice{}, &blsupdate.Counter{}, &blsupdate.FormatError{},
	&blsupdate.MemoryError{}, &blsupdate.NotFiniteError{}, &blsupdate.OptionError{}, &blsupdate.PlanError{},
	&blsupdate.Rates{}, &blsupdate.Report{}, &blsupdate.ShapeError{}, &blsupdate.StateError{}, &blsupdate.UnsupportedError{},
	&blsupdate.StepFlops{}, &blsupdate.StepReport{},
	new(bls.ClassWeight), &bls.CalibrationError{}, &bls.Classifier{}, new(bls.EnhancementWeights), &bls.Features{}, &bls.LabelError{},
	&bls.OutlierError{}, &bls.OverflowError{}, &bls.Regressor{}, &bls.ScaleError{}, new(bls.Scaling), &bls.TargetError{},
	&metrics.Calibration{}, &metrics.Confusion{}, &metrics.Errors{}, &metrics.Ranking{}, &metrics.Running{},
	&model.Classes{}, &model.Error{}, &model.MergeError{}, &model.Model{}, new(model.Remedy), &model.TwiceError{}, new(model.Holdout),
	&modelfile.ChecksumError{}, &modelfile.File{}, &modelfile.FolderError{}, &modelfile.FormatError{}, &modelfile.Info{}, &modelfile.MetadataError{},
	&modelfile.Metadata{}, &modelfile.Operation{}, new(modelfile.Log), &modelfile.TruncatedError{}, &modelfile.VersionError{}, &modelfile.WriteError{},
	&dataset.Images{},
	&stream.Batch{}, &stream.Columns{}, &stream.Error{}, new(stream.Format), new(stream.Header), new(stream.Missing), &stream.Reader{},
	&stream.Column{}, &stream.Notation{}, new(stream.Option), &stream.Options{}, &stream.Place{}, &stream.Remedy{}, &stream.Selection{}, &stream.Tally{},
	&bench.Incremental{}, &bench.PaperTable{}, &bench.FlopsCase{}, &bench.TableHead{}, &bench.Variant{},
	&bench.Cost{}, &speed.Case{}, &speed.Comparison{}, &speed.Job{}, &speed.Problem{}, &speed.Result{},
	&report.Page{}, &report.Plot{}, &report.Section{}, &report.Table{}, &result.File{}, &result.LineError{},
}

// panics matches what the doc comment of a type without a usable zero value says.
var panics = regexp.MustCompile(`its\s+(methods\s+panic|\w+\s+panics)`)

// unusable lists the types whose doc comments say that methods of the zero value panic.
var unusable = map[string]bool{"model.Model": true, "blsupdate.Counter": true, "blsupdate.Rates": true, "speed.Case": true, "speed.Problem": true}

// TestZeroValues checks that no method of a zero value dereferences nil or indexes out of range, also
// with a nil context, unless its type is unusable. Every exported type with methods is in zeros.
func TestZeroValues(t *testing.T) {
	called, packages := map[string]bool{}, libraries(t)
	t.Chdir(t.TempDir()) // some methods write files
	for _, zero := range zeros {
		v := reflect.ValueOf(zero)
		name := v.Type().Elem().String()
		called[name] = true
		for i := range v.NumMethod() {
			for _, ctx := range []context.Context{nil, context.Background()} {
				got := testutil.PanicValue(func() { v.Method(i).Call(arguments(v.Method(i).Type(), ctx)) })
				if _, faulty := got.(runtime.Error); faulty && !unusable[name] {
					t.Errorf("%s.%s of the zero value: %v", name, v.Type().Method(i).Name, got)
				}
			}
		}
	}
	for at, p := range packages {
		for _, f := range p.files {
			for _, d := range f.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					if d.Recv == nil || !d.Name.IsExported() {
						continue
					}
					of := strings.TrimPrefix(gotypes.ExprString(d.Recv.List[0].Type), "*")
					if name := path.Base(at) + "." + of; ast.IsExported(of) && !called[name] {
						t.Errorf("%s has methods, but is not in the list of zero values", name)
					}
				case *ast.GenDecl:
					for _, s := range d.Specs {
						s, ok := s.(*ast.TypeSpec)
						if ok && unusable[path.Base(at)+"."+s.Name.Name] != (d.Tok == token.TYPE && panics.MatchString(d.Doc.Text())) {
							t.Errorf("%s.%s: the doc comment and the list of types without a usable zero value do not agree", at, s.Name.Name)
						}
					}
				}
			}
		}
	}
}

// arguments returns arguments for a method: empty values, small numbers, and small matrices.
func arguments(of reflect.Type, ctx context.Context) []reflect.Value {
	var args []reflect.Value
	for k := range of.NumIn() {
		in := of.In(k)
		arg := reflect.Zero(in)
		switch in.String() {
		case "context.Context":
			if ctx != nil {
				arg = reflect.ValueOf(ctx)
			}
		case "*mat.Dense":
			arg = reflect.ValueOf(mat.NewDense(2, 2, []float64{2, 1, 1, 2}))
		case "mat.Symmetric":
			arg = reflect.ValueOf(mat.NewSymPacked(2, nil))
		case "io.Writer":
			arg = reflect.ValueOf(io.Discard)
		case "io.Reader":
			arg = reflect.ValueOf(strings.NewReader(""))
		default:
			switch in.Kind() {
			case reflect.Pointer:
				arg = reflect.New(in.Elem())
			case reflect.Func:
				arg = reflect.MakeFunc(in, func([]reflect.Value) (out []reflect.Value) {
					for k := range in.NumOut() {
						out = append(out, reflect.Zero(in.Out(k)))
					}
					return out
				})
			case reflect.Slice:
				arg = reflect.MakeSlice(in, 2, 2)
			case reflect.String:
				arg = reflect.ValueOf("DGETRF").Convert(in)
			case reflect.Int:
				arg = reflect.ValueOf(1).Convert(in)
			}
		}
		if !of.IsVariadic() || k < of.NumIn()-1 {
			args = append(args, arg)
		}
	}
	return args
}
