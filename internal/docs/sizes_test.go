package docs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strings"
	"testing"

	"blskernel/internal/testutil"
)

// Limits of what people write. columns are those of comments and prose, borderLines of python/native.
const (
	fileLines, testLines, functionLines, readmeLines = 350, 400, 80, 110
	packageFiles, topFiles, borderLines              = 40, 25, 1000
	columns                                          = 104
)

// TestSizes checks the limits.
func TestSizes(t *testing.T) {
	exceed := map[string]string{}
	check := func(n, limit int, name, what string) {
		if n > limit {
			exceed[name] = fmt.Sprintf("%d %s, want at most %d", n, what, limit)
		}
	}
	files, wide, border := map[string]int{}, []string{}, 0
	walk(t, ".", func(name, text string) {
		generated := strings.Contains(text[:min(len(text), 600)], "// Code generated")
		switch {
		case path.Ext(name) == ".md":
			wide = append(wide, wider(name, prose(text))...)
		case path.Ext(name) == ".go" && !generated:
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
			testutil.NoError(t, err)
			wide = append(wide, wider(name, comments(set, f, strings.Split(text, "\n")))...)
			if strings.HasSuffix(name, "_test.go") {
				check(strings.Count(text, "\n"), testLines, name, "lines")
				break
			}
			files[path.Dir(name)]++
			if path.Dir(name) == "python/native" {
				border += strings.Count(text, "\n")
			}
			check(strings.Count(text, "\n"), fileLines, name, "lines")
			for _, d := range f.Decls {
				if d, ok := d.(*ast.FuncDecl); ok {
					check(set.Position(d.End()).Line-set.Position(d.Pos()).Line+1, functionLines, name+" "+d.Name.Name, "lines")
				}
			}
		}
		if name == "README.md" {
			check(strings.Count(text, "\n"), readmeLines, name, "lines")
		}
		if !strings.Contains(name, "/") {
			files["the top folder"]++
		}
	})
	check(files["the top folder"], topFiles, "the top folder", "files")
	delete(files, "the top folder")
	check(border, borderLines, "python/native", "lines of Go")
	for dir, n := range files {
		check(n, packageFiles, dir, "files")
	}
	for name, what := range exceed {
		t.Errorf("%s: %s", name, what)
	}
	if len(wide) > 0 {
		t.Errorf("wider than %d columns:\n%s", columns, strings.Join(wide, "\n"))
	}
}

// comments returns the lines that have nothing but a comment, which is not what an example prints.
func comments(set *token.FileSet, f *ast.File, lines []string) (all []string) {
	for _, g := range f.Comments {
		if from := set.Position(g.Pos()); strings.TrimSpace(lines[from.Line-1][:from.Column-1]) == "" && !strings.HasPrefix(g.Text(), "Output:") {
			all = append(all, lines[from.Line-1:set.Position(g.End()).Line]...)
		}
	}
	return all
}

// prose returns the lines of a page that are neither code nor a table.
func prose(text string) (all []string) {
	code := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		code = code != fence.MatchString(line)
		if !code && !strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "    ") && !strings.Contains(line, "](") {
			all = append(all, line)
		}
	}
	return all
}

// wider returns the lines of more than the columns, tabs being eight wide, behind the name of their
// file.
func wider(name string, lines []string) (all []string) {
	for _, line := range lines {
		width := 0
		for _, r := range line {
			if width++; r == '\t' {
				width = (width + 7) / 8 * 8
			}
		}
		if width > columns && !strings.HasPrefix(line, "//go:") {
			all = append(all, name+": "+line)
		}
	}
	return all
}
