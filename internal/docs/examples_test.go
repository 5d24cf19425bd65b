package docs

import (
	"go/ast"
	"maps"
	"strings"
	"testing"
)

// TestExamples wants an Example for every exported type and function of the libraries, except the
// experiments of bench and the types with aliases in blsupdate. An Example counts for a name if it has
// that name, uses it, or uses a function or a field whose declaration uses it. unused lists exactly the
// names without an Example, with a reason. Errors need none: their messages explain them.
func TestExamples(t *testing.T) {
	for at, p := range libraries(t) {
		if strings.HasPrefix(at, "blskernel/bench") || at == "blskernel/blsupdate/types" {
			continue
		}
		shown := p.shown()
		for name, wanted := range p.exported {
			if _, excepted := unused[at][name]; wanted && shown[name] == excepted {
				t.Errorf("%s.%s is in an Example: %t, and in the list of exceptions: %t", at, name, shown[name], excepted)
			}
		}
		for name := range unused[at] {
			if _, ok := p.exported[name]; !ok {
				t.Errorf("%s has no %s, which is in the list of exceptions", at, name)
			}
		}
	}
}

// shown returns the names that the Examples use, and the names in the declarations of what they use.
func (p *library) shown() map[string]bool {
	used := map[string]bool{}
	for _, f := range p.tests {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil && strings.HasPrefix(d.Name.Name, "Example") {
				used[strings.Split(strings.TrimPrefix(d.Name.Name, "Example"), "_")[0]] = true
				identifiers(d.Body, used)
			}
		}
	}
	names := maps.Clone(used)
	for _, f := range p.files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if used[n.Name.Name] {
					identifiers(n.Type, names)
				}
				return false
			case *ast.Field: // of a struct, or a method of an interface
				if len(n.Names) == 1 && used[n.Names[0].Name] {
					identifiers(n.Type, names)
				}
			}
			return true
		})
	}
	return names
}

func identifiers(code ast.Node, names map[string]bool) {
	ast.Inspect(code, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			names[id.Name] = true
		}
		return true
	})
}

// measuring is the reason why some names are in no Example.
const measuring = "measures the machine for 20 seconds, or reads the measurements; the commands plan and flops use it"

// unused lists the exported names that are in no Example, with the reason.
var unused = map[string]map[string]string{
	"blskernel/bls": {"TargetMap": "for output layers that learn elsewhere, as on Beam"},
	"blskernel/bls/model": {
		"FirstLarge": "for rows that are learned elsewhere, as on Beam", "SortLabels": "likewise",
		"Calibration": "says what the rows of Calibrate are, which the command calibrate shows",
		"Holdout":     "for programs that train as the command does", "SkipBad": "for programs that train as the command does",
	},
	"blskernel/bls/modelfile": {
		"LoadFS": "for callers with a file system of their own, such as tests", "SaveFS": "likewise",
		"Log": "is made by bls/model, whose Example of Verify has one", "Operation": "is made by bls/model, whose Example of Verify has one",
	},
	"blskernel/dataset":        {"LoadNORB": "reads files of small NORB, which the repository does not have; the tests write some"},
	"blskernel/dataset/stream": {"Errorf": "makes errors"},
	"blskernel/blsupdate": {
		"CMode":        "the type of Options.C",
		"Candidate":    "a line of the text of Choice.Explain",
		"MeasureRates": measuring, "RatesFor": measuring, "RatesFile": measuring, "Peak": measuring,
	},
}
