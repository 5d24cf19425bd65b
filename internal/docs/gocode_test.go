package docs

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"blskernel/internal/testutil"
)

// TestGoBlocks checks that every block of Go parses, is formatted, and uses only names that the
// packages of the module export. A whole program passes go vet in a module of its own.
func TestGoBlocks(t *testing.T) {
	known := libraries(t)
	for _, p := range pages(t) {
		for _, b := range p.blocks {
			if b.language != "go" {
				continue
			}
			if err := checkGo(b.text, known); err != nil {
				t.Errorf("%s: %v", p.at(b), err)
			} else if strings.HasPrefix(b.text, "package main\n") {
				if out, err := goProgram(t, b.text, "vet"); err != nil {
					t.Errorf("%s: %v\n%s", p.at(b), err, out)
				}
			}
		}
	}
	for text, right := range map[string]bool{
		"b := blskernel.Default()\n":                                               true,
		"b := blskernel.Defualt()\n":                                               false,
		"func f(u blsupdate.Updater) {}\n":                                         true,
		"func f(u blsupdate.Updatr) {}\n":                                          false,
		"bench := f()\nbench.Anything()\n":                                         true,
		"x := [}\n":                                                                false,
		"if x {\ny()\n}\n":                                                         false, // gofmt indents it
		"import \"blskernel/bls\"\n\nvar c bls.Clasif\n":                           false,
		"package main\n\nimport m \"blskernel/mat\"\n\nvar x m.Dense\n":            true,
		"package main\n\nimport m \"blskernel/mat\"\n\nvar x m.Dens\n":             false,
		"package main\n\nimport \"gonum.org/v1/gonum/mat\"\n\nvar x mat.Tridiag\n": true,
	} {
		if err := checkGo(text, known); (err == nil) != right {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// checkGo returns an error about Go code: a file, declarations or statements. In pkg.Name, pkg is a
// package if the code imports it by this name or, without any imports, if a path of the module ends in
// pkg. Names that the code declares are not packages.
func checkGo(text string, known map[string]*library) error {
	formatted, err := format.Source([]byte(text))
	if err != nil {
		return err
	}
	if strings.TrimSpace(string(formatted)) != strings.TrimSpace(text) {
		return fmt.Errorf("gofmt would write\n%s", formatted)
	}
	var file *ast.File
	for _, frame := range []string{"%s", "package p\n%s", "package p\nfunc _() {\n%s\n}"} {
		if file, err = parser.ParseFile(token.NewFileSet(), "", fmt.Sprintf(frame, text), 0); err == nil {
			break
		}
	}
	if err != nil {
		return err
	}
	imported := map[string]*library{}
	for at, l := range known {
		if len(file.Imports) == 0 && path.Base(at) != "mat" { // gonum also has a package mat
			imported[path.Base(at)] = l
		}
	}
	for _, i := range file.Imports {
		at := strings.Trim(i.Path.Value, `"`)
		name := path.Base(at)
		if i.Name != nil {
			name = i.Name.Name
		}
		imported[name] = known[at]
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			// The parser resolves what the code itself declares.
			if x, ok := s.X.(*ast.Ident); ok && x.Obj == nil && imported[x.Name] != nil {
				if _, ok := imported[x.Name].exported[s.Sel.Name]; !ok {
					err = fmt.Errorf("package %s exports no %s", x.Name, s.Sel.Name)
				}
			}
		}
		return true
	})
	return err
}

// goProgram runs go verb on a program, in a module of its own that requires this module as users do.
func goProgram(t *testing.T, text, verb string) ([]byte, error) {
	t.Helper()
	top, err := filepath.Abs(root)
	testutil.NoError(t, err)
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	testutil.NoError(t, err)
	mod = regexp.MustCompile(`(?m)^module .*$`).ReplaceAll(mod, []byte("module example.com/page"))
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	testutil.NoError(t, err)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": fmt.Sprintf("%s\nrequire blskernel v0.0.0\n\nreplace blskernel => %s\n", mod, filepath.ToSlash(top)),
		"go.sum": string(sum), "main.go": text,
	} {
		testutil.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	return goCommand(dir, verb, "-mod=mod", ".")
}

// A library is a package of the module that other modules may import.
type library struct {
	exported map[string]bool // package-level names: whether they need an Example
	files    []*ast.File     // without tests
	tests    []*ast.File
}

// libraries returns the public packages of the module by import path, with the files of all platforms.
func libraries(t *testing.T) map[string]*library {
	t.Helper()
	all := map[string]*library{}
	walk(t, "*.go", func(name, text string) {
		if regexp.MustCompile(`^(cmd|examples|scaleout|make)/|(^|/)(_|internal/)`).MatchString(name) {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments)
		testutil.NoError(t, err)
		at := path.Join("blskernel", path.Dir(name))
		if all[at] == nil {
			all[at] = &library{exported: map[string]bool{}}
		}
		if strings.HasSuffix(name, "_test.go") {
			all[at].tests = append(all[at].tests, f)
			return
		}
		all[at].files = append(all[at].files, f)
		for name, o := range f.Scope.Objects {
			if ast.IsExported(name) {
				all[at].exported[name] = o.Kind == ast.Fun || o.Kind == ast.Typ && !strings.HasSuffix(name, "Error")
			}
		}
	})
	if len(all) < 5 {
		t.Fatalf("only %d public packages", len(all))
	}
	return all
}
