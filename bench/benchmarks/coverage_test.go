package benchmarks

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/backend"
	"blskernel/internal/testutil"
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
	for _, op := range declared(t, "", "*_test.go") {
		have[op.name] = op.receiver == ""
	}
	exported := slices.Concat(
		declared(t, "blas", "../../internal/blas12/*.go", "Routines"), // pure has its own
		methodsOf[blskernel.PackedProducts]("blas"), methodsOf[backend.FusedProducts]("blas"),
		declared(t, "mat", "../../mat/*.go", ""),
		declared(t, "lapack", "../../lapack/*.go", "", "symmetric", "Cholesky", "LDLT", "LU", "QR", "Implementation"),
		methodsOf[blsupdate.Updater]("blsupdate"), methodsOf[blsupdate.Pseudoinverter]("blsupdate"),
		methodsOf[blsupdate.Leverager]("blsupdate"), methodsOf[blsupdate.Refiner]("blsupdate"),
		declared(t, "bls", "../../bls/*.go", "Features", "Classifier", "Regressor"),
	)
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

// function is the head of an exported function or method.
var function = regexp.MustCompile(`(?m)^func (?:\(\w* ?\*?(\w+)\) )?([A-Z]\w*)[\[(]`)

// declared returns the exported functions and methods of the given receivers, "" for none, in files
// that match a pattern: in those of tests, if it ends so, else in all others, whatever their build
// constraints.
func declared(t *testing.T, pkg, pattern string, receivers ...string) (all []operation) {
	t.Helper()
	files, err := filepath.Glob(filepath.FromSlash(pattern))
	testutil.NoError(t, err)
	found := map[string]bool{"": true}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") != strings.HasSuffix(pattern, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		testutil.NoError(t, err)
		for _, m := range function.FindAllStringSubmatch(string(text), -1) {
			if receivers == nil || slices.Contains(receivers, m[1]) {
				all, found[m[1]] = append(all, operation{pkg, m[1], m[2]}), true
			}
		}
	}
	for _, r := range receivers {
		if !found[r] || len(all) == 0 {
			t.Errorf("%s: nothing is exported with the receiver %q", pattern, r)
		}
	}
	return all
}

// methodsOf returns the exported methods of an interface, without those that it has of Updater.
func methodsOf[T any](pkg string) (all []operation) {
	typ, updater := reflect.TypeFor[T](), reflect.TypeFor[blsupdate.Updater]()
	for i := range typ.NumMethod() {
		m := typ.Method(i)
		if _, embedded := updater.MethodByName(m.Name); m.IsExported() && (typ == updater || !embedded) {
			all = append(all, operation{pkg, typ.Name(), m.Name})
		}
	}
	return all
}
