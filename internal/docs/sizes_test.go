package docs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"blskernel/internal/testutil"
)

// Limits of what people write. columns are those of comments and prose; wideLines tables, commands and
// expected outputs exceed them.
const (
	fileLines, testLines, functionLines, readmeLines = 350, 400, 80, 110
	packageFiles, topFiles                           = 40, 25
	columns, wideLines                               = 104, 12
)

// TestSizes checks the limits.
func TestSizes(t *testing.T) {
	exceed := map[string]string{}
	check := func(n, limit int, name, what string) {
		if n > limit {
			exceed[name] = fmt.Sprintf("%d %s, want at most %d", n, what, limit)
		}
	}
	files, wide := map[string]int{}, 0
	walk(t, ".", func(name, text string) {
		generated := strings.Contains(text[:min(len(text), 600)], "// Code generated")
		switch {
		case path.Ext(name) == ".md":
			wide += wider(prose(text))
		case path.Ext(name) == ".go" && !generated:
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
			testutil.NoError(t, err)
			wide += wider(comments(set, f, strings.Split(text, "\n")))
			if strings.HasSuffix(name, "_test.go") {
				check(strings.Count(text, "\n"), testLines, name, "lines")
				break
			}
			files[path.Dir(name)]++
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
	for dir, n := range files {
		check(n, packageFiles, dir, "files")
	}
	for name, what := range exceed {
		t.Errorf("%s: %s", name, what)
	}
	if wide > wideLines {
		t.Errorf("%d lines of comments and prose are wider than %d columns; want at most %d", wide, columns, wideLines)
	}
	t.Logf("%d wide lines", wide)
}

// comments returns the lines that have nothing but a comment.
func comments(set *token.FileSet, f *ast.File, lines []string) (all []string) {
	for _, g := range f.Comments {
		if from := set.Position(g.Pos()); strings.TrimSpace(lines[from.Line-1][:from.Column-1]) == "" {
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

// wider counts the lines of more than the columns, a tab being one.
func wider(lines []string) (n int) {
	for _, line := range lines {
		if utf8.RuneCountInString(line) > columns && !strings.HasPrefix(line, "//go:") {
			n++
		}
	}
	return n
}
