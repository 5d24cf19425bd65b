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

	"blskernel/internal/testutil"
)

// TestGoBlocks checks every block of Go: it parses, gofmt changes nothing, packages of the module
// export what it takes from them, and a whole program passes go vet in a module of its own.
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
				if out, err := goProgram(t, t.TempDir(), b.text, "vet", "."); err != nil {
					t.Errorf("%s: %v\n%s", p.at(b.line), err, out)
				}
			}
		}
	}
}

// checkGo returns what is wrong with a file, declarations or statements: pkg.Name counts as a name of a
// package where pkg is the name under which the code imports it, or else the last element of a path of
// the module, and the code does not declare it.
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
		if len(file.Imports) == 0 && path.Base(at) != "mat" { // gonum has a package mat as well
			imported[path.Base(at)] = l
		}
	}
	for _, i := range file.Imports {
		at := strings.Trim(i.Path.Value, `"`)
		name := path.Base(at)
		if i.Name != nil {
			name = i.Name.Name
		}
		if l := known[at]; l != nil {
			imported[name] = l
		}
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

// goProgram runs the go command in a folder, as a module that has a program and requires this module as
// users do.
func goProgram(t *testing.T, dir, text string, args ...string) ([]byte, error) {
	t.Helper()
	top, err := filepath.Abs(root)
	testutil.NoError(t, err)
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		testutil.NoError(t, err)
		if name == "go.mod" {
			data = regexp.MustCompile(`(?m)^module .*$`).ReplaceAll(data, []byte("module example.com/page"))
			data = fmt.Appendf(data, "\nrequire blskernel v0.0.0\n\nreplace blskernel => %s\n", filepath.ToSlash(top))
		}
		write(t, filepath.Join(dir, name), string(data))
	}
	write(t, filepath.Join(dir, "main.go"), text)
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	return cmd.CombinedOutput()
}

// TestCheckGo has code that passes and code that does not.
func TestCheckGo(t *testing.T) {
	known := libraries(t)
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
