package benchmarks

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// without are the exported functions and methods that have no benchmark, and why.
var without = map[string]string{
	"lapack.Cholesky.LogDet":   "n logarithms",
	"lapack.symmetric.Solver":  "SolveTo of one vector",
	"lapack.symmetric.Dim":     "reads a field",
	"lapack.symmetric.Reset":   "sets a field",
	"lapack.LDLT.Inertia":      "counts n signs",
	"lapack.LDLT.LogDet":       "n logarithms",
	"lapack.LU.Dim":            "reads a field",
	"lapack.LU.LogDet":         "n logarithms",
	"lapack.LU.Reset":          "sets a field",
	"lapack.QR.Dims":           "reads a field",
	"lapack.QR.Reset":          "sets a field",
	"blsupdate.Updater.Lambda": "reads a field", "blsupdate.Updater.Method": "reads a field",
	"blsupdate.Updater.Nodes": "reads a field", "blsupdate.Updater.Samples": "reads a field",
	"blsupdate.Updater.Targets": "reads a field", "blsupdate.Updater.Report": "reads a field", "blsupdate.Updater.Options": "reads a field",
	"bls.Features.EnhancementNodes": "reads a field", "bls.Features.FeatureNodes": "reads a field",
	"bls.Features.Inputs": "reads a field", "bls.Features.Nodes": "reads a field",
	"bls.Features.Options": "copies fields", "bls.Features.Maps": "copies the maps",
	"bls.Regressor.Center":       "copies c numbers",
	"bls.Classifier.WithUpdater": "Encode without the writing", "bls.Regressor.WithUpdater": "Encode without the writing",
	"mat.NewDense": "gonum's", "mat.NewSymPacked": "keeps a slice",
}

// TestEveryOperationHasABenchmark reads the sources: what they export has to be benchmarked here under
// its own name, or to be in the list of what needs no benchmark, and that list has nothing else. What
// takes a context is benchmarked without it, where there is such a method.
func TestEveryOperationHasABenchmark(t *testing.T) {
	have := map[string]bool{}
	for _, d := range declarations(t, ".", true) {
		if d.receiver == "" && strings.HasPrefix(d.name, "Benchmark") {
			have[d.name] = true
		}
	}
	var exported []operation
	add := func(dir, pkg string, receivers ...string) {
		found := map[string]int{}
		for _, d := range declarations(t, filepath.Join("..", "..", dir), false) {
			if ast.IsExported(d.name) && slices.Contains(receivers, d.receiver) {
				found[d.receiver]++
				d.pkg = pkg
				exported = append(exported, d)
			}
		}
		for _, r := range receivers {
			if found[r] == 0 {
				t.Errorf("%s: nothing is exported with the receiver %q", dir, r)
			}
		}
	}
	add("internal/blas12", "blas", "Routines") // Levels 1 and 2, as far as the pure backend has its own
	add(".", "blas", "PackedProducts")
	add("internal/backend", "blas", "FusedProducts")
	add("mat", "mat", "")
	add("lapack", "lapack", "", "symmetric", "Cholesky", "LDLT", "LU", "QR", "Implementation")
	add("blsupdate", "blsupdate", "Updater", "Pseudoinverter", "Leverager", "Refiner")
	add("bls", "bls", "Features", "Classifier", "Regressor")
	for _, name := range []string{"Dgemm", "Dsymm", "Dsyrk", "Dsyr2k", "Dtrmm", "Dtrsm"} { // gonum's blas.Float64Level3
		exported = append(exported, operation{pkg: "blas", receiver: "Float64Level3", name: name})
	}

	unused := maps.Clone(without)
	for _, op := range exported {
		name := op.benchmark()
		_, excused := without[op.String()]
		if plain, ok := strings.CutSuffix(name, "Context"); ok && have[plain] && !have[name] {
			continue
		}
		delete(unused, op.String())
		switch {
		case have[name] && excused:
			t.Errorf("%v has a benchmark and is in the list of those without", op)
		case !have[name] && !excused:
			t.Errorf("%v has no benchmark: write %s, or say in the list why it needs none", op, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(unused)) {
		t.Errorf("%s is in the list of those without a benchmark, and does not exist", name)
	}
}

// An operation is a function, or a method of a type or of an interface.
type operation struct{ pkg, receiver, name string }

func (o operation) String() string {
	if o.receiver == "" {
		return o.pkg + "." + o.name
	}
	return o.pkg + "." + o.receiver + "." + o.name
}

// benchmark returns the name that its benchmark has.
func (o operation) benchmark() string {
	switch {
	case o.pkg == "blas":
		return "Benchmark" + o.name
	case o.receiver == "symmetric": // what Cholesky and LDLT share
		return "BenchmarkCholesky" + o.name
	case o.receiver == "":
		return "Benchmark" + strings.ToUpper(o.pkg[:1]) + o.pkg[1:] + o.name
	default:
		return "Benchmark" + o.receiver + o.name
	}
}

// declarations returns the functions and methods that the Go files of a folder declare: of the tests,
// or without them. Files are read whatever their build constraints.
func declarations(t *testing.T, dir string, tests bool) []operation {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("%v: %s has no Go files", fs.ErrNotExist, dir)
	}
	var all []operation
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") != tests {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				all = append(all, operation{receiver: receiver(d), name: d.Name.Name})
			case *ast.GenDecl:
				all = append(all, interfaceMethods(d)...)
			}
		}
	}
	return all
}

// receiver returns the name of the type of which d is a method, or "".
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if name, ok := typ.(*ast.Ident); ok {
		return name.Name
	}
	return ""
}

// interfaceMethods returns the methods that interfaces in d declare themselves.
func interfaceMethods(d *ast.GenDecl) []operation {
	var all []operation
	for _, spec := range d.Specs {
		typ, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		i, ok := typ.Type.(*ast.InterfaceType)
		if !ok {
			continue
		}
		for _, m := range i.Methods.List {
			for _, name := range m.Names {
				all = append(all, operation{receiver: typ.Name.Name, name: name.Name})
			}
		}
	}
	return all
}
