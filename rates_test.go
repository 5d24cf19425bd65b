package blskernel

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blskernel/internal/testutil"
)

// TestRatesServePredictions checks that measured rates serve the commands plan and flops alone: no
// other code asks for them, and every other call of blsupdate.Plan names the rates that it goes by. So
// no model depends on a measurement.
func TestRatesServePredictions(t *testing.T) {
	allowed := []string{
		"blsupdate/plan.go", // for callers of Plan that name no rates
		"cmd/blskernel/internal/experiment/experiment.go", "cmd/blskernel/internal/experiment/flops.go", "cmd/blskernel/internal/experiment/plan.go",
	}
	measuring, plans := 0, 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		path = filepath.ToSlash(path)
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				name := called(n)
				if name == "RatesFor" || name == "MeasureRates" {
					measuring++
					if !slices.Contains(allowed, path) {
						t.Errorf("%s calls %s", path, name)
					}
				}
			case *ast.CompositeLit:
				if needs, ok := n.Type.(*ast.SelectorExpr); !ok || needs.Sel.Name != "Needs" || slices.Contains(allowed, path) {
					return true
				}
				plans++
				if !slices.ContainsFunc(n.Elts, namesRates) {
					t.Errorf("%s has blsupdate.Needs without Rates", path)
				}
			}
			return true
		})
		return nil
	})
	testutil.NoError(t, err)
	if measuring < 3 || plans < 1 {
		t.Errorf("%d calls for rates and %d plans are found; want at least 3 and 1", measuring, plans)
	}
}

// called returns the name of the function that is called, without its package.
func called(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// namesRates reports whether an element of a literal is the field Rates.
func namesRates(e ast.Expr) bool {
	field, ok := e.(*ast.KeyValueExpr)
	if !ok {
		return false
	}
	name, ok := field.Key.(*ast.Ident)
	return ok && name.Name == "Rates"
}
