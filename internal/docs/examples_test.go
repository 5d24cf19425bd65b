package docs

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestExamples wants an Example for every exported type and function of the public packages: one whose code has a value of
// the type, calls the function, or is named after it. What unused has is left out, and must be needed there.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the module")
	}
	imports := compiled(t)
	for at, p := range libraries(t) {
		shown := p.shown(at, imports)
		for _, name := range wanted(p.Package) {
			reason, excepted := unused[at][name]
			switch {
			case !shown[name] && !excepted:
				t.Errorf("%s.%s is in no Example", at, name)
			case shown[name] && excepted:
				t.Errorf("%s.%s is in an Example, and in the list of exceptions", at, name)
			case excepted && reason == "":
				t.Errorf("%s.%s is excepted without a reason", at, name)
			}
		}
		for name := range unused[at] {
			if !p.exported[name] {
				t.Errorf("%s has no %s, which is in the list of exceptions", at, name)
			}
		}
	}
}

// wanted returns the names of the exported types and package-level functions that want an Example. Errors do not: they are met by
// errors.As, their messages say all, and the tests have every one.
func wanted(p *doc.Package) []string {
	names := map[string]bool{}
	for _, f := range p.Funcs {
		names[f.Name] = true
	}
	for _, t := range p.Types {
		names[t.Name] = !strings.HasSuffix(t.Name, "Error")
		for _, f := range t.Funcs {
			names[f.Name] = true
		}
	}
	maps.DeleteFunc(names, func(_ string, wanted bool) bool { return !wanted })
	return slices.Sorted(maps.Keys(names))
}

// compiled returns an importer of the packages of this module and all that they import, as the go command compiles them.
func compiled(t *testing.T) types.Importer {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	imports, err := compile()
	if err != nil {
		t.Fatal(err)
	}
	return imports
}

var compile = sync.OnceValues(func() (types.Importer, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-f", "{{if .Export}}{{.ImportPath}}={{.Export}}{{end}}", "./...")
	cmd.Dir = root
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, errs.String())
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if path, file, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			files[path] = file
		}
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(files[path]) }
	return importer.ForCompiler(token.NewFileSet(), "gc", open), nil
})

// shown returns the names of the package, whose path is at, that the code of its Examples uses.
func (p *library) shown(at string, imports types.Importer) map[string]bool {
	names := map[string]bool{}
	for _, files := range [][]*ast.File{p.inside, p.outside} {
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
		// Tests may use what other tests export to them, which the importer does not know: those errors say nothing of the
		// Examples, which the compiler has seen.
		config := types.Config{Importer: imports, FakeImportC: true, Error: func(error) {}}
		path := at
		if len(files) > 0 && strings.HasSuffix(files[0].Name.Name, "_test") {
			path += "_test"
		}
		_, _ = config.Check(path, p.set, files, info)
		for _, f := range files {
			for _, d := range f.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Example") {
					names[strings.Split(strings.TrimPrefix(f.Name.Name, "Example"), "_")[0]] = true
					usedBy(f.Body, info, at, names)
				}
			}
		}
	}
	return names
}

// usedBy adds the names of the package at path that a piece of code uses, or has values of.
func usedBy(code ast.Node, info *types.Info, path string, names map[string]bool) {
	object := func(o types.Object) {
		if o != nil && o.Pkg() != nil && o.Pkg().Path() == path && o.Parent() == o.Pkg().Scope() {
			names[o.Name()] = true
		}
	}
	var kind func(types.Type)
	kind = func(t types.Type) {
		switch t := t.(type) {
		case *types.Alias:
			object(t.Obj())
			kind(t.Rhs())
		case *types.Named:
			object(t.Obj())
		case *types.Tuple:
			for i := range t.Len() {
				kind(t.At(i).Type())
			}
		case interface{ Elem() types.Type }: // pointers, slices, arrays, maps, channels
			kind(t.Elem())
		}
	}
	ast.Inspect(code, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok {
			kind(info.Types[x].Type)
		}
		if id, ok := n.(*ast.Ident); ok {
			object(info.Uses[id])
			if o := info.Defs[id]; o != nil {
				kind(o.Type())
			}
		}
		return true
	})
}

// Reasons why something is in no Example.
const (
	experiment = "part of an experiment of minutes to hours, which the command paper or crossover runs"
	needsFiles = "reads files of small NORB, which are not in the repository; the tests write some"
	measuring  = "measures the machine for a minute or two, or reads what was measured; the commands plan and flops do"
	opponents  = "compares with OpenBLAS, which may not be there; the command bench does"
	resolving  = "for those who write a type with a field Backend, or a routine of LAPACK's level"
	listing    = "a list or a name, which flags of the command are made of"
)

// unused are exported names that are in no Example, with the reason.
var unused = map[string]map[string]string{
	"blskernel": {"Begin": resolving, "Or": resolving},
	"blskernel/bench": {
		"Check": experiment, "Crossover": experiment, "GrowthVariants": experiment, "HoldOut": experiment, "Paper": experiment,
		"PlanVariant": experiment, "Progress": "a function that is told of progress; the Examples need none", "RandomNORB": experiment,
		"Resume": experiment, "Retraining": experiment, "TableCell": experiment, "TableHead": experiment, "TableRow": experiment,
		"MeasureEach": measuring, "ValidationGrid": measuring,
	},
	"blskernel/bench/result": {
		"Agreement": "a line of a file, as the others", "Conditions": "compares machines; package report does",
		"Table": experiment,
	},
	"blskernel/bench/speed": {
		"BLS": listing, "Sizes": listing, "Large": opponents, "Larges": opponents, "Library": opponents, "Opponent": opponents,
		"Progress": "a function that is told of progress; the Example needs none", "Quiet": measuring, "CPUTime": measuring, "KernelPeak": measuring,
	},
	"blskernel/bls/modelfile": {"SaveFS": "for tests of this module, which fail its operations"},
	"blskernel/dataset": {
		"LoadNORB": needsFiles, "LoadNORBInfo": needsFiles, "NORBView": needsFiles,
		"ReadNORBImages": needsFiles, "ReadNORBInfo": needsFiles, "ReadNORBLabels": needsFiles,
	},
	"blskernel/blsupdate": {
		"CMode": "an option for comparisons with the paper; its zero value is right for use", "Candidate": "a line of what Choice.Explain prints",
		"Key": measuring, "LoadRates": measuring, "MeasureRates": measuring, "RatesFor": measuring,
	},
}

// TestShown checks the ways of being shown on the root package: Lookup has an Example, UnavailableError is a type of a
// variable in it, and Backend the type of what Lookup returns.
func TestShown(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the module")
	}
	shown := libraries(t)["blskernel"].shown("blskernel", compiled(t))
	for name, want := range map[string]bool{"Lookup": true, "UnavailableError": true, "Backend": true, "Default": true, "Nothing": false} {
		if shown[name] != want {
			t.Errorf("%s is shown: %v", name, shown[name])
		}
	}
}
