package neon

import (
	"encoding/binary"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/arch/arm64/arm64asm"
)

var wordLine = regexp.MustCompile(`^\tWORD \$0x([0-9a-f]{8}) // (.+)$`)

// Every encoded word of all files is the instruction in its comment.
func TestWords(t *testing.T) {
	words := 0
	for name := range writers {
		f := Write(name)
		words += checkWords(t, f.Name, f.Assembly)
	}
	if words == 0 {
		t.Error("no words")
	}
}

// Every instruction of words.go, with a different register in each place.
func TestAllWords(t *testing.T) {
	var g generator
	g.fadd(1, 2, 3)
	g.fsub(1, 2, 3)
	g.fmul(1, 2, 3)
	g.fdiv(1, 2, 3)
	g.fmin(1, 2, 3)
	g.fabs(1, 3)
	g.fcmeq(1, 2, 3)
	g.fcmge(1, 2, 3)
	g.facgt(1, 2, 3)
	g.faddp(1, 2, 3)
	g.faddpScalar(1, 3)
	for i := range 2 {
		g.fmlaLane(1, 31, i, 3)
		g.fmlsLane(1, 31, i, 3)
		g.fmulLane(1, 31, i, 3)
	}
	g.prefetchAhead(1, 2)
	checkWords(t, "words.go", g.text.String())

	// A method of words.go that encodes a word, but for the forms that they share, has to be called
	// above.
	forms := []string{"word", "three", "two", "lane"}
	called := calls(t, "words_test.go")["TestAllWords"]
	for name, own := range calls(t, "words.go") {
		encodes := slices.ContainsFunc(own, func(f string) bool { return slices.Contains(forms, f) })
		if encodes && !slices.Contains(forms, name) && !slices.Contains(called, name) {
			t.Errorf("%s is not tested", name)
		}
	}
}

// calls returns the methods of g that each function of a file calls.
func calls(t *testing.T, file string) map[string][]string {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "g" {
					all[f.Name.Name] = append(all[f.Name.Name], s.Sel.Name)
				}
			}
			return true
		})
	}
	return all
}

// checkWords compares each encoded word of a text with its mnemonic, and returns their number.
func checkWords(t *testing.T, file, text string) (words int) {
	for i, line := range strings.Split(text, "\n") {
		if !strings.Contains(line, "WORD") {
			continue
		}
		words++
		m := wordLine.FindStringSubmatch(line)
		if m == nil {
			t.Errorf("%s, line %d: %q has no mnemonic", file, i+1, line)
			continue
		}
		code, err := strconv.ParseUint(m[1], 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		inst, err := arm64asm.Decode(binary.LittleEndian.AppendUint32(nil, uint32(code)))
		if got := arm64asm.GNUSyntax(inst); err != nil || got != m[2] {
			t.Errorf("%s, line %d: %s is %q, %v, not %q", file, i+1, m[1], got, err, m[2])
		}
	}
	return words
}
