package docs

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestGoBlocks parses every block of Go, whole files, declarations and statements alike, compares it with what gofmt
// makes of it, and looks for what it takes from packages of the module. Whole programs are vetted.
func TestGoBlocks(t *testing.T) {
	known := libraries(t)
	for _, p := range pages(t) {
		for _, b := range p.blocks {
			if b.language != "go" {
				continue
			}
			if err := checkGo(b.text, known); err != nil {
				t.Errorf("%s: %v", p.at(b.line), err)
			} else if strings.HasPrefix(b.text, "package main\n") && !testing.Short() {
				if out, err := vetProgram(t, b.text); err != nil {
					t.Errorf("%s: %v\n%s", p.at(b.line), err, out)
				}
			}
		}
	}
}

// checkGo returns what is wrong with a piece of Go.
func checkGo(text string, known map[string]*library) error {
	formatted, err := format.Source([]byte(text))
	if err != nil {
		return err
	}
	if strings.TrimSpace(string(formatted)) != strings.TrimSpace(text) {
		return fmt.Errorf("gofmt would write\n%s", formatted)
	}
	return checkNames(text, known)
}

// checkNames looks for names that no package exports: pkg.Name where pkg is the last element of the path of a package
// of the module, or the name under which the piece imports it, and nothing that the piece declares.
func checkNames(text string, known map[string]*library) error {
	var file *ast.File
	var err error
	for _, frame := range []string{"%s", "package p\n%s", "package p\nfunc _() {\n%s\n}"} {
		if file, err = parser.ParseFile(token.NewFileSet(), "", fmt.Sprintf(frame, text), 0); err == nil {
			break
		}
	}
	if err != nil {
		return err
	}
	imported := map[string]*library{}
	if len(file.Imports) == 0 {
		for at, l := range known {
			imported[path.Base(at)] = l
		}
	}
	for _, i := range file.Imports {
		at := strings.Trim(i.Path.Value, `"`)
		if l := known[at]; l != nil && i.Name != nil {
			imported[i.Name.Name] = l
		} else if l != nil {
			imported[path.Base(at)] = l
		}
	}
	own := declared(file)
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := s.X.(*ast.Ident); ok && !own[x.Name] {
			if l := imported[x.Name]; l != nil && !l.exported[s.Sel.Name] && !shared[x.Name][s.Sel.Name] {
				err = fmt.Errorf("package %s exports no %s", l.ImportPath, s.Sel.Name)
			}
		}
		return true
	})
	return err
}

// declared returns the names that a piece gives to anything: which of them is meant where does not matter here.
func declared(file *ast.File) map[string]bool {
	names := map[string]bool{}
	add := func(list ...*ast.Ident) {
		for _, id := range list {
			names[id.Name] = true
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				if id, ok := x.(*ast.Ident); ok && n.Tok == token.DEFINE {
					add(id)
				}
			}
		case *ast.RangeStmt:
			for _, x := range []ast.Expr{n.Key, n.Value} {
				if id, ok := x.(*ast.Ident); ok && n.Tok == token.DEFINE {
					add(id)
				}
			}
		case *ast.ValueSpec:
			add(n.Names...)
		case *ast.Field:
			add(n.Names...)
		}
		return true
	})
	return names
}

// shared has what pieces without imports take from gonum packages that are called as ours are.
var shared = map[string]map[string]bool{
	"mat": {"Cholesky": true, "SymDense": true, "NewSymDense": true, "LU": true, "QR": true, "SVD": true, "Eigen": true, "EigenSym": true, "Formatted": true},
}

// moduleLine is the line of a go.mod that names the module.
var moduleLine = regexp.MustCompile(`(?m)^module .*$`)

// vetProgram vets a program in a module of its own, which requires this one as users do.
func vetProgram(t *testing.T, text string) ([]byte, error) {
	t.Helper()
	dir := t.TempDir()
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "go.mod" {
			data = moduleLine.ReplaceAll(data, []byte("module example.com/page"))
			data = fmt.Appendf(data, "\nrequire blskernel v0.0.0\n\nreplace blskernel => %s\n", filepath.ToSlash(top))
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "vet", "-mod=mod", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOPROXY=off", "GOWORK=off")
	return cmd.CombinedOutput()
}

// TestCheckGo has pieces that are right and pieces that are wrong.
func TestCheckGo(t *testing.T) {
	known := libraries(t)
	for text, right := range map[string]bool{
		"b := blskernel.Default()\n":                                               true,
		"b := blskernel.Defualt()\n":                                               false,
		"var m mat.SymPacked\n":                                                    true,
		"func f(u blsupdate.Updater) {}\n":                                         true,
		"func f(u blsupdate.Updatr) {}\n":                                          false,
		"bench := f()\nbench.Anything()\n":                                         true,
		"x := [}\n":                                                                false,
		"if x {\ny()\n}\n":                                                         false, // not as gofmt has it
		"import \"blskernel/bls\"\n\nvar c bls.Clasif\n":                           false,
		"package main\n\nimport m \"blskernel/mat\"\n\nvar x m.Dense\n":            true,
		"package main\n\nimport m \"blskernel/mat\"\n\nvar x m.Dens\n":             false,
		"package main\n\nimport \"gonum.org/v1/gonum/mat\"\n\nvar x mat.Tridiag\n": true,
	} {
		if err := checkGo(text, known); (err == nil) != right {
			t.Errorf("%q: %v", text, err)
		}
	}
	if testing.Short() {
		return
	}
	program := "package main\n\nimport \"blskernel\"\n\nfunc main() { println(blskernel.%s().Name()) }\n"
	if out, err := vetProgram(t, fmt.Sprintf(program, "Default")); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := vetProgram(t, fmt.Sprintf(program, "Defaults")); err == nil {
		t.Error("a program that does not compile passes")
	}
}
