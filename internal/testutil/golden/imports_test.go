package golden_test

import (
	"encoding/json"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"blskernel/internal/testutil"

	"gonum.org/v1/gonum/blas"
)

// exact lists the functions of package math that are correctly rounded, or do no arithmetic.
var exact = strings.Fields(`Sqrt FMA Abs Floor Ceil Trunc Round Copysign Ldexp Frexp Nextafter IsNaN IsInf Inf NaN Signbit
	Float64bits Float64frombits Float32bits Float32frombits`)

// certain lists, by package, the functions of gonum that compute nothing or round each element once.
var certain = map[string][]string{
	"gonum.org/v1/gonum/mat": strings.Fields(`At AsRowMajor CloneFrom ColView Copy DenseCopyOf Dims IsEmpty NewDense NewSymDense RawMatrix
		Apply AtVec Len RawTriangular ReuseAsTri ReuseAsVec SetVec Triangle
		RawRowView RawSymmetric SetRawMatrix Reset ReuseAs RowView Set SetRow SetCol SetSym Slice Stack Augment SymmetricDim T Zero Untranspose Row Col
		Add Sub Scale MulElem`),
}

// beyond is the prefix of the files with gonum's arithmetic, under names outside the promise of
// docs/reproducibility.md.
const beyond = "blskernel/lapack/implementation"

// timed lists packages that only compute timings, plots or text, and packages for tests or openblas. No
// result depends on them.
var timed = []string{
	"blskernel/bench", "blskernel/cmd/blskernel/internal/experiment", "blskernel/blsupdate/internal/rates", "blskernel/examples",
	"blskernel/internal/testutil", "blskernel/internal/linalg/openblas", "blskernel/internal/docs", "blskernel/internal/soak",
}

type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// load returns the packages of the module that compute, and an importer of all packages.
func load(t *testing.T) (all []listed, imports types.Importer, set *token.FileSet) {
	fields := "-json=ImportPath,Dir,Export,GoFiles"
	out, err := goCommand(t, runtime.GOOS, runtime.GOARCH, "list", "-deps", "-export", fields, "blskernel/...").Output()
	testutil.NoError(t, err)
	exports := map[string]string{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		err := decoder.Decode(&p)
		if err == io.EOF {
			break
		}
		testutil.NoError(t, err)
		exports[p.ImportPath] = p.Export
		ours := p.ImportPath == "blskernel" || strings.HasPrefix(p.ImportPath, "blskernel/")
		if ours && !slices.ContainsFunc(timed, func(prefix string) bool { return p.ImportPath == prefix || strings.HasPrefix(p.ImportPath, prefix+"/") }) {
			all = append(all, p)
		}
	}
	set = token.NewFileSet()
	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	return all, importer.ForCompiler(set, "gc", open), set
}

// TestMathAndGonum fails if a package that computes uses a function whose result is not the same
// everywhere. It covers gonum's arithmetic and most of package math, which has assembly on some
// machines or is fused on others. It also covers NormFloat64 and ExpFloat64, which use package math.
func TestMathAndGonum(t *testing.T) {
	all, imports, set := load(t)
	for _, p := range all {
		var files []*ast.File
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			testutil.NoError(t, err)
			files = append(files, f)
		}
		info := types.Info{Uses: map[*ast.Ident]types.Object{}}
		_, err := (&types.Config{Importer: imports}).Check(p.ImportPath, set, files, &info)
		testutil.NoError(t, err)
		for at, used := range info.Uses {
			f, ok := used.(*types.Func)
			if !ok || f.Pkg() == nil {
				continue
			}
			position := set.Position(at.Pos())
			if why := uncertain(f); why != "" && !strings.HasPrefix(p.ImportPath+"/"+filepath.Base(position.Filename), beyond) {
				t.Errorf("%v: %s.%s %s\n\trule: results use our own elementary functions, random numbers and arithmetic (docs/reproducibility.md)",
					position, f.Pkg().Path(), f.Name(), why)
			}
		}
	}
}

// uncertain returns why the result of a function is not the same everywhere, or "" if it is.
func uncertain(f *types.Func) string {
	path := f.Pkg().Path()
	switch {
	case path == "math" && !slices.Contains(exact, f.Name()):
		return "has assembly on some machines, or is fused on others: see internal/linalg/detmath"
	case strings.HasPrefix(path, "math/rand") && (f.Name() == "NormFloat64" || f.Name() == "ExpFloat64"):
		return "uses such functions of package math"
	case path == "gonum.org/v1/gonum/blas": // the interface that backends implement
		return ""
	case strings.HasPrefix(path, "gonum.org/") && !slices.Contains(certain[path], f.Name()):
		return "is gonum's arithmetic, which is fused or in assembly on some machines"
	}
	return ""
}

// TestPureIsOurs checks that the pure backend embeds gonum's routines only as blas12.Routines, the
// interface of the routines that compute nothing.
func TestPureIsOurs(t *testing.T) {
	_, imports, _ := load(t)
	p, err := imports.Import("blskernel/internal/linalg/blas")
	testutil.NoError(t, err)
	made := p.Scope().Lookup("New").Type().(*types.Signature).Results().At(0).Type()
	routines := reflect.TypeFor[blas.Float64]()
	for k := range routines.NumMethod() {
		name := routines.Method(k).Name
		m, _, _ := types.LookupFieldOrMethod(made, true, p, name)
		f, ok := m.(*types.Func)
		if !ok {
			t.Fatalf("%v has no method %s", made, name)
		}
		if !strings.HasPrefix(f.Pkg().Path(), "blskernel") {
			t.Errorf("%s of the pure backend comes from %s\n\trule: gonum's arithmetic is in assembly on some machines and fused on others (docs/reproducibility.md)", name, f.Pkg().Path())
		}
	}
}
