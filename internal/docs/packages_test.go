package docs

import (
	"errors"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A library is a package of the module that others may import.
type library struct {
	*doc.Package
	exported        map[string]bool // package-level names
	set             *token.FileSet
	inside, outside []*ast.File // with the tests of the package itself; the tests of the package NAME_test
}

// private are the top folders whose packages are no libraries; nor are those of any folder internal.
var private = map[string]bool{"cmd": true, "examples": true}

// libraries returns the public packages of the module by their import paths, as this platform builds them.
func libraries(t *testing.T) map[string]*library {
	t.Helper()
	all := map[string]*library{}
	err := filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, dir)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if name != "." && strings.ContainsAny(d.Name()[:1], "._") || d.Name() == "testdata" || private[name] || d.Name() == "internal" {
			return filepath.SkipDir
		}
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil && name != "." {
			return filepath.SkipDir // a module of its own
		}
		files, err := build.ImportDir(dir, 0)
		var none *build.NoGoError
		if errors.As(err, &none) || err == nil && (files.Name == "main" || len(files.GoFiles)+len(files.CgoFiles) == 0) {
			return nil
		} else if err != nil {
			return err
		}
		set := token.NewFileSet()
		p := &library{set: set}
		for i, list := range [][]string{files.GoFiles, files.CgoFiles, files.TestGoFiles, files.XTestGoFiles} {
			for _, f := range list {
				syntax, err := parser.ParseFile(set, filepath.Join(dir, f), nil, parser.ParseComments|parser.SkipObjectResolution)
				if err != nil {
					return err
				}
				if i < 3 {
					p.inside = append(p.inside, syntax)
				} else {
					p.outside = append(p.outside, syntax)
				}
			}
		}
		importPath := path.Join("blskernel", name)
		p.Package, err = doc.NewFromFiles(set, slices.Concat(p.inside, p.outside), importPath, doc.PreserveAST)
		if err != nil {
			return err
		}
		p.exported = exportedNames(p.Package)
		all[importPath] = p
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 10 {
		t.Fatalf("only %d public packages were found", len(all))
	}
	return all
}

// exportedNames returns all package-level names that p exports.
func exportedNames(p *doc.Package) map[string]bool {
	names := map[string]bool{}
	values := func(lists ...[]*doc.Value) {
		for _, list := range lists {
			for _, v := range list {
				for _, n := range v.Names {
					names[n] = true
				}
			}
		}
	}
	values(p.Consts, p.Vars)
	for _, f := range p.Funcs {
		names[f.Name] = true
	}
	for _, t := range p.Types {
		names[t.Name] = true
		values(t.Consts, t.Vars)
		for _, f := range t.Funcs {
			names[f.Name] = true
		}
	}
	return names
}
